"""Lists as tables of columns, the form kubectl asks for when a person reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .kinds import Kind

_STEP = re.compile(r"\.([A-Za-z0-9_-]+|(?:\\\.)+)|\[\?\(@\.(\w+)==['\"]([^'\"]*)['\"]\)\]|\[(\d+|\*)\]|\['([^']+)'\]")


def as_table(kind: Kind, objects: list[dict[str, Any]], metadata: dict[str, Any]) -> dict[str, Any]:
    """A meta.k8s.io/v1 Table; each row carries the object's metadata."""
    columns = [{"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}]
    makers: list[Callable[[dict[str, Any]], Any]] = [lambda obj: obj["metadata"]["name"]]
    special = SPECIAL.get(kind.key)
    for name, type_, make in special or _declared(kind):
        priority = 0
        if name.startswith("-"):
            name, priority = name[1:], 1
        columns.append({"name": name, "type": type_, "format": "", "description": "", "priority": priority})
        makers.append(make)
    rows = [{"cells": [make(obj) for make in makers], "object": _partial(kind, obj)} for obj in objects]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": columns,
        "rows": rows,
    }


def _partial(kind: Kind, obj: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}


Column = tuple[str, str, Callable[[dict[str, Any]], Any]]


def _declared(kind: Kind) -> list[Column]:
    """The columns of the type's own declaration; a priority above 0 shows only with -o wide."""
    return [
        (f"-{row['name']}" if row.get("priority") else row["name"], "string", _cell(row["jsonPath"], row["type"]))
        for row in kind.columns
    ]


def _cell(path: str, type_: str) -> Callable[[dict[str, Any]], Any]:
    if path == "#data":
        return lambda obj: len(obj.get("data") or {})
    if path == "#involved":
        return lambda obj: f"{obj['involvedObject'].get('kind', '').lower()}/{obj['involvedObject'].get('name', '')}"
    steps = list(_STEP.finditer(path.replace("\\.", "\0")))

    def make(obj: dict[str, Any]) -> Any:
        value = _follow(obj, steps)
        if value is None:
            return "<unknown>" if type_ == "date" else ""
        if type_ == "date":
            return age(value)
        if isinstance(value, list):
            return ",".join(ACCESS.get(item, str(item)) for item in value)
        return str(value).lower() if isinstance(value, bool) else value

    return make


def _follow(value: Any, steps: list[re.Match[str]]) -> Any:
    for step in steps:
        name, key, wanted, index, quoted = step.groups()
        if name or quoted:
            value = value.get((name or quoted).replace("\0", ".")) if isinstance(value, dict) else None
        elif key:
            value = next((item for item in value or () if str(item.get(key)) == wanted), None)
        elif index == "*":
            return value
        else:
            value = value[int(index)] if isinstance(value, list) and len(value) > int(index) else None
        if value is None:
            return None
    return value


ACCESS = {"ReadWriteOnce": "RWO", "ReadWriteMany": "RWX", "ReadOnlyMany": "ROX", "ReadWriteOncePod": "RWOP"}


def age(stamp: str) -> str:
    """A time stamp as kubectl shows ages: 12s, 5m, 3h, 2d."""
    moment = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    seconds = max(0, int((datetime.now(UTC) - moment).total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _age(obj: dict[str, Any]) -> str:
    return age(obj["metadata"]["creationTimestamp"])


def _node_status(obj: dict[str, Any]) -> str:
    conditions = {row["type"]: row["status"] for row in obj.get("status", {}).get("conditions", ())}
    words = ["Ready" if conditions.get("Ready") == "True" else "NotReady"]
    if obj.get("spec", {}).get("unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(obj: dict[str, Any]) -> str:
    prefix = "node-role.kubernetes.io/"
    labels = obj["metadata"].get("labels") or {}
    return ",".join(sorted(key[len(prefix) :] for key in labels if key.startswith(prefix))) or "<none>"


def _kubelet(obj: dict[str, Any]) -> str:
    return obj.get("status", {}).get("nodeInfo", {}).get("kubeletVersion", "")


def _pod_status(obj: dict[str, Any]) -> str:
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    phase = obj.get("status", {}).get("phase", "Pending")
    return {"Succeeded": "Completed", "Failed": "Error"}.get(phase, phase)


def _pod_ready(obj: dict[str, Any]) -> str:
    states = obj.get("status", {}).get("containerStatuses") or []
    total = len(obj["spec"].get("containers", ()))
    return f"{sum(bool(state.get('ready')) for state in states)}/{total}"


SPECIAL: dict[str, list[Column]] = {
    "nodes": [
        ("Status", "string", _node_status),
        ("Roles", "string", _roles),
        ("Age", "string", _age),
        ("Version", "string", _kubelet),
    ],
    "pods": [
        ("Ready", "string", _pod_ready),
        ("Status", "string", _pod_status),
        ("Restarts", "integer", lambda obj: 0),
        ("Age", "string", _age),
        ("-IP", "string", lambda obj: obj.get("status", {}).get("podIP", "<none>")),
        ("-Node", "string", lambda obj: obj["spec"].get("nodeName", "<none>")),
    ],
}

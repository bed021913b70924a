"""Reckons what servers used in a span of time (nova 34.0.0 simple tenant usage). No I/O."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from keel_api.http.times import stamp

_HOUR = 3600.0


def of_server(
    row: Mapping[str, Any], start: datetime.datetime, stop: datetime.datetime, now: datetime.datetime
) -> dict[str, Any]:
    """One server: hours inside the span, uptime in seconds over its whole life."""
    begun, ended, flavor = row["launched_at"], row["terminated_at"], row["flavor"]
    inside = min(ended or now, stop, now) - max(begun, start)
    return {
        "instance_id": row["uuid"],
        "name": row["display_name"] or "",
        "tenant_id": row["project_id"],
        "flavor": flavor.get("name", ""),
        "memory_mb": flavor.get("memory_mb", 0),
        "vcpus": flavor.get("vcpus", 0),
        "local_gb": flavor.get("root_gb", 0) + flavor.get("ephemeral_gb", 0),
        "hours": max(0.0, inside.total_seconds() / _HOUR),
        "started_at": stamp(begun),
        "ended_at": stamp(ended),
        "state": "terminated" if ended is not None else row["vm_state"],
        "uptime": int(((ended or now) - begun).total_seconds()),
    }


def of_projects(
    servers: Iterable[dict[str, Any]], start: datetime.datetime, stop: datetime.datetime, detailed: bool
) -> list[dict[str, Any]]:
    """The sums of each project, in order of appearance, with its servers when asked."""
    found: dict[str, dict[str, Any]] = {}
    for server in servers:
        usage = found.setdefault(server["tenant_id"], _empty(server["tenant_id"], start, stop))
        hours = server["hours"]
        usage["total_hours"] += hours
        usage["total_memory_mb_usage"] += server["memory_mb"] * hours
        usage["total_vcpus_usage"] += server["vcpus"] * hours
        usage["total_local_gb_usage"] += server["local_gb"] * hours
        if detailed:
            usage.setdefault("server_usages", []).append(server)
    return list(found.values())


def _empty(project: str, start: datetime.datetime, stop: datetime.datetime) -> dict[str, Any]:
    totals = ("total_hours", "total_memory_mb_usage", "total_vcpus_usage", "total_local_gb_usage")
    return {"tenant_id": project, "start": stamp(start), "stop": stamp(stop), **dict.fromkeys(totals, 0.0)}

"""The control endpoint, /sim/v1: what a test tells the cluster. docs/kubesim.md lists it.

Answers are JSON; a request it does not understand is 400 with an "error". It needs the admin token.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import orjson

from . import quantity
from .cluster import Cluster
from .contents import NotKept
from .controllers.guest import to_phase
from .controllers.nodes import node_body, node_state, set_node_state
from .controllers.pods import FINAL
from .controllers.volumes import content_key
from .kinds import NODE, PV, VMI
from .knobs import Failure, checked
from .server import Answer, Request
from .writer import Removal, Writer

Handler = Callable[[str, dict[str, Any]], Any]


class Control:
    """One handler per (method, first word); the rest of the path is its argument."""

    def __init__(self, cluster: Cluster):
        self._cluster, self._knobs = cluster, cluster.knobs
        self._handlers: dict[tuple[str, str], Handler] = {
            ("GET", ""): self.state,
            ("GET", "clock"): lambda name, body: cluster.clock.state(),
            ("POST", "clock"): self.clock,
            ("GET", "delays"): lambda name, body: self._knobs.delays,
            ("POST", "delays"): self.delays,
            ("GET", "failures"): lambda name, body: [asdict(rule) for rule in self._knobs.failures],
            ("POST", "failures"): self.fail,
            ("DELETE", "failures"): self.heal,
            ("POST", "watches"): self.cut,
            ("POST", "compaction"): lambda name, body: {"resourceVersion": str(cluster.store.compact())},
            ("POST", "webhooks"): self.webhooks,
            ("POST", "aggregated-api"): self.aggregated,
            ("POST", "networks"): self.networks,
            ("POST", "controllers"): self.controllers,
            ("POST", "nodes"): self.node,
            ("DELETE", "nodes"): self.remove_node,
            ("POST", "guests"): lambda name, body: self._behave("guests", name, body),
            ("POST", "provisioners"): lambda name, body: self._behave("provisioners", name, body),
            ("POST", "importers"): lambda name, body: self._behave("importers", name, body),
            ("POST", "guest-events"): self.guest_event,
            ("POST", "tokens"): self.token,
            ("GET", "volumes"): self.volumes,
            ("POST", "volumes"): self.volume_bytes,
            ("POST", "reset"): self.reset,
        }

    def __call__(self, request: Request) -> Answer:
        words = [part for part in request.path.split("/") if part][2:]
        handler = self._handlers.get((request.method, words[0] if words else ""))
        if handler is None:
            return Answer({"error": f"there is no {request.method} {request.path}"}, 404)
        try:
            body = orjson.loads(request.body) if request.body.strip() else {}
            if not isinstance(body, dict):
                raise ValueError("the body must be a JSON object")
            return Answer(handler("/".join(words[1:]), body))
        except (ValueError, TypeError, KeyError, NotKept) as error:
            return Answer({"error": str(error)}, 400)

    def state(self, name: str, body: dict[str, Any]) -> Any:
        return {
            "clock": self._cluster.clock.state(),
            "resourceVersion": str(self._cluster.store.version),
            "watches": self._cluster.reads.watching,
            "controllers": {name: name not in self._knobs.paused for name in self._cluster.engine.names()},
            "nodes": {
                n["metadata"]["name"]: node_state(self._cluster, n["metadata"]["name"])
                for n in self._cluster.list(NODE)
            },
            "webhooks": {name: name not in self._cluster.admission.down for name in self._cluster.admission.webhooks()},
            "failures": [asdict(rule) for rule in self._knobs.failures],
            "behaviours": {
                table: {row.name: asdict(row.value) for row in getattr(self._knobs, table)}
                for table in ("guests", "provisioners", "importers")
            },
        }

    def clock(self, name: str, body: dict[str, Any]) -> Any:
        """{"speed": 10, "paused": true, "advance": 30}"""
        _only(body, "speed", "paused", "advance")
        if body.get("speed") is not None and body["speed"] <= 0:
            raise ValueError("speed must be above 0")
        self._cluster.clock.set(body.get("speed"), body.get("paused"), float(body.get("advance", 0)))
        return self._cluster.clock.state()

    def delays(self, name: str, body: dict[str, Any]) -> Any:
        """{"pod-start": 5, ...} in virtual seconds"""
        _only(body, *self._knobs.delays)
        self._knobs.delays.update({step: float(seconds) for step, seconds in body.items()})
        return self._knobs.delays

    def fail(self, name: str, body: dict[str, Any]) -> Any:
        rule = checked(Failure, body)
        with self._knobs.lock:
            self._knobs.failures = [*self._knobs.failures, rule]
        return asdict(rule)

    def heal(self, name: str, body: dict[str, Any]) -> Any:
        with self._knobs.lock:
            self._knobs.failures = []
        return []

    def cut(self, name: str, body: dict[str, Any]) -> Any:
        """/watches/cut"""
        if name != "cut":
            raise ValueError("watches can only be cut")
        return {"cut": self._cluster.reads.cut()}

    def webhooks(self, name: str, body: dict[str, Any]) -> Any:
        """/webhooks/NAME {"down": true}"""
        if name not in self._cluster.admission.webhooks():
            raise ValueError(f"unknown webhook {name}; known are {', '.join(self._cluster.admission.webhooks())}")
        _only(body, "down")
        (self._cluster.admission.down.add if body["down"] else self._cluster.admission.down.discard)(name)
        return {"down": sorted(self._cluster.admission.down)}

    def aggregated(self, name: str, body: dict[str, Any]) -> Any:
        """{"down": true}: virt-api does not answer"""
        _only(body, "down")
        self._knobs.aggregated_api_down = bool(body["down"])
        return body

    def networks(self, name: str, body: dict[str, Any]) -> Any:
        """{"dynamic": false}: no dynamic-networks controller, a new interface comes with a live migration only"""
        _only(body, "dynamic")
        self._knobs.dynamic_networks = bool(body["dynamic"])
        self._cluster.engine.look_at_all()
        return body

    def controllers(self, name: str, body: dict[str, Any]) -> Any:
        """/controllers/NAME {"paused": true}; the name * is all of them"""
        if name not in (*self._cluster.engine.names(), "*"):
            raise ValueError(f"unknown controller {name}; known are {', '.join(self._cluster.engine.names())}")
        _only(body, "paused")
        paused = self._knobs.paused | {name} if body["paused"] else self._knobs.paused - {name}
        self._knobs.paused = paused
        self._cluster.engine.poke()
        return {"paused": sorted(paused)}

    def node(self, name: str, body: dict[str, Any]) -> Any:
        """/nodes/NAME {"state": "dead"}, or a new one {"cpu": "8", "memory": "16Gi", "pods": "110", "labels": {}}"""
        _only(body, "state", "cpu", "memory", "pods", "labels")
        if self._cluster.get(NODE, "", _named(name)) is None:
            cpu, memory = str(body.get("cpu", "32")), str(body.get("memory", "64Gi"))
            quantity.parse(cpu), quantity.parse(memory)
            number = len(self._cluster.list(NODE)) + 1
            made = node_body(
                name, number, cpu, memory, str(body.get("pods", "110")), self._cluster.clock.stamp(), body.get("labels")
            )
            kind = self._cluster.catalogue.get(NODE)
            self._cluster.writes.create(kind, "", made, Writer("kubelet", trusted=True), status=True)
        set_node_state(self._cluster, name, body.get("state", "ready"))
        return {"state": node_state(self._cluster, name)}

    def remove_node(self, name: str, body: dict[str, Any]) -> Any:
        kind = self._cluster.catalogue.get(NODE)
        if self._cluster.get(NODE, "", name) is None:
            raise ValueError(f"unknown node {name}")
        self._cluster.writes.delete(kind, "", name, Removal(), Writer("kubesim", trusted=True))
        set_node_state(self._cluster, name, "ready")
        return {}

    def _behave(self, table: str, name: str, body: dict[str, Any]) -> Any:
        """/provisioners/CLASS {"outcome": "fails"} and the like; what waits is looked at again"""
        value = asdict(self._knobs.set_behaviour(table, _named(name), body))
        self._cluster.engine.look_at_all()
        return value

    def guest_event(self, name: str, body: dict[str, Any]) -> Any:
        """/guest-events/NAMESPACE/NAME {"event": "poweroff" | "crash"}"""
        namespace, _, vmi_name = name.partition("/")
        _only(body, "event")
        phases = {"poweroff": "Succeeded", "crash": "Failed"}
        if body.get("event") not in phases:
            raise ValueError("event must be poweroff or crash")
        vmi = self._cluster.get(VMI, namespace, vmi_name)
        if vmi is None or vmi.get("status", {}).get("phase") in (None, *FINAL):
            raise ValueError(f"no guest runs as {name}")
        now, phase = self._cluster.clock.stamp(), phases[body["event"]]
        self._cluster.writes.modify(VMI, namespace, vmi_name, lambda vmi: to_phase(vmi, phase, now), "virt-handler")
        return {"phase": phase}

    def token(self, name: str, body: dict[str, Any]) -> Any:
        """{"token": T, "user": U, "rules": [{"verbs": [], "groups": [], "resources": [], "namespaces": []}]}"""
        _only(body, "token", "user", "rules")
        self._cluster.authority.add(body["token"], body["user"], body.get("rules"))
        return {"user": body["user"]}

    def volumes(self, name: str, body: dict[str, Any]) -> Any:
        """What each volume holds, by the name of its PersistentVolume; empty ones are not listed."""
        held = self._cluster.store.facts("volume:")
        return held if not name else {name: held.get(name)}

    def volume_bytes(self, name: str, body: dict[str, Any]) -> Any:
        """/volumes/PV {"offset": N, "data": base64} writes as a guest would, {"offset": N, "length": N} reads,
        {"checksum": true} is the sha256 of all of it"""
        _only(body, "offset", "data", "length", "checksum")
        volume = self._cluster.get(PV, "", _named(name))
        if volume is None:
            raise ValueError(f"unknown volume {name}")
        contents, key, offset = self._cluster.contents, content_key(name), int(body.get("offset", 0))
        size = quantity.size(volume["spec"]["capacity"]["storage"])
        data = base64.b64decode(body.get("data", ""))
        if not 0 <= offset <= offset + max(len(data), int(body.get("length", 0))) <= size:
            raise ValueError(f"the volume has {size} bytes")
        if body.get("checksum"):
            return {"sha256": contents.checksum(key, size)}
        if data:
            contents.write(key, offset, data)
            return {"written": len(data)}
        found = contents.read(key, offset, int(body["length"]))
        return {"data": base64.b64encode(found).decode()}

    def reset(self, name: str, body: dict[str, Any]) -> Any:
        """Back to the healthy defaults; objects stay."""
        fresh = type(self._knobs)()
        for table in (
            "delays",
            "failures",
            "guests",
            "provisioners",
            "importers",
            "paused",
            "aggregated_api_down",
            "dynamic_networks",
        ):
            setattr(self._knobs, table, getattr(fresh, table))
        self._cluster.admission.down.clear()
        for node in self._cluster.list(NODE):
            set_node_state(self._cluster, node["metadata"]["name"], "ready")
        self._cluster.engine.look_at_all()
        return {}


def _named(name: str) -> str:
    if not name:
        raise ValueError("a name is needed in the path")
    return name


def _only(body: dict[str, Any], *known: str) -> None:
    unknown = sorted(set(body) - set(known))
    if unknown:
        raise ValueError(f"unknown field {', '.join(unknown)}; known are {', '.join(sorted(known))}")

"""GET topology, from 2.78: the NUMA nodes of a server; where they lie on the host for those who may know that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.servers import lookup
from keel_api.http.ops import handles
from keel_api.http.request import Request

_RULE = "compute:server:topology"


@handles("GET /servers/{server_id}/topology")
def show(req: Request) -> dict[str, Any]:
    """Nodes with their processors and memory (MiB); none for a server without a NUMA topology."""
    server, _ = lookup.server_of(req, req.path["server_id"], ("numa_topology",))
    target = {"project_id": server["project_id"]}
    req.must(f"{_RULE}:index", target)
    with_host = req.can(f"{_RULE}:host:index", target)
    stored = server.get("numa_topology")
    cells = [cell["nova_object.data"] for cell in stored["nova_object.data"]["cells"]] if stored else []
    return {
        "nodes": [_node(cell, with_host) for cell in cells],
        "pagesize_kb": cells[0].get("pagesize") if cells else None,
    }


def _node(cell: Mapping[str, Any], with_host: bool) -> dict[str, Any]:
    pinned = cell.get("cpu_pinning_raw") or {}
    node = {
        "vcpu_set": sorted({*cell.get("cpuset", ()), *(cell.get("pcpuset") or ())}),
        "siblings": _siblings(cell),
        "memory_mb": cell["memory"],
    }
    if with_host:
        node |= {"host_node": cell["id"], "cpu_pinning": {str(guest): int(host) for guest, host in pinned.items()}}
    return node


def _siblings(cell: Mapping[str, Any]) -> list[list[int]]:
    """The processors of a node by the threads they share a core with; none without a topology of its own."""
    stored = cell.get("cpu_topology")
    if not stored:
        return []
    threads = stored["nova_object.data"].get("threads") or 1
    known = sorted({*cell.get("cpuset", ()), *(cell.get("pcpuset") or ())})
    if threads <= 1:
        return []
    return [known[start : start + threads] for start in range(0, len(known), threads)]

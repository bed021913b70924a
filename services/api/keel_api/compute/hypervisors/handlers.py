"""``os-hypervisors`` (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from oslo_utils import strutils, uuidutils

from keel_api.compute.hypervisors import nodes, views
from keel_api.compute.hypervisors.nodes import Node
from keel_api.http import Fault, Request, View, handles
from keel_api.http.paging import page, with_next
from keel_common.db.stores.nova import compute_nodes
from keel_contract.errors import RemoteFault, RpcTimeout

_RULE = "os_compute_api:os-hypervisors"


@handles("GET /os-hypervisors")
def index(req: Request) -> dict:
    """Names and states of the nodes of all cells."""
    req.must(f"{_RULE}:list", {})
    return _list(req, views.INDEX)


@handles("GET /os-hypervisors/detail")
def detail(req: Request) -> dict:
    """The same with what they have."""
    req.must(f"{_RULE}:list-detail", {})
    return _list(req, views.DETAIL, "detail")


@handles("GET /os-hypervisors/{id}")
def show(req: Request) -> dict:
    """One node."""
    req.must(f"{_RULE}:show", {})
    rows = [_one(req)]
    if req.at_least(2, 53) and _flag(req, "with_servers"):
        rows = nodes.with_servers(req, rows)
    if req.at_least(2, 88):
        rows = nodes.with_uptimes(req, rows)
    return {"hypervisor": views.DETAIL.one(req.version, (), rows[0])}


@handles("GET /os-hypervisors/{id}/search")
def search(req: Request) -> dict:
    """Nodes whose name contains a text."""
    req.must(f"{_RULE}:search", {})
    return {"hypervisors": views.INDEX.render(req.version, (), _matching(req, req.path["id"]))}


@handles("GET /os-hypervisors/{id}/servers")
def servers(req: Request) -> dict:
    """The same with the servers on them."""
    req.must(f"{_RULE}:servers", {})
    rows = nodes.with_servers(req, _matching(req, req.path["id"]))
    return {"hypervisors": views.INDEX.render(req.version, (), rows)}


@handles("GET /os-hypervisors/statistics")
def statistics(req: Request) -> dict:
    """Sums over the nodes whose service is enabled."""
    req.must(f"{_RULE}:statistics", {})
    rows = [node for node in nodes.listing(req) if not node["service"]["disabled"]]
    sums = {name: sum(node[name] or 0 for node in rows) for name in views.RESOURCES}
    return {"hypervisor_statistics": {"count": len(rows), **sums}}


@handles("GET /os-hypervisors/{id}/uptime")
def uptime(req: Request) -> dict:
    """One node with what its host says of its uptime."""
    req.must(f"{_RULE}:uptime", {})
    node = _one(req)
    if not node["service"]["up"]:
        raise Fault(400, f"Compute service of {node['host']} is unavailable at this time.")
    try:
        told = nodes.uptime(req, node)
    except RpcTimeout:
        raise Fault(400, f"Compute service of {node['host']} is unavailable at this time.") from None
    except RemoteFault as fault:
        if fault.class_name == "NotImplementedError":
            raise Fault(501, "Virt driver does not implement uptime function.") from None
        raise
    return {"hypervisor": views.UPTIME.one(req.version, (), {**node, "uptime": told})}


def _list(req: Request, view: View, *path: str) -> dict:
    pattern = req.query.get("hypervisor_hostname_pattern") if req.at_least(2, 53) else None
    paged = req.at_least(2, 33) and pattern is None
    if pattern is not None and ("limit" in req.query or "marker" in req.query):
        raise Fault(
            400,
            "Paging over hypervisors with the hypervisor_hostname_pattern query parameter is not supported.",
        )
    asked = page(req, req.services.conf.api.max_limit)
    key = "uuid" if req.at_least(2, 53) else "id"
    rows = nodes.listing(req) if pattern is None else _matching(req, pattern)
    if paged:
        rows = _after(rows, key, asked.marker)[: asked.limit]
    if req.at_least(2, 53) and _flag(req, "with_servers"):
        rows = nodes.with_servers(req, rows)
    if req.at_least(2, 88) and view is views.DETAIL:
        rows = nodes.with_uptimes(req, rows)
    body: dict[str, Any] = {"hypervisors": view.render(req.version, (), rows)}
    if not paged:
        return body
    marker = str(rows[-1][key]) if rows else ""
    return with_next(req, body, "hypervisors", rows, asked, marker, "os-hypervisors", *path)


def _after(rows: list[Node], key: str, marker: str | None) -> list[Node]:
    if marker is None:
        return rows
    for at, row in enumerate(rows):
        if str(row[key]) == marker:
            return rows[at + 1 :]
    raise Fault(400, f"Marker {marker} could not be found.")


def _matching(req: Request, text: str) -> list[Node]:
    rows = nodes.listing(req, compute_nodes.matching, text)
    if not rows:
        raise Fault(404, f"No hypervisor matching '{text}' could be found.")
    return rows


def _one(req: Request) -> Node:
    key = req.path["id"]
    column = "id"
    if req.at_least(2, 53):
        column = "uuid"
        if not uuidutils.is_uuid_like(key):
            raise Fault(400, f"Invalid uuid {key}")
    found = [node for node in nodes.listing(req) if str(node[column]) == key]
    if not found:
        raise Fault(404, f"Hypervisor with ID '{key}' could not be found.")
    return found[0]


def _flag(req: Request, name: str) -> bool:
    return strutils.bool_from_string(req.query.get(name, "false"), strict=True)

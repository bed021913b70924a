"""Hosts join and leave aggregates; Placement and the schedulers hear of it (nova 34.0.0)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.compute.aggregates import lookup, rules, views
from keel_api.compute.hosts import COMPUTE, in_cells
from keel_api.http import Fault, Request, handles
from keel_common.clients.errors import ClientError
from keel_common.db.stores.nova import aggregates, compute_nodes, services

LOG = logging.getLogger(__name__)

_RULE = "os_compute_api:os-aggregates"


@handles("POST /os-aggregates/{id}/action #add_host")
def add(req: Request) -> dict:
    """Put a compute host into an aggregate."""
    req.must(f"{_RULE}:add_host", {})
    host, aggregate = req.args["host"], lookup.one(req)
    node = _node(req, host)
    if host in aggregate["hosts"]:
        raise Fault(409, f"Aggregate {aggregate['id']} already has host {host}.")
    zone = aggregate["metadata"].get(rules.ZONE)
    if zone is not None:
        moved = {**aggregate, "metadata": {}}
        rules.check_zone(req, moved, zone, [host], 409)
    try:
        req.services.cells.api.run(aggregates.join, aggregate["id"], host)
    except aggregates.HostThere:
        raise Fault(409, f"Aggregate {aggregate['id']} already has host {host}.") from None
    _mirror(req, node, add={aggregate["uuid"]})
    return _answer(req)


@handles("POST /os-aggregates/{id}/action #remove_host")
def remove(req: Request) -> dict:
    """Take a host out; not out of a zone while servers stand on it."""
    req.must(f"{_RULE}:remove_host", {})
    host, aggregate = req.args["host"], lookup.one(req)
    if host not in aggregate["hosts"]:
        raise Fault(404, f"Aggregate {aggregate['id']} has no host {host}.")
    if rules.ZONE in aggregate["metadata"]:
        rules.check_empty(req, aggregate, [host], 409)
    req.services.cells.api.run(aggregates.leave, aggregate["id"], host)
    _mirror(req, _node_or_none(req, host), remove={aggregate["uuid"]})
    return _answer(req)


def _answer(req: Request) -> dict:
    row = lookup.one(req)
    lookup.tell_schedulers(req, row)
    return {"aggregate": views.AGGREGATE.one(req.version, (), row)}


def _node(req: Request, host: str) -> dict[str, Any]:
    """The first node of a compute host; 404 when no compute service runs there."""
    known = any(row for _, row in in_cells(req, services.by_host_and_binary, host, COMPUTE))
    node = _node_or_none(req, host) if known else None
    if node is None:
        raise Fault(404, f"Compute host {host} could not be found.")
    return node


def _node_or_none(req: Request, host: str) -> dict[str, Any] | None:
    for cell in req.services.cells.working():
        node = cell.db.read(compute_nodes.find, host=host)
        if node is not None:
            return node
    return None


def _mirror(req: Request, node: dict[str, Any] | None, **change: set[str]) -> None:
    """Placement keeps the same aggregates; when it cannot be reached the audit of aggregates puts it right."""
    if node is None:
        return
    try:
        req.services.clients.placement.change_aggregates(node["uuid"], **change)
    except ClientError as error:
        LOG.warning("Aggregates of provider %s were not changed in Placement: %s", node["uuid"], error)

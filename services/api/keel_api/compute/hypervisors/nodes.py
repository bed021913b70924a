"""Reads the compute nodes of all cells with their services, servers and uptimes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from keel_api.compute import hosts
from keel_api.compute.servers.fields import name_of
from keel_api.http import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import cell_mappings, compute_nodes, servers_on_hosts, services
from keel_contract.errors import BusError
from keel_contract.nova.interfaces import COMPUTE

LOG = logging.getLogger(__name__)
Node = dict[str, Any]


def listing(req: Request, read: Callable[..., Any] = compute_nodes.listing, *args: Any) -> list[Node]:
    """Nodes by cell and id, each with its ``service``; those without service or host mapping are left out."""
    mapped = {row["host"] for row in req.services.cells.api.read(cell_mappings.hosts)}
    found: list[Node] = []
    for cell in req.services.cells.working():
        nodes, rows = cell.db.read(_read, read, args)
        owners = {row["host"]: hosts.seen(req, row, cell, {}) for row in rows}
        found += [
            {**node, "service": owners[node["host"]]}
            for node in nodes
            if node["host"] in owners and node["host"] in mapped
        ]
    return found


def _read(conn: Any, read: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[Node], list[dict[str, Any]]]:
    return read(conn, *args), services.listing(conn, [services.TABLE.c.binary == hosts.COMPUTE])


def with_servers(req: Request, nodes: list[Node]) -> list[Node]:
    """The nodes with their ``servers`` (name, uuid), one statement for each cell."""
    template = req.services.conf.instance_name_template
    found: dict[str, list[dict[str, Any]]] = {}
    for cell in _cells(nodes):
        names = [node["host"] for node in nodes if node["service"]["cell"] is cell]
        found.update(cell.db.read(servers_on_hosts.listing, names))
    shown = {
        host: [{"name": name_of(row, template), "uuid": row["uuid"]} for row in rows] for host, rows in found.items()
    }
    return [{**node, "servers": shown.get(node["host"], [])} for node in nodes]


def _cells(nodes: list[Node]) -> list[Cell]:
    return list({node["service"]["cell"].uuid: node["service"]["cell"] for node in nodes}.values())


def uptime(req: Request, node: Node) -> str | None:
    """What the host says of itself. Raises what the bus raises."""
    return req.services.rpc(COMPUTE, node["service"]["cell"]).send(req.context, "get_host_uptime", server=node["host"])


def with_uptimes(req: Request, nodes: list[Node]) -> list[Node]:
    """The nodes with their ``uptime``; None for a host that is down or does not answer or know."""
    return [{**node, "uptime": _uptime_or_none(req, node)} for node in nodes]


def _uptime_or_none(req: Request, node: Node) -> str | None:
    if not node["service"]["up"]:
        return None
    try:
        return uptime(req, node)
    except BusError as error:
        LOG.info("No uptime of %s: %s", node["host"], error)
        return None

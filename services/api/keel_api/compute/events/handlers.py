"""POST /os-server-external-events (nova 34.0.0 flows 14): a code for each event, one message to each host."""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import Any

from keel_api.compute.server_actions import begin
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_common.db import Cell
from keel_common.db.stores.nova import actions, servers, servers_found, servers_ports
from keel_common.domain.server.events import POWER_UPDATES, verdict
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

LOG = logging.getLogger(__name__)
_ACTIONS = {"POWER_ON": "start", "POWER_OFF": "stop"}


@handles("POST /os-server-external-events")
def create(req: Request) -> Response:
    req.must("os_compute_api:os-server-external-events:create", {})
    events = req.body["events"]
    found = _servers(req, {event["server_uuid"] for event in events})
    answers, accepted = [], []
    for event in events:
        server, _ = found.get(event["server_uuid"], (None, None))
        host = server["host"] if server else None
        code = verdict(event["name"], event.get("tag"), server is not None, host)
        answers.append({**event, "code": code, "status": "completed" if code == 200 else "failed"})
        if code == 200:
            accepted.append(event)
    _send(req, found, accepted)
    all_well = all(answer["code"] == 200 for answer in answers)
    return Response({"events": answers}, status=200 if all_well else 207)


def _servers(req: Request, uuids: set[str]) -> dict[str, tuple[dict[str, Any], Cell]]:
    """The servers that some cell has, in one statement for the cells and two in each of them."""
    cells = req.services.cells
    by_cell: dict[str, list[str]] = defaultdict(list)
    for uuid, cell_uuid in cells.api.read(servers_found.cells_of, uuids).items():
        if cell_uuid is not None:
            by_cell[cell_uuid].append(uuid)
    found = {}
    for cell_uuid, mine in by_cell.items():
        cell = cells.get(cell_uuid)
        for server in cell.db.read(servers.many, mine, begin.COLUMNS):
            found[server["uuid"]] = (server, cell)
    return found


def _send(req: Request, found: dict[str, tuple[dict[str, Any], Cell]], accepted: list[dict[str, Any]]) -> None:
    """Group the events by the hosts that must hear of them; both ends of a move do."""
    groups: dict[tuple[str, str], tuple[Cell, dict[str, dict[str, Any]], list[Any]]] = {}
    moving = _moving(found, accepted)
    for event in accepted:
        server, cell = found[event["server_uuid"]]
        if not _record(req, server, cell, event):
            continue
        made = wire.external_event(server["uuid"], event["name"], event.get("status", "completed"), event.get("tag"))
        for host in {server["host"], *moving.get(server["uuid"], ())}:
            _, instances, events = groups.setdefault((cell.uuid, host), (cell, {}, []))
            instances[server["uuid"]] = server
            events.append(made)
    for (_, host), (cell, instances, events) in groups.items():
        sent = [wire.instance(server) for server in instances.values()]
        req.services.rpc(COMPUTE, cell).send(
            req.context, "external_instance_event", server=host, instances=sent, events=events
        )


def _moving(found: dict[str, tuple[dict[str, Any], Cell]], accepted: list[dict[str, Any]]) -> dict[str, set[str]]:
    cells: dict[str, tuple[Cell, list[str]]] = {}
    for uuid in {event["server_uuid"] for event in accepted}:
        cell = found[uuid][1]
        cells.setdefault(cell.uuid, (cell, []))[1].append(uuid)
    moving: dict[str, set[str]] = {}
    for cell, uuids in cells.values():
        moving.update(cell.db.read(servers_ports.moving_hosts, uuids))
    return moving


def _record(req: Request, server: dict[str, Any], cell: Cell, event: dict[str, Any]) -> bool:
    """Start the instance action of events that are one; False for a power update nobody understands."""
    if event["name"] == "volume-extended":
        cell.db.run(actions.start, server["uuid"], begin.action_row(req, "extend_volume"))
    elif event["name"] == "power-update":
        if event.get("tag") not in POWER_UPDATES:
            LOG.warning("Power update %r of server %s is dropped: unknown", event.get("tag"), server["uuid"])
            return False
        cell.db.run(actions.start, server["uuid"], begin.action_row(req, _ACTIONS[event["tag"]]))
    return True

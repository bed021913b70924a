"""``servers/{id}/shares``, from 2.97: Manila's shared file systems at a server (nova 34.0.0 flows 19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_utils import uuidutils

from keel_api.compute.peers import refusing
from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.compute.shares.views import SHARE, SHARE_WITH_PLACE
from keel_api.http import Fault, Request, Response, View, handles
from keel_common.db import Cell
from keel_common.db.stores.nova import actions, shares
from keel_common.wire import server as wire
from keel_contract.errors import PeerTooOld
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:os-server-shares"
_PROTOCOLS = frozenset({"NFS", "CEPHFS"})
_CREATE_STATES = frozenset({"stopped"})
_DELETE_STATES = frozenset({"stopped", "error"})


@handles("GET /servers/{server_id}/shares")
def index(req: Request) -> dict[str, Any]:
    """The shares of a server; where they come from is shown for one alone, and to administrators."""
    server, cell = _server(req, "index")
    rows = cell.db.read(shares.of_server, server["uuid"]) if cell else []
    return {"shares": SHARE.render(req.version, (), rows)}


@handles("GET /servers/{server_id}/shares/{id}")
def show(req: Request) -> dict[str, Any]:
    """One share of a server."""
    server, cell = _server(req, "show")
    return {"share": _view(req).one(req.version, (), _attached(req, server, cell))}


@handles("POST /servers/{server_id}/shares")
def create(req: Request) -> Response:
    """Give a stopped server a share; its host then asks Manila for access."""
    server, cell = _server(req, "create")
    _must_be(server, _CREATE_STATES, "create share")
    if cell is None or not server["host"]:
        raise Fault(409, f"Instance {server['uuid']} is not ready")
    asked = req.body["share"]
    row = {
        "uuid": uuidutils.generate_uuid(),
        "instance_uuid": server["uuid"],
        "share_id": asked["share_id"],
        "status": "attaching",
        "tag": asked.get("tag") or asked["share_id"],
        **_place(req, asked["share_id"]),
    }
    made = cell.db.run(shares.create, row)
    if made is None:
        raise Fault(409, f"Share '{row['share_id']}' or tag '{row['tag']}' already associated to this server.")
    _send(req, server, cell, "allow_share", "attach_share", made)
    return Response({"share": _view(req).one(req.version, (), made)})


@handles("DELETE /servers/{server_id}/shares/{id}")
def delete(req: Request) -> None:
    """Take a share from a stopped server; its host then withdraws the access at Manila."""
    server, cell = _server(req, "delete")
    _must_be(server, _DELETE_STATES, "delete share")
    row = _attached(req, server, cell)
    assert cell is not None
    cell.db.run(shares.change, row["id"], {"status": "detaching"})
    _send(req, server, cell, "deny_share", "detach_share", {**row, "status": "detaching"})


def _server(req: Request, rule: str) -> tuple[dict[str, Any], Cell | None]:
    found = lookup.located(req, req.path["server_id"])
    req.must(f"{_RULE}:{rule}", {"project_id": found.project_id})
    return lookup.read_found(req, found, begin.COLUMNS)


def _view(req: Request) -> View:
    return SHARE_WITH_PLACE if req.context.is_admin else SHARE


def _must_be(server: Mapping[str, Any], states: frozenset[str], verb: str) -> None:
    if server["vm_state"] not in states:
        raise Fault(409, f"Cannot '{verb}' instance {server['uuid']} while it is in vm_state {server['vm_state']}")


def _attached(req: Request, server: Mapping[str, Any], cell: Cell | None) -> dict[str, Any]:
    key = req.path["id"]
    row = cell.db.read(shares.of_share, server["uuid"], key) if cell else None
    if row is None:
        raise Fault(404, f"Share {key} could not be found.")
    return row


def _place(req: Request, share_id: str) -> dict[str, Any]:
    """Where a share can be mounted from and how. 409 for one that cannot be used."""
    manila = req.services.clients.manila
    with refusing({400: 404, 403: 404, 404: 404}, f"Share {share_id} could not be found."):
        share = manila.show_share(share_id)
        locations = manila.export_locations(share_id)
    if share["status"] != "available":
        raise Fault(409, f"Share {share_id} is in '{share['status']}' instead of 'available' status.")
    if not locations:
        raise Fault(409, f"Share {share_id} export location is missing.")
    if share["share_proto"].upper() not in _PROTOCOLS:
        raise Fault(409, f"Share protocol {share['share_proto']} is not supported.")
    preferred = next((place for place in locations if place.get("preferred")), locations[0])
    return {"export_location": preferred["path"], "share_proto": share["share_proto"].upper()}


def _send(req: Request, server: dict[str, Any], cell: Cell, method: str, action: str, row: dict[str, Any]) -> None:
    cell.db.run(actions.start, server["uuid"], begin.action_row(req, action))
    client = req.services.rpc(COMPUTE, cell)
    try:
        client.send(req.context, method, instance=wire.instance(server), share_mapping=wire.share(row))
    except PeerTooOld:
        cell.db.run(shares.change, row["id"], {"status": "error"})
        raise Fault(403, "Feature not supported until computes have been upgraded to support shares.") from None

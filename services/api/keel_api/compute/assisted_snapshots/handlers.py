"""``os-assisted-volume-snapshots``: a volume driver asks the host of a server to snapshot its file (nova 34.0.0)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from keel_api.compute.hosts import in_cells
from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http import Fault, Request, handles
from keel_common.db import Cell
from keel_common.db.stores.nova import bdms
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_RULE = "os_compute_api:os-assisted-volume-snapshots"


@handles("POST /os-assisted-volume-snapshots")
def create(req: Request) -> dict[str, Any]:
    """Ask the server's host to snapshot a volume; it tells the volume service when it is done."""
    req.must(f"{_RULE}:create", {})
    asked = req.body["snapshot"]
    volume, info = asked["volume_id"], asked["create_info"]
    server, cell = _user_of(req, volume)
    _send(req, server, cell, "volume_snapshot_create", volume_id=volume, create_info=info)
    return {"snapshot": {"id": info.get("id"), "volumeId": volume}}


@handles("DELETE /os-assisted-volume-snapshots/{id}")
def delete(req: Request) -> None:
    """Ask the server's host to delete such a snapshot."""
    req.must(f"{_RULE}:delete", {})
    info = _delete_info(req)
    volume = info["volume_id"]
    server, cell = _user_of(req, volume)
    _send(req, server, cell, "volume_snapshot_delete", volume_id=volume, snapshot_id=req.path["id"], delete_info=info)


def _delete_info(req: Request) -> dict[str, Any]:
    try:
        info = orjson.loads(req.query.get("delete_info") or "")
    except orjson.JSONDecodeError as wrong:
        raise Fault(400, f"delete_info is not JSON: {wrong}") from None
    if not isinstance(info, dict) or not isinstance(info.get("volume_id"), str):
        raise Fault(400, "delete_info needs volume_id")
    return info


def _user_of(req: Request, volume: str) -> tuple[dict[str, Any], Cell]:
    """The one server that uses a volume, with its cell."""
    rows = [(cell, row) for cell, found in in_cells(req, bdms.of_volume, volume) for row in found]
    if not rows:
        raise Fault(400, f"No volume Block Device Mapping with id {volume}.")
    if len(rows) > 1:
        raise Fault(400, f"Block Device Mapping for volume {volume} is multi-attached and is not valid here.")
    cell, row = rows[0]
    try:
        server, _ = lookup.server_of(req, row["instance_uuid"], begin.COLUMNS, whose="anybodys")
    except Fault as fault:
        raise Fault(400, f"The server of volume {volume} is gone: {fault}") from None
    return server, cell


def _send(req: Request, server: Mapping[str, Any], cell: Cell, method: str, **args: Any) -> None:
    if not server["host"]:
        raise Fault(400, f"Instance {server['uuid']} is not ready")
    if server["task_state"] is not None or server["launched_at"] is None:
        state = f"task_state {server['task_state']}" if server["task_state"] else "state not launched"
        raise Fault(400, f"Instance {server['uuid']} in {state}. Cannot {method} while the instance is in this state.")
    req.services.rpc(COMPUTE, cell).send(req.context, method, instance=wire.instance(server), **args)

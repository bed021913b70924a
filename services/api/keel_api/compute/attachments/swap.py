"""PUT of another volume: the volume service moves a volume and has the host copy it (nova 34.0.0 flows 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.attachments import volume
from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db.stores.nova import bdms
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE


def swapped(req: Request, old_id: str, new_id: str) -> None:
    """Have the server's host copy one volume to another; 409 unless the volume service is migrating the old one."""
    server, cell = lookup.server_of(req, req.path["server_id"], begin.COLUMNS)
    old = volume.show(req, old_id)
    if not old.get("migration_status"):
        raise Fault(409, f"volume {old_id} is not migrating this api should only be called by Cinder")
    new = _new(req, new_id)
    guard = begin.check(req, server, "swap_volume", "swap_volume", cell)
    home = begin.in_cell(server, cell)
    _check(server, old, new)
    rows = home.db.read(bdms.of_volume, old_id, server["uuid"])
    if not rows:
        raise Fault(404, f"Instance {server['uuid']} is not attached to volume {old_id}")
    if not server["host"]:
        raise begin.not_ready(server["uuid"])
    cinder = req.services.clients.cinder
    with volume.leaving(req, old_id):
        try:
            attachment = cinder.create_attachment(req.context, new_id, server["uuid"])["id"]
        except (errors.BadRequest, errors.Conflict) as refused:
            raise Fault(400, f"Invalid volume: {refused.message}") from None
        try:
            begin.record(req, server, home, guard.actions[0])
            req.services.rpc(COMPUTE, home).send(
                req.context,
                "swap_volume",
                instance=wire.instance(server),
                old_volume_id=old_id,
                new_volume_id=new_id,
                new_attachment_id=attachment,
            )
        except Exception:
            cinder.delete_attachment(req.context, attachment)
            raise


def _new(req: Request, volume_id: str) -> dict[str, Any]:
    """The volume to copy to; 400 when there is none, where the old one would be 404."""
    try:
        return req.services.clients.cinder.show_volume(req.context, volume_id)
    except errors.NotFound:
        raise Fault(400, f"Volume {volume_id} could not be found.") from None


def _check(server: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """400 for volumes that cannot stand for each other."""
    users = {entry["server_id"] for entry in old.get("attachments") or ()}
    if server["uuid"] not in users:
        raise Fault(400, "Invalid volume: Old volume is attached to a different instance.")
    if new.get("attachments"):
        raise Fault(400, "Invalid volume: New volume must be detached in order to swap.")
    if int(new["size"]) < int(old["size"]):
        raise Fault(400, "Invalid volume: New volume must be the same size or larger.")
    if old.get("multiattach") and len(users) > 1:
        raise Fault(400, "Swapping multi-attach volumes with more than one read/write attachment is not supported.")

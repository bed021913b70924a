"""os-volume_attachments: list, show, attach, change, detach (nova 34.0.0 flows 11, microversions 2.20 to 2.101)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.attachments import swap, volume, without_host
from keel_api.compute.attachments.views import ATTACHED, ATTACHMENT
from keel_api.compute.server_actions import begin
from keel_api.compute.servers import lookup
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.paging import whole_number
from keel_api.http.plain import BARE
from keel_api.http.request import Request, Response
from keel_common.db import Cell
from keel_common.db.stores.nova import bdms
from keel_common.domain.server.block_devices import truth
from keel_common.domain.server.guards import invalid_state
from keel_common.wire import server as wire
from keel_contract.errors import RemoteFault
from keel_contract.nova.interfaces import COMPUTE_TASK

_RULE = "os_compute_api:os-volumes-attachments"
_OFFLOADED = "shelved_offloaded"
_SHELVED = ("shelved", _OFFLOADED)
_IMMUTABLE = {"id": "volume_id", "serverId": "instance_uuid", "device": "device_name", "tag": "tag"}
# recorded exception of the conductor or the host -> code of the API
_ATTACH_CODES = {
    "VolumeNotFound": 404,
    "DevicePathInUse": 409,
    "InstanceIsLocked": 409,
    "InstanceInvalidState": 409,
    "InvalidDevicePath": 400,
    "InvalidInput": 400,
    "InvalidVolume": 400,
    "MultiattachNotSupportedOldMicroversion": 400,
    "MultiattachToShelvedNotSupported": 400,
    "VolumeTaggedAttachNotSupported": 400,
    "TooManyDiskDevices": 403,
    "ServiceTooOld": 503,
}


@handles("GET /servers/{server_id}/os-volume_attachments")
def index(req: Request) -> dict[str, Any]:
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    req.must(f"{_RULE}:index", {"project_id": server["project_id"]})
    rows = cell.db.read(bdms.of_servers, [server["uuid"]]) if cell is not None else []
    limit = whole_number(req.query, "limit", 0) or req.services.conf.api.max_limit
    offset = whole_number(req.query, "offset", 0)
    shown = [row for row in rows[offset : offset + limit] if _is_attachment(req, row)]
    return {"volumeAttachments": ATTACHMENT.render(req.version, (), shown)}


@handles("GET /servers/{server_id}/os-volume_attachments/{id}")
def show(req: Request) -> dict[str, Any]:
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    req.must(f"{_RULE}:show", {"project_id": server["project_id"]})
    row = _attached(req, server, cell, req.path["id"])
    if not _is_attachment(req, row):
        raise _not_attached(server["uuid"], req.path["id"])
    return {"volumeAttachment": ATTACHMENT.one(req.version, (), row)}


@handles("POST /servers/{server_id}/os-volume_attachments")
def attach(req: Request) -> Response:
    asked = req.body["volumeAttachment"]
    server, cell = begin.server_for(req, req.path["server_id"], f"{_RULE}:create", ("project_id",))
    _check_shelved(req, server, "attach_volume")
    found = volume.show(req, asked["volumeId"])
    begin.check(req, server, "attach_volume", "attach_volume")
    home = begin.in_cell(server, cell)
    offloaded = server["vm_state"] == _OFFLOADED
    if offloaded:
        without_host.check(found, asked)
    volume.check_free(req, found)
    if home.db.read(bdms.of_volume, found["id"], server["uuid"]):
        raise Fault(400, f"Invalid volume: volume {found['id']} already attached")
    if offloaded:
        device = without_host.attach(req, server, home, found, asked)
    else:
        device = _send_attach(req, server, found, asked)
    if req.at_least(2, 101):
        return Response(headers={"Content-Type": BARE})
    row = {
        "volume_id": found["id"],
        "instance_uuid": server["uuid"],
        "device_name": device,
        "tag": asked.get("tag"),
        "delete_on_termination": truth(asked.get("delete_on_termination") or False),
    }
    return Response({"volumeAttachment": ATTACHED.one(req.version, (), row)})


def _send_attach(req: Request, server: dict[str, Any], found: dict[str, Any], asked: Mapping[str, Any]) -> str | None:
    """Hand the attachment to the conductor; waits for the device name below 2.101."""
    try:
        return req.services.rpc(COMPUTE_TASK).send(
            req.context,
            "attach_volume",
            how="cast" if req.at_least(2, 101) else "call",
            instance=wire.instance(server),
            volume=volume.as_sent(found),
            device=asked.get("device"),
            disk_bus=None,
            device_type=None,
            tag=asked.get("tag"),
            supports_multiattach=req.at_least(2, 60),
            delete_on_termination=truth(asked.get("delete_on_termination") or False),
        )
    except RemoteFault as fault:
        if fault.class_name not in _ATTACH_CODES:
            raise
        raise Fault(_ATTACH_CODES[fault.class_name], fault.message) from None


@handles("PUT /servers/{server_id}/os-volume_attachments/{id}")
def update(req: Request) -> None:
    asked = req.body["volumeAttachment"]
    server, cell = lookup.server_of(req, req.path["server_id"], ())
    same = asked["volumeId"] == req.path["id"]
    if req.at_least(2, 85) and same:
        req.must(f"{_RULE}:update", {"project_id": server["project_id"]})
    else:
        req.must(f"{_RULE}:swap", {})
    if req.at_least(2, 85):
        _change(req, server, cell, asked)
    if not same or not req.at_least(2, 85):
        swap.swapped(req, req.path["id"], asked["volumeId"])


def _change(req: Request, server: Mapping[str, Any], cell: Cell | None, asked: Mapping[str, Any]) -> None:
    """Set whether the volume goes with the server; nothing else of an attachment can be changed."""
    row = _attached(req, server, cell, req.path["id"])
    for name, column in _IMMUTABLE.items():
        if name in asked and asked[name] != row[column]:
            raise Fault(400, f"The {name} property of a volume attachment cannot be updated.")
    if "delete_on_termination" in asked and cell is not None:
        wanted = truth(asked["delete_on_termination"])
        cell.db.run(bdms.update, row["id"], {"delete_on_termination": wanted})


@handles("DELETE /servers/{server_id}/os-volume_attachments/{id}")
def detach(req: Request) -> None:
    server, cell = begin.server_for(req, req.path["server_id"], f"{_RULE}:delete", ("project_id",))
    _check_shelved(req, server, "detach_volume")
    volume.show(req, req.path["id"])
    row = _attached(req, server, cell, req.path["id"])
    if row["boot_index"] == 0 and server["vm_state"] != "shelved_offloaded":
        raise Fault(400, "Cannot detach a root device volume")
    begin.check(req, server, "detach_volume", "detach_volume")
    home = begin.in_cell(server, cell)
    if server["vm_state"] == _OFFLOADED:
        without_host.detach(req, server, home, row)
        return
    if not server["host"]:
        raise begin.not_ready(server["uuid"])
    volume.detach(req, server, home, row)


def _check_shelved(req: Request, server: Mapping[str, Any], verb: str) -> None:
    """409 for shelved servers below 2.20."""
    if not req.at_least(2, 20) and server["vm_state"] in _SHELVED:
        raise Fault(409, invalid_state(verb, server["uuid"], "vm_state", server["vm_state"]))


def _attached(req: Request, server: Mapping[str, Any], cell: Cell | None, volume_id: str) -> dict[str, Any]:
    rows = cell.db.read(bdms.of_volume, volume_id, server["uuid"]) if cell is not None else []
    if not rows:
        raise _not_attached(server["uuid"], volume_id)
    return rows[-1]


def _not_attached(uuid: str, volume_id: str) -> Fault:
    return Fault(404, f"Instance {uuid} is not attached to volume {volume_id}")


def _is_attachment(req: Request, row: Mapping[str, Any]) -> bool:
    """Whether a block device is shown: a volume, from 2.89 on one with an attachment id."""
    return bool(row["volume_id"]) and (bool(row["attachment_id"]) or not req.at_least(2, 89))

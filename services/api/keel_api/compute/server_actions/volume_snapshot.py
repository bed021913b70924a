"""createImage of a server that boots from a volume: the volume service snapshots, no host writes an image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from keel_api.compute.server_actions import begin, snapshot
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import actions
from keel_common.domain.server.block_devices import truth
from keel_common.wire import server as wire
from keel_contract.errors import RemoteFault
from keel_contract.nova.interfaces import COMPUTE

EVENT = "api_snapshot_instance"


def taken(
    req: Request,
    server: dict[str, Any],
    cell: Cell,
    devices: list[dict[str, Any]],
    name: str,
    metadata: Mapping[str, str],
) -> str:
    """Snapshot every volume of a server and describe them in a new image; the id of the image.

    The guest is quiesced around it when it can be. Source: nova 34.0.0 flow_traces snapshot_volume_backed.
    """
    devices = [device for device in devices if not device["no_device"]]
    _check_room(req, sum(1 for device in devices if device["volume_id"]))
    body = snapshot.described(req, server, name, metadata)
    with _quiesced(req, server, cell) as thaw:
        mappings = _snapshots(req, server, cell, devices, name)
        if thaw is not None:
            thaw(mappings)
    described = snapshot.with_mappings(body, mappings, server["root_device_name"])
    with snapshot.queued(req, described) as image_id:
        req.services.clients.glance.upload(req.context, image_id, b"")  # without data it would stay queued
    return image_id


def _check_room(req: Request, wanted: int) -> None:
    limits = req.services.clients.cinder.limits(req.context)
    most, used = limits.get("maxTotalSnapshots", -1), limits.get("totalSnapshotsUsed", 0)
    if 0 <= most < used + wanted:
        raise Fault(403, "Quota exceeded for resources: snapshots")


@contextmanager
def _quiesced(req: Request, server: dict[str, Any], cell: Cell) -> Iterator[Any]:
    """Hold the file systems of a running guest still; gives what lets go of them again, None when they are not held.

    An image that demands it (os_require_quiesce) turns a guest that cannot into 409.
    """
    compute, instance = req.services.rpc(COMPUTE, cell), wire.instance(server)
    held = False
    if server["vm_state"] == "active":
        try:
            compute.send(req.context, "quiesce_instance", instance=instance)
            held = True
        except RemoteFault as fault:
            if truth(server["system_metadata"].get("image_os_require_quiesce") or False):
                raise Fault(409, fault.message) from None
    thawed: list[bool] = []

    def thaw(mappings: list[dict[str, Any]]) -> None:
        thawed.append(True)
        compute.send(req.context, "unquiesce_instance", instance=instance, mapping=mappings)

    try:
        yield thaw if held else None
    finally:
        if held and not thawed:
            thaw([])


def _snapshots(
    req: Request, server: dict[str, Any], cell: Cell, devices: list[dict[str, Any]], name: str
) -> list[dict[str, Any]]:
    """The devices as the image describes them, a snapshot made of each volume; recorded as an event of the action."""
    uuid, request_id, host = server["uuid"], req.context.request_id, req.services.conf.host
    begin.record(req, server, cell, "createImage")
    cell.db.run(actions.start_event, uuid, request_id, EVENT, host)
    try:
        mappings = [snapshot.mapping_of(device, _snapshot(req, device, name)) for device in devices]
    except Exception as error:
        cell.db.run(actions.finish_event, uuid, request_id, EVENT, str(error))
        raise
    cell.db.run(actions.finish_event, uuid, request_id, EVENT)
    return mappings


def _snapshot(req: Request, device: Mapping[str, Any], name: str) -> str | None:
    if device["destination_type"] != "volume" or not device["volume_id"]:
        return None
    cinder = req.services.clients.cinder
    try:
        volume = cinder.show_volume(req.context, device["volume_id"])
        wish = {"volume_id": volume["id"], "force": True, "name": f"snapshot for {name}", "metadata": {}}
        return cinder.create_snapshot(req.context, {**wish, "description": volume.get("description")})["id"]
    except errors.OverQuota as refused:
        raise Fault(403, refused.message) from None
    except (errors.NotFound, errors.BadRequest, errors.Conflict) as refused:
        raise Fault(400, refused.message) from None

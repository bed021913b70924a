"""createImage and createBackup: an image is made in the image service, the host or the volume service fills it."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin, disks, snapshot, volume_snapshot
from keel_api.compute.servers import quota
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.plain import BARE
from keel_api.http.request import Request, Response
from keel_common.db import Cell
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE

_IMAGE = "os_compute_api:servers:create_image"
_QUOTA_UNTIL = (2, 39)


@handles("POST /servers/{id}/action #createImage")
def create_image(req: Request) -> Response:
    """Snapshot a server; one that boots from a volume by snapshots of its volumes."""
    asked = req.args
    name, metadata = _name(req, asked), asked.get("metadata") or {}
    _check_quota(req, metadata)
    server, cell = begin.server_for(req, req.path["id"], _IMAGE, ("project_id",))
    devices = disks.of(cell, server)
    if disks.is_volume_backed(server, devices):
        req.must(f"{_IMAGE}:allow_volume_backed", {"project_id": server["project_id"]})
        begin.check(req, server, "snapshot_volume_backed", "createImage", cell)
        home = begin.in_cell(server, cell)
        image_id = volume_snapshot.taken(req, server, home, devices, name, metadata)
    else:
        guard = begin.check(req, server, "snapshot", "createImage", cell)
        body = snapshot.body_of(req, server, name, "snapshot", metadata)
        image_id = _sent(req, server, cell, guard, body, "snapshot_instance")
    if req.at_least(2, 45):
        return Response({"image_id": image_id})
    return _bare(req.services.clients.glance.address(image_id))


@handles("POST /servers/{id}/action #createBackup")
def create_backup(req: Request) -> Response:
    """Snapshot a server into one of the last `rotation` images of a kind of backup; 400 when it boots from a volume."""
    asked = req.args
    metadata = asked.get("metadata") or {}
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:os-create-backup", ("project_id",))
    _check_quota(req, metadata)
    guard = begin.check(req, server, "backup", "createBackup", cell)
    if disks.is_volume_backed(server, disks.of(cell, server)):
        raise Fault(400, "Backup is not supported for volume-backed instances.")
    rotation, kind = int(asked["rotation"]), asked["backup_type"]
    body = snapshot.body_of(req, server, _name(req, asked), "backup", {**metadata, "backup_type": kind})
    more = {"backup_type": kind, "rotation": rotation}
    image_id = _sent(req, server, cell, guard, body, "backup_instance", **more)
    if req.at_least(2, 45):
        return Response({"image_id": image_id})
    links = req.links
    return _bare("/".join((links.root, links.endpoint, "images", image_id)) if rotation > 0 else None)


def _name(req: Request, asked: dict[str, Any]) -> str:
    return asked["name"].strip() if req.legacy else asked["name"].rstrip("\n")


def _check_quota(req: Request, metadata: dict[str, str]) -> None:
    """403 when the image would have more metadata than allowed; up to 2.38."""
    if metadata and req.version < _QUOTA_UNTIL and quota.limits(req).exceeded("metadata_items", len(metadata)):
        raise Fault(403, "Image metadata limit exceeded")


def _sent(
    req: Request, server: dict[str, Any], cell: Cell | None, guard: Any, body: dict[str, Any], method: str, **more: Any
) -> str:
    """Make the image, take the server, tell its host; without the last two the image goes again."""
    with snapshot.queued(req, body) as image_id:
        begun = begin.begin(req, server, cell, guard, guard.actions[0])
        with begin.reverting(cell, server, guard.sets):
            req.services.rpc(COMPUTE, cell).send(
                req.context, method, instance=wire.instance(begun), image_id=image_id, **more
            )
    return image_id


def _bare(location: str | None) -> Response:
    return Response(headers={"Content-Type": BARE, **({"Location": location} if location else {})})

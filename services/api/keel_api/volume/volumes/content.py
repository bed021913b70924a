"""Actions on the content of a volume: upload it, write an image or a snapshot over it, give it away (source: cinder
29.0.0 flows 7.3, 11, 12, 14)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, lookup, move_rpc
from keel_api.volume.answers import bare
from keel_api.volume.volumes import delete as deletion
from keel_api.volume.volumes import sources
from keel_common.clients import errors
from keel_common.db.stores.cinder import attachments, snapshots, transitions, types
from keel_common.domain.volume import sizes
from keel_common.domain.volume.states import TRANSITIONS

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
_ACTION = "POST /volumes/{id}/action #"


@handles(_ACTION + "os-unmanage")
def unmanage(req: Request) -> Response:
    """Forget a volume and leave its content on the backend: 202."""
    deletion.delete(req, req.path["id"], "volume_extension:volume_unmanage", unmanage=True)
    return bare()


@handles(_ACTION + "revert")
def revert(req: Request) -> Response:
    """Write the latest snapshot over its volume (3.40): 202."""
    wanted = req.args.get("snapshot_id")

    def work(conn: Any) -> tuple[Row, Row | None, Row]:
        row = lookup.volume(conn, req, req.path["id"], full=True)
        req.must("volume:revert_to_snapshot", lookup.target(row))
        cut = _latest(conn, row, wanted)
        # Both rows or none: cinder 29.0.0 leaves the volume `reverting` when its snapshot refuses.
        steps = (("revert", row["id"]), ("revert snapshot", cut["id"]))
        for transition, target in ((TRANSITIONS[name], target) for name, target in steps):
            if not transitions.apply(conn, transition, target):
                raise faults.refused_transition(
                    transition,
                    f"Can't revert volume {row['id']} to its latest snapshot {cut['id']}: both must be "
                    f"available, they are {row['status']} and {cut['status']}",
                )
        return {**row, "status": "reverting"}, types.get(conn, row["volume_type_id"]), {**cut, "status": "restoring"}

    row, type_row, cut = req.services.db.run(work)
    move_rpc.revert(req, row, type_row, cut)
    return Response()


def _latest(conn: Any, row: Row, wanted: str | None) -> Row:
    found = snapshots.of_volume(conn, row["id"])
    if not found:
        raise Fault(400, f"Volume {row['id']} doesn't have any snapshots.")
    if found[0]["id"] != wanted:
        raise Fault(400, f"Specified snapshot {wanted} is None or not the latest one of volume {row['id']}.")
    if found[0]["volume_size"] != row["size"]:
        raise Fault(400, f"Can't revert volume {row['id']} to {wanted}: its size is not that of the snapshot.")
    return snapshots.show(conn, found[0]["id"]) or found[0]


@handles(_ACTION + "os-reimage")
def reimage(req: Request) -> Response:
    """Write an image over a volume (3.68): 202. A reserved volume needs `reimage_reserved`."""
    reserved = str(req.args.get("reimage_reserved", False)).lower() in ("true", "1", "on", "yes", "y", "t")
    image = _image(req, req.args["image_id"])
    row, type_row, cut = req.services.db.run(_begin_reimage, req, image, reserved)
    try:
        move_rpc.reimage(req, row, type_row, image, cut)
    except Exception:
        LOG.exception("Reimage of volume %s could not be handed to its backend", row["id"])
        undone = {"status": row["previous_status"]}
        req.services.db.run(transitions.apply, TRANSITIONS["reimage undone"], row["id"], undone)
        raise
    return Response()


def _image(req: Request, image_id: str) -> Row:
    try:
        return req.services.clients.glance.show(req.context, image_id)
    except errors.NotFound:
        raise faults.not_found("Image", image_id) from None
    except (errors.Forbidden, errors.BadRequest) as refused:
        raise Fault(refused.status, str(refused)) from None


def _begin_reimage(conn: Any, req: Request, image: Row, reserved: bool) -> tuple[Row, Row | None, Row | None]:
    row = lookup.volume(conn, req, req.path["id"], full=True)
    reserved_now = row["status"] == "reserved"
    req.must("volume:reimage_reserved" if reserved_now else "volume:reimage", lookup.target(row))
    snapshot_id = sources.snapshot_of_server_image(req, image)
    cut = lookup.snapshot(conn, req, snapshot_id) if snapshot_id else None
    if cut is not None and cut["volume_size"] > row["size"]:
        raise faults.invalid_input(f"snapshot {snapshot_id} of the image is larger than the volume")
    if len(attachments.of_volume(conn, row["id"])) > 1:
        raise Fault(409, f"Cannot re-image volume {row['id']}: it has more than one attachment.")
    reason = sizes.image_refusal(image, row["size"])
    if reason:
        raise faults.invalid_input(reason)
    transition = TRANSITIONS["reimage reserved" if reserved else "reimage"].from_seen(row)
    if not row["host"] or not transitions.apply(conn, transition, row["id"], {"previous_status": row["status"]}):
        allowed = " or ".join(TRANSITIONS[transition.name].expected["status"])
        raise faults.refused_transition(
            transition, f"Volume {row['id']} status must be {allowed}, but current status is {row['status']}."
        )
    row.update({"previous_status": row["status"], "status": "downloading"})
    return row, types.get(conn, row["volume_type_id"]), cut

"""The volume service's side of attaching and detaching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from keel_api.compute.server_actions import begin, host
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import actions
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE


def show(req: Request, volume_id: str) -> dict[str, Any]:
    """The volume as the volume service shows it to the caller; 404 when it does not."""
    try:
        return req.services.clients.cinder.show_volume(req.context, volume_id)
    except errors.NotFound:
        raise Fault(404, f"Volume {volume_id} could not be found.") from None


def check_free(req: Request, found: Mapping[str, Any]) -> None:
    """400 for a volume that needs a later microversion, or is in use."""
    if found.get("multiattach") and not req.at_least(2, 60):
        raise Fault(400, "Multiattach volumes are only supported starting with compute API version 2.60.")
    if found["status"] != "available" and not (found.get("multiattach") and found["status"] == "in-use"):
        raise Fault(
            400,
            f"Invalid volume: volume '{found['id']}' status must be 'available'. Currently in '{found['status']}'",
        )


def as_sent(found: Mapping[str, Any]) -> dict[str, Any]:
    """The volume as messages to the conductor carry it (nova 34.0.0 attach_volume)."""
    attachments = found.get("attachments") or []
    sent = {
        "id": found["id"],
        "status": found["status"],
        "size": found["size"],
        "availability_zone": found.get("availability_zone"),
        "created_at": found.get("created_at"),
        "attach_time": "",
        "mountpoint": "",
        "attach_status": "attached" if attachments else "detached",
        "multiattach": bool(found.get("multiattach")),
        "bootable": str(found.get("bootable", "")).lower() == "true",
        "display_name": found.get("name"),
        "display_description": found.get("description"),
        "volume_type_id": found.get("volume_type"),
        "snapshot_id": found.get("snapshot_id"),
        "volume_metadata": dict(found.get("metadata") or {}),
        "migration_status": found.get("migration_status"),
        "shared_targets": found.get("shared_targets", True),
        "service_uuid": found.get("service_uuid"),
    }
    if attachments:
        sent["attachments"] = {
            entry["server_id"]: {"attachment_id": entry.get("attachment_id"), "mountpoint": entry.get("device")}
            for entry in attachments
        }
    if found.get("volume_image_metadata"):
        sent["volume_image_metadata"] = dict(found["volume_image_metadata"])
    return sent


def detach(req: Request, server: dict[str, Any], cell: Cell, row: Mapping[str, Any]) -> None:
    """Mark the volume as leaving and tell the host; 409 when the host is down, 400 when the volume is not in use.

    When the host cannot be told, the volume is in use again.
    """
    if not host.is_up(req, cell, server["host"]):
        raise Fault(409, f"Service of host {server['host']} is unavailable at this time.")
    with leaving(req, row["volume_id"]):
        cell.db.run(actions.start, server["uuid"], begin.action_row(req, "detach_volume"))
        req.services.rpc(COMPUTE, cell).send(
            req.context,
            "detach_volume",
            instance=wire.instance(server),
            volume_id=row["volume_id"],
            attachment_id=row["attachment_id"],
        )


@contextmanager
def leaving(req: Request, volume_id: str) -> Iterator[None]:
    """Around what makes a volume leave a server: it is detaching, and in use again when the body fails.

    400 when the volume service does not let it go.
    """
    cinder = req.services.clients.cinder
    try:
        cinder.begin_detaching(req.context, volume_id)
    except (errors.BadRequest, errors.Conflict) as refused:
        raise Fault(400, f"Invalid volume: {refused.message}") from None
    except errors.NotFound:
        raise Fault(404, f"Volume {volume_id} could not be found.") from None
    try:
        yield
    except Exception:
        cinder.roll_detaching(req.context, volume_id)
        raise

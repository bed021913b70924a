"""The messages the volume API sends to change what a volume is or where it lies (source: cinder 29.0.0 rpc_client)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keel_api.http.request import Request
from keel_common.domain.volume import hosts
from keel_common.wire import cinder as wire
from keel_contract.cinder.interfaces import SCHEDULER, VOLUME

Row = Mapping[str, Any]


def retype(
    req: Request, row: Row, old: Row | None, new: Row, policy: str, reservations: Sequence[str], old_ones: Sequence[str]
) -> None:
    """Cast: find out whether the volume may stay where it is with its new type, and change it there or elsewhere."""
    spec = {
        **wire.extend_spec(row, old),
        "volume_type": wire.plain_type(new, with_projects=True),
        "migration_policy": policy,
        "quota_reservations": list(reservations),
        "old_reservations": list(old_ones),
        "availability_zones": [row["availability_zone"]] if row["availability_zone"] else [],
    }
    _scheduler(req, "retype", volume=_volume(row, old), request_spec=spec, filter_properties={})


def migrate(req: Request, row: Row, type_row: Row | None, backend: str, force_copy: bool) -> None:
    """Cast: see whether a backend takes the volume, then move it there."""
    _scheduler(
        req,
        "migrate_volume",
        volume=_volume(row, type_row),
        backend=backend,
        force_copy=force_copy,
        request_spec=wire.extend_spec(row, type_row),
        filter_properties=None,
    )


def migrate_completion(
    req: Request, row: Row, type_row: Row | None, new: Row, new_type: Row | None, error: bool
) -> str:
    """Call: the server has changed over to the new volume (or has not); the id that stays."""
    volume, other = _volume(row, type_row), _volume(new, new_type)
    return _backend(req, row, "migrate_volume_completion", volume=volume, new_volume=other, error=error)


def extend_completion(
    req: Request, row: Row, type_row: Row | None, new_size: int, reservations: Sequence[str], error: bool
) -> None:
    """Cast: the server has finished its part of an extension."""
    volume, held = _volume(row, type_row), list(reservations)
    _backend(req, row, "extend_volume_completion", volume=volume, new_size=new_size, reservations=held, error=error)


def upload(req: Request, row: Row, image: Mapping[str, Any]) -> None:
    """Cast: write the content of a volume into an image."""
    _backend(req, row, "copy_volume_to_image", volume_id=row["id"], image_meta=dict(image))


def reimage(req: Request, row: Row, type_row: Row | None, image: Mapping[str, Any], snapshot: Row | None) -> None:
    """Cast: write an image (or the snapshot behind it) over a volume."""
    cut = wire.snapshot(snapshot) if snapshot else None
    _backend(req, row, "reimage", volume=_volume(row, type_row), image_meta=dict(image), image_snap=cut)


def revert(req: Request, row: Row, type_row: Row | None, snapshot: Row) -> None:
    """Cast: write a snapshot over its volume."""
    _backend(req, row, "revert_to_snapshot", volume=_volume(row, type_row), snapshot=wire.snapshot(snapshot))


def manage(req: Request, row: Row, type_row: Row, ref: Any) -> None:
    """Cast: see whether the backend fits the type, then take what lies there over as this volume."""
    spec = {**wire.extend_spec(row, type_row), "volume": _volume(row, type_row).to_primitive(), "ref": ref}
    _scheduler(req, "manage_existing", volume=_volume(row, type_row), request_spec=spec, filter_properties=None)


def manage_snapshot(req: Request, row: Row, type_row: Row | None, snapshot: Row, ref: Any) -> None:
    """Cast: take a snapshot that lies on the backend of a volume over as this snapshot."""
    _scheduler(
        req,
        "manage_existing_snapshot",
        volume=_volume(row, type_row),
        snapshot=wire.snapshot(snapshot),
        ref=ref,
        request_spec=wire.snapshot_spec(snapshot["id"], row["size"]),
        filter_properties=None,
    )


def manageable(req: Request, what: str, backend: str, page: Mapping[str, Any]) -> Any:
    """Call: what lies on a backend. `what`: volumes or snapshots; `page`: marker, limit, offset, sort keys and dirs."""
    method = f"get_manageable_{what}"
    client = req.services.rpc(VOLUME)
    return client.send(req.context, method, server=hosts.backend_of(backend), want_objects=True, **page)


def _scheduler(req: Request, method: str, /, **args: Any) -> None:
    req.services.rpc(SCHEDULER).send(req.context, method, **args)


def _backend(req: Request, row: Row, method: str, /, **args: Any) -> Any:
    return req.services.rpc(VOLUME).send(req.context, method, server=hosts.destination(row), **args)


def _volume(row: Row, type_row: Row | None) -> Any:
    return wire.volume(row, type_row, row.get("attachments", ()))

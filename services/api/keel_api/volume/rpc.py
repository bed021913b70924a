"""The messages the volume API sends (source: cinder 29.0.0 rpc_client). Objects are built here, from rows, and
nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keel_api.http.request import Request
from keel_common.domain.volume import hosts
from keel_common.wire import cinder as wire
from keel_contract.cinder.interfaces import SCHEDULER, VOLUME

Row = Mapping[str, Any]


def create_volume(req: Request, row: Row, spec: Any, image_id: str | None, hints: Mapping[str, Any] | None) -> None:
    """Cast: find a backend for a new volume."""
    req.services.rpc(SCHEDULER).send(
        req.context,
        "create_volume",
        volume=spec.volume,
        snapshot_id=row["snapshot_id"],
        image_id=image_id,
        request_spec=spec,
        filter_properties={"scheduler_hints": dict(hints)} if hints else {},
        backup_id=spec.backup_id,
    )


def delete_volume(req: Request, row: Row, type_row: Row | None, cascade: bool, unmanage_only: bool = False) -> None:
    """Cast: delete a volume (and its snapshots) on its backend, or forget it and leave it there."""
    req.services.rpc(VOLUME).send(
        req.context,
        "delete_volume",
        server=hosts.destination(row),
        volume=_volume(row, type_row),
        unmanage_only=unmanage_only,
        cascade=cascade,
    )


def extend_volume(req: Request, row: Row, type_row: Row | None, new_size: int, reservations: Sequence[str]) -> None:
    """Cast: see whether the backend has room, then grow the volume to `new_size` GiB."""
    req.services.rpc(SCHEDULER).send(
        req.context,
        "extend_volume",
        volume=_volume({**row, "glance_metadata": row["image_metadata"]}, type_row),
        new_size=new_size,
        reservations=list(reservations),
        request_spec=wire.extend_spec(row, type_row),
        filter_properties=None,
    )


def create_snapshot(req: Request, row: Row, type_row: Row | None, snapshot: Row) -> None:
    """Cast: see whether the backend has room, then take the snapshot."""
    req.services.rpc(SCHEDULER).send(
        req.context,
        "create_snapshot",
        volume=_volume(row, type_row),
        snapshot=wire.snapshot(snapshot),
        backend=row["cluster_name"] or row["host"],
        request_spec=wire.snapshot_spec(snapshot["id"], row["size"]),
        filter_properties=None,
    )


def delete_snapshot(req: Request, volume: Row, snapshot: Row, unmanage_only: bool = False) -> None:
    """Cast: delete a snapshot on the backend of its volume, or forget it and leave it there."""
    server = hosts.destination(volume)
    req.services.rpc(VOLUME).send(
        req.context, "delete_snapshot", server=server, snapshot=wire.snapshot(snapshot), unmanage_only=unmanage_only
    )


def attach_volume(req: Request, row: Row, type_row: Row | None, asked: Mapping[str, Any]) -> None:
    """Call: record an attachment (old API). `asked`: instance_uuid, host_name, mountpoint, mode."""
    req.services.rpc(VOLUME).send(
        req.context,
        "attach_volume",
        server=hosts.destination(row),
        volume_id=row["id"],
        instance_uuid=asked.get("instance_uuid"),
        host_name=asked.get("host_name"),
        mountpoint=asked["mountpoint"],
        mode=asked.get("mode", "rw"),
        volume=_volume(row, type_row),
    )


def detach_volume(req: Request, row: Row, type_row: Row | None, attachment_id: str | None) -> None:
    """Call: take an attachment away (old API)."""
    req.services.rpc(VOLUME).send(
        req.context,
        "detach_volume",
        server=hosts.destination(row),
        volume_id=row["id"],
        attachment_id=attachment_id,
        volume=_volume(row, type_row),
    )


def initialize_connection(req: Request, row: Row, type_row: Row | None, connector: Any) -> dict[str, Any]:
    """Call: export a volume for a connector (old API); what the connector needs to reach it."""
    server = hosts.destination(row)
    volume = _volume(row, type_row)
    return req.services.rpc(VOLUME).send(
        req.context, "initialize_connection", server=server, connector=connector, volume=volume
    )


def terminate_connection(req: Request, row: Row, connector: Any, force: bool = False) -> None:
    """Call: end the export for a connector (old API)."""
    req.services.rpc(VOLUME).send(
        req.context,
        "terminate_connection",
        server=hosts.destination(row),
        volume_id=row["id"],
        connector=connector,
        force=force,
    )


def attachment_update(
    req: Request, row: Row, type_row: Row | None, connector: Mapping[str, Any], attachment_id: str
) -> dict[str, Any]:
    """Call: export a volume for an attachment; the connection_info to store."""
    return req.services.rpc(VOLUME).send(
        req.context,
        "attachment_update",
        server=hosts.destination(row),
        vref=_volume(row, type_row),
        connector=dict(connector),
        attachment_id=attachment_id,
    )


def attachment_delete(req: Request, row: Row, type_row: Row | None, attachment_id: str) -> None:
    """Call: end the export for an attachment."""
    server = hosts.destination(row)
    volume = _volume(row, type_row)
    req.services.rpc(VOLUME).send(
        req.context, "attachment_delete", server=server, attachment_id=attachment_id, vref=volume
    )


def accept_transfer(req: Request, row: Row, no_snapshots: bool) -> None:
    """Call: tell the backend that a volume (and its snapshots) belongs to the caller from now on."""
    req.services.rpc(VOLUME).send(
        req.context,
        "accept_transfer",
        server=hosts.destination(row),
        volume_id=row["id"],
        new_user=req.context.user_id,
        new_project=req.context.project_id,
        no_snapshots=no_snapshots,
    )


def get_pools(req: Request, filters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Call: what the scheduler knows of every pool."""
    return req.services.rpc(SCHEDULER).send(req.context, "get_pools", filters=dict(filters) if filters else None)


def get_capabilities(req: Request, backend: str) -> dict[str, Any]:
    """Call: what a backend says it can do."""
    return req.services.rpc(VOLUME).send(req.context, "get_capabilities", server=backend, discover=False)


def _volume(row: Row, type_row: Row | None) -> Any:
    return wire.volume(row, type_row, row.get("attachments", ()))

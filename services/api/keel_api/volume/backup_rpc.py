"""The messages the volume API sends about backups (source: cinder 29.0.0 rpc_client)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keel_api.http.request import Request
from keel_common.wire.backup import backup
from keel_contract.cinder.interfaces import BACKUP, SCHEDULER

Row = Mapping[str, Any]


def create(req: Request, row: Row) -> None:
    """Cast: find a backup service and make the backup there."""
    req.services.rpc(SCHEDULER).send(req.context, "create_backup", backup=backup(row))


def restore(req: Request, row: Row, volume_id: str, is_new: bool) -> None:
    """Cast: write the backup into a volume."""
    req.services.rpc(BACKUP).send(
        req.context,
        "restore_backup",
        server=row["host"],
        backup=backup(row),
        volume_id=volume_id,
        volume_is_new=is_new,
    )


def delete(req: Request, row: Row) -> None:
    """Cast: delete the backup from its store."""
    req.services.rpc(BACKUP).send(req.context, "delete_backup", server=row["host"], backup=backup(row))


def can_force_delete(req: Request, host: str) -> bool:
    """Call: whether the store can delete a backup that is being made."""
    return bool(req.services.rpc(BACKUP).send(req.context, "check_support_to_force_delete", server=host))


def reset_status(req: Request, row: Row, status: str) -> None:
    """Cast: write the status."""
    req.services.rpc(BACKUP).send(req.context, "reset_status", server=row["host"], backup=backup(row), status=status)


def export_record(req: Request, row: Row) -> dict[str, Any]:
    """Call: backup_service and backup_url of the record."""
    return req.services.rpc(BACKUP).send(req.context, "export_record", server=row["host"], backup=backup(row))


def import_record(req: Request, row: Row, service: str, url: str, hosts: Sequence[str]) -> None:
    """Cast: fill the row from the record at the first host, or, when its store is another, at the next one."""
    req.services.rpc(BACKUP).send(
        req.context,
        "import_record",
        server=hosts[0],
        backup=backup(row),
        backup_service=service,
        backup_url=url,
        backup_hosts=list(hosts[1:]),
    )

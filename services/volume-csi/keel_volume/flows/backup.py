"""Make a backup: the volume (or a snapshot of it) read out of the cluster in one stream, what is new of it stored.

Phases: the row names service and place - chunks in the store - index and metadata, with which it is there - the row.
Each can be taken again: chunks that are there are not sent twice (cinder 29.0.0 flows 8.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as volume_rows
from keel_common.db.stores.cinder import backend_backups as rows
from keel_common.db.stores.cinder import backups
from keel_common.kube import KubeError
from keel_volume.backup import format
from keel_volume.backup.copying import store_stream
from keel_volume.backup.format import Backup, Damaged
from keel_volume.backup.service import Cancelled, Service, purpose
from keel_volume.backup.store import Missing, StoreError
from keel_volume.csi import naming, streams
from keel_volume.flows.refusals import Refused

LOG = log.getLogger(__name__)
Row = Mapping[str, Any]

#: Directory of backups whose request and configuration name none.
_CONTAINER = "volumebackups"
#: volume_id of a row that is filled from a record (cinder 29.0.0 flows 8.3).
NO_VOLUME = "00000000-0000-0000-0000-000000000000"


def advance(service: Service, row: Row) -> None:
    """Take a creating backup to its end. Left alone when the process is to stop; the next one goes on."""
    try:
        if not service.counts(row):
            raise Refused("it was tried often enough", retry=False)
        _make(service, dict(row))
    except Cancelled:
        LOG.info("backup %s is not wanted any more", row["id"])
        service.backend.db.run(rows.release_source, row, "error_backing-up")
    except (Refused, Damaged, Missing, ValueError) as refusal:
        fail(service, row, str(refusal))
    except (StoreError, streams.Interrupted, KubeError) as problem:
        LOG.warning("backup %s begins again: %s", row["id"], problem)
        service.backend.transfers.pause(1.0)
    else:
        service.forget(row)


def _make(service: Service, row: dict[str, Any]) -> None:
    db = service.backend.db
    volume = db.read(volume_rows.volume, row["volume_id"])
    snapshot = db.read(volume_rows.snapshot, row["snapshot_id"]) if row["snapshot_id"] else None
    if volume is None:
        raise Refused("its volume is gone", retry=False)
    claim = _source(row, volume, snapshot)
    where = _begin(service, row)
    parent = _parent(service, row)
    made = _copy(service, row, claim, snapshot, where, parent)
    facts = {
        "backup_id": row["id"],
        "volume_id": row["volume_id"],
        "snapshot_id": row["snapshot_id"],
        "parent_id": row["parent_id"],
        "created_at": row["created_at"].isoformat(),
        "compression": service.backend.conf.backup_compression_algorithm,
        "volume": db.read(rows.volume_facts, volume),
    }
    chunk_size = parent.chunk_size if parent else service.backend.conf.csi.backup_chunk_size << 20
    format.save(service.store, Backup(where, made.size, chunk_size, made.owners, made.index, facts))
    values = {"size": row["size"], "object_count": made.objects, "service_metadata": where}
    if not db.run(rows.made, row, values):
        raise Cancelled(row["id"])
    LOG.info(
        "backup %s of volume %s is available: %s bytes, %s of %s chunks stored in %s bytes",
        row["id"],
        row["volume_id"],
        made.size,
        made.objects,
        len(made.index),
        made.bytes,
    )


def _source(row: Row, volume: Row, snapshot: Row | None) -> str:
    """The claim to read. Raises Refused when what is to be backed up is not held for it."""
    held = snapshot if row["snapshot_id"] else volume
    if held is None or held["status"] != "backing-up":
        status = held["status"] if held else "gone"
        raise Refused(f"its source must be backing-up, but is {status}", retry=False)
    if volume["encryption_key_id"]:
        raise Refused("volumes whose key Cinder keeps are not backed up here", retry=False)
    return naming.claim(volume)


def _begin(service: Service, row: dict[str, Any]) -> str:
    """Write down whose the backup is and where it lies; the place."""
    container = row["container"] or service.backend.conf.backup_container or _CONTAINER
    where = format.prefix(container, row["volume_id"], row["id"])
    values = {
        "service": service.store.name,
        "availability_zone": row["availability_zone"] or service.zone,
        "container": container,
        "service_metadata": where,
    }
    if not service.backend.db.run(rows.begun, row["id"], values):
        raise Cancelled(row["id"])
    row.update(values)
    return where


def _parent(service: Service, row: Row) -> Backup | None:
    if not row["parent_id"]:
        return None
    parent = service.backend.db.read(backups.get, row["parent_id"])
    if parent is None or parent["service"] != service.store.name or not parent["service_metadata"]:
        raise Refused("the backup it builds on is not in this store", retry=False)
    found = format.load(service.store, parent["service_metadata"])
    if len(found.owners) >= format.MAX_OWNERS:
        raise Refused("the chain of backups it builds on is too long: make a full one", retry=False)
    return found


def _copy(service: Service, row: Row, claim: str, snapshot: Row | None, where: str, parent: Backup | None) -> Any:
    conf, cut = service.backend.conf, naming.snapshot(snapshot) if snapshot else None
    with streams.reading(service.backend, claim, purpose(row), snapshot=cut) as stream:
        return store_stream(
            service.store,
            where,
            stream,
            parent.chunk_size if parent else conf.csi.backup_chunk_size << 20,
            conf.backup_compression_algorithm,
            parent,
            service.guard(row),
        )


def fail(service: Service, row: Row, reason: str) -> None:
    """creating -> error with the reason; what was stored goes."""
    LOG.error("backup %s was not made: %s", row["id"], reason)
    service.forget(row)
    discard(service, row)
    if service.backend.db.run(rows.failed, row, reason):
        service.tell_user(row, "BACKUP_CREATE", "BACKUP_CREATE_DRIVER_ERROR")


def discard(service: Service, row: Row) -> None:
    """Take away what was stored of an unfinished backup; what stays for now goes when it is deleted."""
    now = service.backend.db.read(backups.get, row["id"]) or row
    if now["service"] != service.store.name or not now["service_metadata"]:
        return
    try:
        service.store.remove(now["service_metadata"])
    except StoreError as problem:
        LOG.warning("what was stored of backup %s goes when it is deleted: %s", row["id"], problem)

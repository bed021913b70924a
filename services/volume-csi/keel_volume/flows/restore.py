"""Write a backup into a volume.

Its bytes go into a new claim: that of a volume which has none yet, or one that takes the place of the volume's own when
all of it is written - so that a restore which fails leaves the volume's data as they were.

Phases: the claim filled, every chunk compared with its digest - both rows - the replaced claim gone (cinder 29.0.0
flows 8.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as volume_rows
from keel_common.db.stores.cinder import backend_backups as rows
from keel_common.domain.volume.backup_states import FILLED
from keel_common.kube import DATAVOLUME, PVC, KubeError
from keel_volume.backup import format
from keel_volume.backup.copying import TooSmall, restore_stream
from keel_volume.backup.format import Backup, Damaged
from keel_volume.backup.service import Cancelled, Service, purpose
from keel_volume.backup.store import Missing, StoreError
from keel_volume.csi import holdings, naming, streams
from keel_volume.flows import stand_in
from keel_volume.flows.refusals import Refused

LOG = log.getLogger(__name__)
Row = Mapping[str, Any]


def advance(service: Service, row: Row) -> None:
    """Take a restoring backup to its end. Left alone when the process is to stop; the next one goes on."""
    volume = service.backend.db.read(volume_rows.volume, row["restore_volume_id"] or "")
    try:
        if not service.counts(row):
            raise Refused("it was tried often enough", retry=False)
        if volume is None or volume["status"] not in FILLED:
            status = volume["status"] if volume else "gone"
            raise Refused(f"the volume must be restoring-backup, but is {status}", retry=False)
        _restore(service, row, volume)
    except Cancelled:
        LOG.info("backup %s is not to be restored any more", row["id"])
        service.backend.db.run(rows.restore_cancelled, row)
        _drop(service, volume)
    except (Refused, Damaged, Missing, TooSmall, ValueError) as refusal:
        _fail(service, row, volume, str(refusal))
    except (StoreError, streams.Interrupted, KubeError) as problem:
        LOG.warning("the restore of backup %s begins again: %s", row["id"], problem)
        service.backend.transfers.pause(1.0)
    else:
        service.forget(row)


def _restore(service: Service, row: Row, volume: Row) -> None:
    backend, name = service.backend, _target(volume)
    backup = _open(service, row)
    if not _is_there(service, row, name):
        notes = {stand_in.PURPOSE: _mark(row)}
        if name != naming.claim(volume):
            notes[holdings.REPLACES] = naming.claim(volume)
        with streams.writing(backend, name, volume, purpose(row), notes) as sink:
            restore_stream(service.store, backup, sink, service.guard(row))
    replaced = None if name == naming.claim(volume) else name
    facts = backup.facts.get("volume") or {}
    if not backend.db.run(rows.restored, row, volume, replaced, facts):
        raise Cancelled(row["id"])
    LOG.info("backup %s is restored to volume %s, claim %s", row["id"], volume["id"], name)
    _settle(service, volume, "available")


def _target(volume: Row) -> str:
    """The claim to fill: the volume's own while it has none, else one in its stead."""
    return naming.claim(volume) if volume["status"] == "creating" else naming.next_claim(volume)


def _mark(row: Row) -> str:
    return f"restore {row['id']}"


def _is_there(service: Service, row: Row, name: str) -> bool:
    """Whether an earlier try has filled the claim with this backup to the end."""
    backend = service.backend
    found = [backend.kube.find(kind, name, backend.namespace) for kind in (DATAVOLUME, PVC)]
    ours = any(holdings.note(item, stand_in.PURPOSE) == _mark(row) for item in found)
    return ours and streams.is_written(backend, name)


def _open(service: Service, row: Row) -> Backup:
    """Raises Refused for a backup of another store."""
    if row["service"] != service.store.name or not row["service_metadata"]:
        raise Refused(f"the backup is of {row['service']}, this service has {service.store.name}", retry=False)
    return format.load(service.store, row["service_metadata"])


def _fail(service: Service, row: Row, volume: Row | None, reason: str) -> None:
    LOG.error("backup %s was not restored: %s", row["id"], reason)
    service.forget(row)
    if service.backend.db.run(rows.restore_failed, row):
        service.tell_user(row, "BACKUP_RESTORE", "BACKUP_RESTORE_ERROR")
    _drop(service, volume)


def _drop(service: Service, volume: Row | None) -> None:
    """Take away what was written for nothing; what stays is found by the volume service."""
    if volume is None:
        return
    try:
        if volume["status"] == "creating":
            holdings.remove(service.backend, [naming.claim(volume)])
        else:
            _settle(service, volume, "error_restoring")
    except KubeError as problem:
        LOG.warning("what was written for volume %s goes later: %s", volume["id"], problem)


def _settle(service: Service, volume: Row, status: str) -> None:
    """The claim that lost its place goes, or the one that never got it; the volume service does what is left."""
    now = service.backend.db.read(volume_rows.volume, volume["id"])
    if now is None:
        return
    try:
        stand_in.settle(service.backend, {**now, "status": status})
    except KubeError as problem:
        LOG.warning("the claim that volume %s had goes later: %s", volume["id"], problem)

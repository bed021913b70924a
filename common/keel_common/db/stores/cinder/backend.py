"""Rows as the volume service reads and finishes them; each function is one transaction's work.

Every ending is guarded (domain.volume.backend_states): True means that this caller made the change, False that
the row had moved on and nothing was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import metadata, placement, quotas, transitions, workers
from keel_common.db.stores.cinder.rows import TABLES, alive, bury, first, now
from keel_common.domain.volume import quotas as rules
from keel_common.domain.volume.backend_states import BACKEND_TRANSITIONS, OWNED_SNAPSHOT, OWNED_VOLUME

#: A request writes its rows within this time.
_INSTANT = timedelta(seconds=2)

#: Side tables that go with a volume (cinder 29.0.0 soft_delete).
_DEPENDENTS = ("volume_metadata", "volume_admin_metadata", "volume_glance_metadata", "volume_attachment")


def volume(conn: sa.Connection, volume_id: str) -> dict[str, Any] | None:
    """A living volume row, or None; with the name of its type as ``type_name`` and the type's ``encryption_id``, and
    with what names the claim or the snapshot it is made of: ``source_location``, ``source_name_id`` and
    ``snapshot_location``."""
    table, kinds, secret = TABLES["volumes"], TABLES["volume_types"], TABLES["encryption"]
    source, cut = TABLES["volumes"].alias("source"), TABLES["snapshots"]
    joined = table.outerjoin(kinds, kinds.c.id == table.c.volume_type_id)
    joined = joined.outerjoin(secret, sa.and_(secret.c.volume_type_id == kinds.c.id, alive(secret)))
    joined = joined.outerjoin(source, source.c.id == table.c.source_volid)
    joined = joined.outerjoin(cut, cut.c.id == table.c.snapshot_id)
    query = (
        sa.select(
            table,
            kinds.c.name.label("type_name"),
            secret.c.encryption_id,
            source.c.provider_location.label("source_location"),
            source.c["_name_id"].label("source_name_id"),
            cut.c.provider_location.label("snapshot_location"),
        )
        .select_from(joined)
        .where(table.c.id == volume_id, alive(table))
    )
    return first(conn, query)


def snapshot(conn: sa.Connection, snapshot_id: str) -> dict[str, Any] | None:
    """A living snapshot row, or None; with ``type_name`` and its volume's ``host``, ``volume_location`` and
    ``volume_name_id``."""
    table, volumes, kinds = TABLES["snapshots"], TABLES["volumes"], TABLES["volume_types"]
    query = (
        sa.select(
            table,
            volumes.c.host,
            kinds.c.name.label("type_name"),
            volumes.c.provider_location.label("volume_location"),
            volumes.c["_name_id"].label("volume_name_id"),
        )
        .select_from(
            table.join(volumes, volumes.c.id == table.c.volume_id).outerjoin(
                kinds, kinds.c.id == table.c.volume_type_id
            )
        )
        .where(table.c.id == snapshot_id, alive(table))
    )
    return first(conn, query)


def unfinished(conn: sa.Connection, backend: str) -> tuple[Iterable[str], Iterable[str]]:
    """Ids of the volumes and of the snapshots of a backend (host@backend) that are in a status we must end."""
    volumes, snapshots = TABLES["volumes"], TABLES["snapshots"]
    here = volumes.c.host.startswith(f"{backend}#", autoescape=True)
    ours = sa.select(volumes.c.id).where(here, alive(volumes), volumes.c.status.in_(OWNED_VOLUME))
    cuts = (
        sa.select(snapshots.c.id)
        .select_from(snapshots.join(volumes, volumes.c.id == snapshots.c.volume_id))
        .where(here, alive(snapshots), snapshots.c.status.in_(OWNED_SNAPSHOT))
    )
    return [row[0] for row in conn.execute(ours)], [row[0] for row in conn.execute(cuts)]


def snapshots_of(conn: sa.Connection, volume_id: str) -> list[dict[str, Any]]:
    """The living snapshots of a volume, each as :func:`snapshot` gives it."""
    table = TABLES["snapshots"]
    ids = conn.execute(sa.select(table.c.id).where(table.c.volume_id == volume_id, alive(table))).scalars().all()
    return [row for row in (snapshot(conn, snapshot_id) for snapshot_id in ids) if row is not None]


def is_being_copied(conn: sa.Connection, volume_id: str) -> bool:
    """Whether a clone of the volume is being made on its backend."""
    return _is_source(conn, TABLES["volumes"].c.source_volid == volume_id)


def is_being_restored(conn: sa.Connection, snapshot_id: str) -> bool:
    """Whether a volume is being made from the snapshot."""
    return _is_source(conn, TABLES["volumes"].c.snapshot_id == snapshot_id)


def _is_source(conn: sa.Connection, condition: sa.ColumnElement[bool]) -> bool:
    """Copies without a host count not: nobody makes them yet, and they may never find one."""
    table = TABLES["volumes"]
    copying = (condition, table.c.status == "creating", table.c.host.is_not(None), alive(table))
    return conn.execute(sa.select(table.c.id).where(*copying).limit(1)).first() is not None


def deleted_among(conn: sa.Connection, name: str, ids: Iterable[str]) -> set[str]:
    """Those of these ids whose row in `volumes` or `snapshots` is deleted."""
    table, wanted = TABLES[name], sorted(ids)
    found: set[str] = set()
    for start in range(0, len(wanted), 500):
        chosen = table.c.id.in_(wanted[start : start + 500])
        found.update(conn.execute(sa.select(table.c.id).where(chosen, ~alive(table))).scalars())
    return found


def servers_of(conn: sa.Connection, volume_id: str) -> list[str]:
    """Uuids of the servers that hold a volume."""
    table = TABLES["volume_attachment"]
    query = sa.select(table.c.instance_uuid).where(table.c.volume_id == volume_id, alive(table))
    return [server for (server,) in conn.execute(query) if server]


def allocated(conn: sa.Connection, backend: str) -> dict[str, int]:
    """GiB of living volumes by host (host@backend#pool) of one backend."""
    table = TABLES["volumes"]
    query = (
        sa.select(table.c.host, sa.func.sum(table.c.size))
        .where(table.c.host.startswith(f"{backend}#", autoescape=True), alive(table))
        .group_by(table.c.host)
    )
    return {host: int(size or 0) for host, size in conn.execute(query)}


def created(conn: sa.Connection, volume_id: str, image: Mapping[str, Any] | None) -> bool:
    """creating -> available; with the image's facts the volume is bootable and remembers them.

    The volume names its service, and no lock among its guests is needed: each claim is a target of its own
    (nova-compute takes a lock of the service's uuid before it connects a volume with shared targets).
    """
    values: dict[str, Any] = {
        "launched_at": now(),
        "service_uuid": _service_uuid(conn, volume_id),
        "shared_targets": False,
    }
    if image is not None:
        values["bootable"] = True
    if not transitions.apply(conn, BACKEND_TRANSITIONS["created"], volume_id, values):
        return False
    if image:
        metadata.merge(conn, metadata.IMAGE, volume_id, {key: str(value) for key, value in image.items()})
    workers.remove(conn, "Volume", volume_id)
    return True


def _service_uuid(conn: sa.Connection, volume_id: str) -> str | None:
    """The uuid of the volume service that serves a volume's backend."""
    volumes, services = TABLES["volumes"], TABLES["services"]
    host = conn.execute(sa.select(volumes.c.host).where(volumes.c.id == volume_id)).scalar()
    serving = (services.c.host == (host or "").partition("#")[0], services.c.binary == "cinder-volume")
    return conn.execute(sa.select(services.c.uuid).where(*serving, alive(services))).scalar()


def create_failed(conn: sa.Connection, volume_id: str) -> bool:
    """creating -> error; its quota stays taken until it is deleted (as recorded)."""
    if not transitions.apply(conn, BACKEND_TRANSITIONS["create failed"], volume_id):
        return False
    workers.remove(conn, "Volume", volume_id)
    return True


def create_rescheduled(conn: sa.Connection, volume_id: str) -> bool:
    """Give a volume that this backend refused back to the scheduler."""
    return transitions.apply(conn, BACKEND_TRANSITIONS["create rescheduled"], volume_id)


def copy_image_facts(conn: sa.Connection, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Image facts that a clone or a volume from a snapshot inherits, None when its source is not bootable."""
    if row["snapshot_id"]:
        found = metadata.read(conn, metadata.SNAPSHOT_IMAGE, [row["snapshot_id"]])[row["snapshot_id"]]
        source = sa.select(TABLES["snapshots"].c.volume_id).where(TABLES["snapshots"].c.id == row["snapshot_id"])
    elif row["source_volid"]:
        found = metadata.read(conn, metadata.IMAGE, [row["source_volid"]])[row["source_volid"]]
        source = sa.select(sa.literal(row["source_volid"]))
    else:
        return None
    table = TABLES["volumes"]
    bootable = conn.execute(sa.select(table.c.bootable).where(table.c.id == source.scalar_subquery())).scalar()
    return dict(found) if bootable else None


def deleted(conn: sa.Connection, settings: quotas.Settings, row: Mapping[str, Any]) -> bool:
    """deleting -> deleted: the row, what hangs on it and its quota go in one transaction."""
    values = {"deleted": True, "deleted_at": now(), "updated_at": row["updated_at"]}
    if not transitions.apply(conn, BACKEND_TRANSITIONS["deleted"], row["id"], values):
        return False
    for name in _DEPENDENTS:
        bury(conn, TABLES[name], [TABLES[name].c.volume_id == row["id"]])
    bury(conn, TABLES["snapshots"], [TABLES["snapshots"].c.volume_id == row["id"]])
    workers.remove(conn, "Volume", row["id"])
    if row["use_quota"]:
        deltas = rules.delete_volume(row["size"], row["type_name"])
        quotas.give_back(conn, settings, row["project_id"], deltas)
    return True


def delete_failed(conn: sa.Connection, volume_id: str) -> bool:
    """deleting -> error_deleting."""
    workers.remove(conn, "Volume", volume_id)
    return transitions.apply(conn, BACKEND_TRANSITIONS["delete failed"], volume_id)


def extended(conn: sa.Connection, row: Mapping[str, Any], size: int, reservations: Iterable[str]) -> bool:
    """extending -> in-use or available (by its attachments) with the new size (GiB), quota committed."""
    values = {"status": placement.status_by_attachments(), "size": size}
    if not transitions.apply(conn, BACKEND_TRANSITIONS["extended"], row["id"], values):
        return False
    quotas.commit(conn, reservations)
    return True


def extension_lost(conn: sa.Connection, row: Mapping[str, Any]) -> bool:
    """extending -> the status before, for a request that never arrived.

    The message alone knew the reservations: when no other volume of the project is growing, what was promised to the
    project in the moment of the request is given back; otherwise it expires.
    """
    if not placement.extension_refused(conn, row["id"], []):
        return False
    volumes, held = TABLES["volumes"], TABLES["reservations"]
    growing = (volumes.c.project_id == row["project_id"], volumes.c.status == "extending", alive(volumes))
    if row["updated_at"] and conn.execute(sa.select(volumes.c.id).where(*growing).limit(1)).first() is None:
        moment = held.c.created_at.between(row["updated_at"] - _INSTANT, row["updated_at"] + _INSTANT)
        mine = (held.c.project_id == row["project_id"], held.c.delta > 0, moment, alive(held))
        quotas.rollback(conn, conn.execute(sa.select(held.c.uuid).where(*mine)).scalars().all())
    return True


def extend_failed(conn: sa.Connection, volume_id: str, reservations: Iterable[str]) -> bool:
    """extending -> error_extending, quota given back."""
    if not transitions.apply(conn, BACKEND_TRANSITIONS["extend failed"], volume_id):
        return False
    quotas.rollback(conn, reservations)
    return True


def snapshot_created(conn: sa.Connection, row: Mapping[str, Any]) -> bool:
    """creating -> available; image facts of a bootable volume are copied to the snapshot."""
    if not transitions.apply(conn, BACKEND_TRANSITIONS["snapshot created"], row["id"]):
        return False
    facts = metadata.read(conn, metadata.IMAGE, [row["volume_id"]])[row["volume_id"]]
    if facts:
        metadata.add(conn, metadata.SNAPSHOT_IMAGE, row["id"], facts)
    workers.remove(conn, "Snapshot", row["id"])
    return True


def snapshot_failed(conn: sa.Connection, snapshot_id: str) -> bool:
    """creating -> error."""
    workers.remove(conn, "Snapshot", snapshot_id)
    return transitions.apply(conn, BACKEND_TRANSITIONS["snapshot failed"], snapshot_id)


def snapshot_deleted(conn: sa.Connection, settings: quotas.Settings, row: Mapping[str, Any]) -> bool:
    """deleting -> deleted with its metadata and quota, in one transaction."""
    values = {"deleted": True, "deleted_at": now(), "updated_at": row["updated_at"]}
    if not transitions.apply(conn, BACKEND_TRANSITIONS["snapshot deleted"], row["id"], values):
        return False
    for name in ("snapshot_metadata", "volume_glance_metadata"):
        bury(conn, TABLES[name], [TABLES[name].c.snapshot_id == row["id"]])
    workers.remove(conn, "Snapshot", row["id"])
    if row["use_quota"]:
        deltas = rules.delete_snapshot(row["volume_size"], row["type_name"], settings.snapshot_sizes_count)
        quotas.give_back(conn, settings, row["project_id"], deltas)
    return True


def snapshot_delete_failed(conn: sa.Connection, snapshot_id: str) -> bool:
    """deleting -> error_deleting."""
    return transitions.apply(conn, BACKEND_TRANSITIONS["snapshot delete failed"], snapshot_id)

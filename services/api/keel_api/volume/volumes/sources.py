"""Where the content of a new volume comes from: nothing, an image, a snapshot, another volume."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_api.volume import faults, lookup
from keel_api.volume.volumes.wish import Wish, is_uuid
from keel_common.clients import errors
from keel_common.db.stores.cinder import backups, encryptions, groups, services, types, volumes
from keel_common.domain.volume import encryption, hosts
from keel_common.domain.volume.states import SOURCE_STATES


@dataclass(frozen=True)
class Source:
    """What the new volume takes over. `host`: `host@backend#pool` its source lies on."""

    size: int | None = None
    type_id: str | None = None
    zone: str | None = None
    bootable: bool = False
    host: str | None = None
    snapshot_id: str | None = None
    volume_id: str | None = None
    backup_id: str | None = None
    encrypted: bool = False


def image(req: Request, wish: Wish) -> dict[str, Any] | None:
    """The image of imageRef, or None. An id (the last part of a URL counts) or, failing that, a name.

    Raises 400 when there is none, 409 when several have the name; failures of the image service are 500 as recorded.
    """
    if wish.image is None:
        return None
    name = wish.image.rstrip("/").rpartition("/")[2]
    glance = req.services.clients.glance
    try:
        if is_uuid(name):
            return glance.show(req.context, name)
        found = glance.list(req.context, name=wish.image)
    except (errors.NotFound, errors.BadRequest):
        raise Fault(400, f"Invalid image identifier or unable to access requested image: {wish.image}") from None
    except errors.Forbidden:
        raise Fault(400, f"Invalid image identifier or unable to access requested image: {wish.image}") from None
    if len(found) > 1:
        raise Fault(409, f"Multiple matches found for '{wish.image}', use an ID to be more specific.")
    if not found:
        raise Fault(400, f"Invalid image identifier or unable to access requested image: {wish.image}")
    return found[0]


def load(conn: Any, req: Request, wish: Wish, found: Mapping[str, Any] | None) -> Source:
    """The source of the wish, looked up and in a state that allows it. Raises 404 and 400."""
    snapshot_id = wish.snapshot_id or (snapshot_of_server_image(req, found) if found else None)
    if snapshot_id is not None:
        return _of_snapshot(conn, req, snapshot_id)
    if wish.volume_id is not None:
        return _of_volume(conn, req, wish.volume_id)
    if wish.backup_id is not None:
        return _of_backup(conn, req, wish.backup_id)
    return Source()


def group(conn: Any, req: Request, wish: Wish) -> dict[str, Any] | None:
    """The group the volume is made in, or None. Raises 404, and 400 for a state or a type that does not fit."""
    if wish.group_id is None:
        return None
    row = groups.get(conn, wish.group_id, lookup.scope(req))
    if row is None:
        raise faults.not_found("Group", wish.group_id)
    req.must("group:get", lookup.target(row))
    if wish.type is None:
        raise faults.invalid_input("volume_type must be provided when creating a volume in a group.")
    found = types.get_by_id_or_name(conn, wish.type, lookup.scope(req))
    if found is not None and found["id"] not in row["volume_type_ids"]:
        raise faults.invalid_input(f"volume_type {found['id']} is not supported by group {row['id']}.")
    if row["status"] not in SOURCE_STATES["group"]:
        raise faults.invalid("InvalidGroup", f"its status is {row['status']}, it must be available or creating")
    return row


def backend(req: Request, source: Source, in_group: Mapping[str, Any] | None = None) -> str | None:
    """`host@backend#pool` (of a group: `host@backend`) the new volume has to land on, or None when the scheduler is
    free."""
    if in_group is not None and (in_group["cluster_name"] or in_group["host"]):
        return hosts.destination(in_group)
    if source.snapshot_id is not None and not req.services.conf.snapshot_same_host:
        return None
    return source.host


def check_type(conn: Any, source: Source, type_row: Mapping[str, Any]) -> None:
    """Refuse a type that cannot hold the source, or whose encryption cannot be kept."""
    if source.encrypted:
        raise faults.invalid_input("its source is encrypted with a key, and there is no key manager")
    reason = encryption.refusal(encryptions.get(conn, type_row["id"]), type_row["extra_specs"])
    if reason:
        raise faults.invalid_input(reason)
    if source.type_id is None or source.type_id == type_row["id"]:
        return
    theirs = types.get(conn, source.type_id)
    mine = type_row["extra_specs"].get("volume_backend_name")
    if theirs is not None and theirs["extra_specs"].get("volume_backend_name") == mine:
        return
    rows = services.listing(conn, "cinder-volume")
    if len([row for row in rows if row["disabled"]]) != 1:
        raise faults.invalid_input("the volume type lies on another backend than the type of the source")


def _of_snapshot(conn: Any, req: Request, snapshot_id: str) -> Source:
    row = lookup.snapshot(conn, req, snapshot_id)
    if row["status"] not in SOURCE_STATES["snapshot"]:
        raise faults.invalid_snapshot(f"its status is {row['status']}, it must be {SOURCE_STATES['snapshot'][0]}")
    origin = volumes.get(conn, row["volume_id"])
    if origin is None:
        raise faults.not_found("Volume", row["volume_id"])
    return Source(
        size=row["volume_size"],
        type_id=row["volume_type_id"],
        zone=origin["availability_zone"],
        bootable=bool(origin["bootable"]),
        host=origin["cluster_name"] or origin["host"],
        snapshot_id=row["id"],
        encrypted=row["encryption_key_id"] is not None,
    )


def _of_volume(conn: Any, req: Request, volume_id: str) -> Source:
    row = lookup.volume(conn, req, volume_id)
    if row["status"] not in SOURCE_STATES["volume"]:
        raise faults.invalid_volume(f"its status is {row['status']}, it must be available or in-use")
    return Source(
        size=row["size"],
        type_id=row["volume_type_id"],
        zone=row["availability_zone"],
        bootable=bool(row["bootable"]),
        host=row["cluster_name"] or row["host"],
        volume_id=row["id"],
        encrypted=row["encryption_key_id"] is not None,
    )


def _of_backup(conn: Any, req: Request, backup_id: str) -> Source:
    row = backups.get(conn, backup_id, lookup.scope(req))
    if row is None:
        raise faults.not_found("Backup", backup_id)
    req.must("backup:get", lookup.target(row))
    if row["status"] not in SOURCE_STATES["backup"]:
        raise faults.invalid("InvalidBackup", f"its status is {row['status']}, it must be available")
    return Source(size=row["size"], backup_id=row["id"], encrypted=row["encryption_key_id"] is not None)


def snapshot_of_server_image(req: Request, found: Mapping[str, Any]) -> str | None:
    """Snapshot behind an image that Nova made of a server with a volume as its root (3.46 and above)."""
    if not req.at_least(3, 46) or not found.get("block_device_mapping"):
        return None
    devices = found["block_device_mapping"]
    devices = json.loads(devices) if isinstance(devices, str) else devices
    roots = [one for one in devices if one.get("boot_index") == 0 and one.get("source_type") == "snapshot"]
    return roots[0].get("snapshot_id") if roots else None

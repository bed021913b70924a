"""Creation of a volume: what is asked, where it comes from, quota and row in one transaction, then the cast.

Source: cinder 29.0.0 create flow. Every check stands before the first write.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, lookup, rpc, settings
from keel_api.volume.volumes import sources, views
from keel_api.volume.volumes.sources import Source
from keel_api.volume.volumes.wish import Wish, read_wish
from keel_common.db.stores.cinder import quotas, types, volumes, workers
from keel_common.db.stores.cinder.group_types import CONSISTENCY_TYPE
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume import sizes, zones
from keel_common.wire import cinder as wire

LOG = logging.getLogger(__name__)
_MULTIATTACH = "<is> True"
Row = dict[str, Any]


@dataclass(frozen=True)
class Made:
    """A new volume as it was written, and what its message needs beside the row."""

    row: Row
    type_row: Row
    zones: Sequence[str]
    reservations: Sequence[str]
    projects: Sequence[str]
    qos_specs: dict[str, str] | None
    backend: str | None
    backup_id: str | None


@handles("POST /volumes")
def create(req: Request) -> Row:
    """A volume in `creating`, told to the scheduler: 202."""
    wish = read_wish(req)
    shown = {**make(req, wish, sources.image(req, wish)), "attachments": [], "image_metadata": {}}
    return {"volume": views.render(req, views.DETAIL, [shown])[0]}


def make(req: Request, wish: Wish, image: Row | None = None) -> Row:
    """Write a volume and hand it to the scheduler; its row with `volume_type_name`. Raises what POST /volumes
    answers."""
    req.must("volume:create_from_image" if image else "volume:create")
    req.must("volume:create")
    known = req.services.zones.known(wish.zone)
    try:
        made = req.services.db.run(record, req, wish, image, known)
    except quota_rules.OverQuota as error:
        raise faults.over_quota(error, "volumes", wish.size or 0) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        rpc.create_volume(req, made.row, _spec(made, image), image["id"] if image else None, wish.hints)
    except Exception:
        LOG.exception("Volume %s could not be handed to the scheduler", made.row["id"])
        req.services.db.run(_give_up, made.row["id"])
        raise
    return {**made.row, "volume_type_name": made.type_row["name"]}


def _spec(made: Made, image: Row | None) -> Any:
    return wire.create_spec(
        made.row,
        made.type_row,
        zones=made.zones,
        reservations=made.reservations,
        projects=made.projects,
        image_id=image["id"] if image else None,
        backup_id=made.backup_id,
        qos_specs=made.qos_specs,
        resource_backend=made.backend,
    )


def record(conn: Any, req: Request, wish: Wish, image: Row | None, known: list[str]) -> Made:
    """Everything that reads or writes the database; may run again as a whole."""
    source = sources.load(conn, req, wish, image)
    group = sources.group(conn, req, wish)
    type_row = _type(conn, req, wish, source, image)
    size = _size(wish, source, image)
    reason = sizes.type_refusal(size, type_row["extra_specs"])
    if reason:
        raise faults.invalid_input(reason)
    multiattach = type_row["extra_specs"].get("multiattach") == _MULTIATTACH
    if multiattach:
        req.must("volume:multiattach")
    sources.check_type(conn, source, type_row)
    places = _zones(req, wish, source, type_row, known, group)
    reservations = _take_quota(conn, req, size, type_row["name"])
    values = {
        **_owner_and_words(req, wish),
        "size": size,
        "snapshot_id": source.snapshot_id,
        "source_volid": source.volume_id,
        "group_id": group["id"] if group else None,
        "volume_type_id": type_row["id"],
        "availability_zone": places[0] if len(places) == 1 else None,
        "bootable": source.bootable,
        "multiattach": multiattach,
    }
    row = volumes.create(conn, values, wish.metadata)
    workers.create(conn, "Volume", row["id"], "creating", fresh=True)
    return Made(
        row={**row, "is_consistency_group": group is not None and group["group_type_name"] == CONSISTENCY_TYPE},
        type_row=type_row,
        zones=places,
        reservations=reservations,
        projects=[] if type_row["is_public"] else types.projects(conn, type_row["id"]),
        qos_specs=types.qos_specs(conn, type_row["qos_specs_id"]) if type_row["qos_specs_id"] else None,
        backend=sources.backend(req, source, group),
        backup_id=source.backup_id,
    )


def _owner_and_words(req: Request, wish: Wish) -> Row:
    return {
        "user_id": req.context.user_id,
        "project_id": req.context.project_id,
        "status": "creating",
        "attach_status": "detached",
        "display_name": wish.name,
        "display_description": wish.description,
        "shared_targets": True,
    }


def _type(conn: Any, req: Request, wish: Wish, source: Source, image: dict[str, Any] | None) -> dict[str, Any]:
    """The type: the one asked for, else that of the source, of the image, of the project, of the configuration."""
    if wish.type is not None:
        found = types.get_by_id_or_name(conn, wish.type, lookup.scope(req))
        if found is None:
            raise faults.not_found("Volume type", wish.type)
        return found
    if source.type_id is not None:
        found = types.get(conn, source.type_id)
        if found is not None:
            return found
    name = (image or {}).get("cinder_img_volume_type")
    if name:
        found = types.get_by_id_or_name(conn, name, lookup.scope(req))
        if found is not None:
            return found
    default = req.services.conf.default_volume_type
    found = types.default_for(conn, req.context.project_id, default)
    if found is None:
        raise Fault(500, f"The request cannot be fulfilled as the default volume type {default} cannot be found.")
    return found


def _size(wish: Wish, source: Source, image: dict[str, Any] | None) -> int:
    size = wish.size if wish.size is not None else source.size
    if size is None or size <= 0:
        raise faults.invalid_input(f"Volume size '{size}' must be an integer and greater than 0")
    if source.size is not None and size < source.size:
        raise faults.invalid_input(
            f"Volume size '{size}'GB cannot be smaller than the size {source.size}GB of its source."
        )
    reason = sizes.image_refusal(image, size) if image else None
    if reason:
        raise faults.invalid_input(reason)
    return size


def _zones(req: Request, wish: Wish, source: Source, type_row: Row, known: list[str], group: Row | None) -> list[str]:
    conf = req.services.conf
    try:
        return zones.choose(
            wish.zone,
            source.zone,
            group["availability_zone"] if group else None,
            zones.zones_of_type(type_row["extra_specs"]),
            known,
            default=conf.default_availability_zone,
            storage_default=conf.storage_availability_zone,
            fallback=conf.allow_availability_zone_fallback,
            same_as_source=conf.cloned_volume_same_az,
        )
    except zones.ZoneRefused as refused:
        raise faults.invalid_input(str(refused)) from None


def _take_quota(conn: Any, req: Request, size: int, type_name: str) -> list[str]:
    """Take the quota of the volume for good: its row is written in the same transaction."""
    options, project = settings.quotas(req), req.context.project_id
    deltas = quota_rules.create_volume(size, type_name)
    limits = quotas.limits(conn, options, project, [*deltas, "per_volume_gigabytes"], req.context.quota_class)
    single = limits.pop("per_volume_gigabytes")
    if 0 <= single < size:
        raise faults.size_above_limit(size, single)
    return quotas.take(conn, options, project, deltas, limits)


def _give_up(conn: Any, volume_id: str) -> None:
    """Nobody will work on this volume: it is in error, and keeps its quota until it is deleted, as failed ones do."""
    volumes.restore_status(conn, volume_id, "creating", "error")
    workers.remove(conn, "Volume", volume_id)

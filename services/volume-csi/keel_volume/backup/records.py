"""The record of a backup: what another deployment with the same store needs to know of it (cinder 29.0.0 flows 8.3)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from keel_volume.backup import format
from keel_volume.backup.store import Store, checked

#: Columns that go along; the others are this deployment's own.
_COLUMNS = (
    "id",
    "volume_id",
    "snapshot_id",
    "parent_id",
    "size",
    "container",
    "object_count",
    "display_name",
    "display_description",
    "data_timestamp",
    "created_at",
    "service_metadata",
)


class BadRecord(ValueError):
    """A record that does not name a backup of this store."""


def dump(row: Mapping[str, Any], store: Store) -> dict[str, str]:
    """``backup_service`` and ``backup_url`` (base64 of JSON) of an available backup. Raises what format.load raises."""
    found = format.load(store, row["service_metadata"])
    body = {name: row[name] for name in _COLUMNS}
    body["driver_info"] = {"format": format.FORMAT, "version": format.VERSION, "bytes": found.size}
    return {"backup_service": store.name, "backup_url": base64.b64encode(orjson.dumps(body)).decode()}


def read(text: str, store: Store, backup_id: str) -> dict[str, Any]:
    """Columns of the row that a record fills. Raises BadRecord, and what format.load raises: the backup is opened."""
    try:
        body = orjson.loads(base64.b64decode(text, validate=True))
        values = {name: body[name] for name in _COLUMNS if name not in ("id", "created_at")}
        where = checked(values["service_metadata"])
        values["data_timestamp"] = datetime.fromisoformat(values["data_timestamp"]).replace(tzinfo=None)
        named = body["id"]
    except (ValueError, KeyError, TypeError) as problem:
        raise BadRecord(f"the record cannot be read: {problem}") from problem
    found = format.load(store, where)
    if named != backup_id or found.id != backup_id:
        raise BadRecord(f"the record is of backup {named}, the store has {found.id} there")
    return values

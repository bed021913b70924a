"""Rows of backups as the objects their messages carry (source: cinder 29.0.0 wire examples)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from keel_contract.cinder import objects

Row = Mapping[str, Any]


def backup(row: Row) -> Any:
    """A Backup with its metadata and without its parent. `row`: stores.cinder.backups.show or create."""
    values = {name: _aware(row[name]) for name in objects.Backup.fields if name in row}
    values["metadata"] = dict(row["metadata"])
    made = objects.Backup(**values)
    made.obj_reset_changes()
    return made


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value

"""Rows as objects for answers on the bus."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from keel_contract.cinder import objects


def attachment(row: Mapping[str, Any]) -> Any:
    """A VolumeAttachment of a row; times get their zone, JSON columns become dicts."""
    values: dict[str, Any] = {}
    for name in objects.VolumeAttachment.fields:
        if name not in row:
            continue
        value = row[name]
        if name in ("connector", "connection_info"):
            value = orjson.loads(value) if value else {}
        elif isinstance(value, datetime):
            value = value.replace(tzinfo=UTC)
        values[name] = value
    found = objects.VolumeAttachment(**values)
    found.reset_changes()
    return found

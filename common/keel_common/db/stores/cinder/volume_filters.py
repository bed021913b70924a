"""Conditions of the volume list that are more than a column and a value."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from keel_common.db.stores.cinder import listing
from keel_common.db.stores.cinder.rows import TABLES, alive
from keel_common.domain.volume import hosts
from keel_common.domain.volume.lists import ListRefused

_OPERATORS = {
    "gt": lambda column, value: column > value,
    "gte": lambda column, value: column >= value,
    "eq": lambda column, value: column == value,
    "neq": lambda column, value: column != value,
    "lt": lambda column, value: column < value,
    "lte": lambda column, value: column <= value,
}


def conditions(filters: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
    """Conditions on `volumes`.

    `metadata`: every pair stands in the user's or the administrator's metadata; `glance_metadata`: every pair in the
    image
    metadata; `host`: a host names its backends too, a backend its pools; `created_at`, `updated_at`:
    `op:time[,op:time]`,
    any of them; the rest: columns. Raises NothingMatches for what is no column and ListRefused for a bad time.
    """
    volumes = TABLES["volumes"]
    result: list[sa.ColumnElement[bool]] = []
    plain: dict[str, Any] = {}
    for key, value in filters.items():
        if key == "metadata":
            result.extend(_pairs(value, ("volume_metadata", "volume_admin_metadata")))
        elif key == "glance_metadata":
            result.extend(_pairs(value, ("volume_glance_metadata",)))
        elif key == "host" and isinstance(value, str):
            result.append(on_host(volumes.c.host, value))
        elif key in ("created_at", "updated_at"):
            result.append(_times(volumes.c[key], str(value)))
        else:
            plain[key] = value
    return result + listing.conditions(volumes, plain)


def on_host(column: sa.ColumnElement, name: str) -> sa.ColumnElement[bool]:
    """Condition: the host column lies on this host, backend or pool."""
    exact, prefixes = hosts.level_patterns(name)
    return sa.or_(column == exact, *(column.startswith(prefix, autoescape=True) for prefix in prefixes))


def _pairs(wanted: Any, tables: tuple[str, ...]) -> list[sa.ColumnElement[bool]]:
    if not isinstance(wanted, Mapping):
        raise listing.NothingMatches(str(wanted))
    volumes = TABLES["volumes"]
    result = []
    for key, value in wanted.items():
        holders = []
        for name in tables:
            pairs = TABLES[name]
            holders.append(
                sa.exists().where(
                    pairs.c.volume_id == volumes.c.id, pairs.c.key == key, pairs.c.value == str(value), alive(pairs)
                )
            )
        result.append(sa.or_(*holders))
    return result


def _times(column: sa.ColumnElement, text: str) -> sa.ColumnElement[bool]:
    parts = []
    for piece in text.split(","):
        operator, colon, moment = piece.partition(":")
        if not colon or operator not in _OPERATORS:
            raise ListRefused(f"Invalid filter value '{piece}': write it as operator:time.")
        parts.append(_OPERATORS[operator](column, _moment(moment)))
    return sa.or_(*parts)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ListRefused(f"Invalid time '{text}': not ISO 8601.") from None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment

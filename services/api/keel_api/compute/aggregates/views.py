"""How aggregates look (nova 34.0.0 response schemas)."""

from __future__ import annotations

from typing import Any

from keel_api.http import Field, View
from keel_api.http.times import stamp


def _moment(name: str) -> Any:
    return lambda row, _: stamp(row[name])


_SHORT = [
    Field("id", "id"),
    Field("uuid", "uuid", since="2.41"),
    Field("name", "name"),
    Field("availability_zone", lambda row, _: row["metadata"].get("availability_zone"), columns=("metadata",)),
    Field("created_at", _moment("created_at")),
    Field("updated_at", _moment("updated_at")),
    Field("deleted", lambda row, _: False),
    Field("deleted_at", lambda row, _: None),
]
CREATED = View("aggregate created", _SHORT)
AGGREGATE = View("aggregate", [*_SHORT, Field("hosts", "hosts"), Field("metadata", "metadata")])

"""The recorded response schemas of a suite: which one an operation has at a version (nova 34.0.0; cinder has none)."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from keel_api.http.dialect import Dialect
from keel_api.http.version import Spans, Version

_FILE = "responses.json.gz"


@dataclass(frozen=True)
class Responses:
    """``spans``: operation id -> names of schemas by version; ``schemas``: name -> schema."""

    spans: dict[str, Spans] = field(default_factory=dict)
    schemas: dict[str, Any] = field(default_factory=dict)

    def of(self, op_id: str, version: Version) -> Any:
        """The schema of an answer with success, or None when none is recorded."""
        name = self.name(op_id, version)
        return None if name is None else self.schemas[name]

    def name(self, op_id: str, version: Version) -> str | None:
        """The name of that schema."""
        spans = self.spans.get(op_id)
        return None if spans is None else spans.at(version)


def responses_of(dialect: Dialect) -> Responses:
    """The schemas of a suite; read once for a process."""
    return _read(dialect.package)


@cache
def _read(package: str) -> Responses:
    file = resources.files(package).joinpath("data", _FILE)
    if not file.is_file():
        return Responses()
    found = json.loads(gzip.decompress(file.read_bytes()))
    return Responses({op_id: Spans(rows) for op_id, rows in found["operations"].items()}, found["schemas"])

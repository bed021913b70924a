"""The recorded operations and policies of cinder 29.0.0, for the tests that go over all of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "data" / "recorded.json"
#: Documents that no microversion belongs to; the operations are counted without them.
DOCUMENTS = ("GET / (unversioned root)", "GET /")


@cache
def read() -> dict[str, Any]:
    return json.loads(_FILE.read_bytes())


def operations() -> list[dict[str, Any]]:
    """The 218 operations: id, since, until, policies, success; `always_400` for those that never do anything."""
    return [row for row in read()["operations"] if row["id"] not in DOCUMENTS]


def policies() -> dict[str, str]:
    """Rule -> its check, as recorded."""
    return read()["policies"]

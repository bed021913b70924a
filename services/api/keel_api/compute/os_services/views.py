"""How services look (nova 34.0.0 response schemas)."""

from __future__ import annotations

from typing import Any

from keel_api.http import Field, View
from keel_api.http.times import stamp


def status(row: Any, _: Any = None) -> str:
    """Whether the scheduler may use it."""
    return "disabled" if row["disabled"] else "enabled"


def state(row: Any, _: Any = None) -> str:
    """Whether it was heard of lately."""
    return "up" if row["up"] else "down"


SERVICE = View(
    "service",
    [
        Field("id", "id", until="2.52"),
        Field("id", "uuid", since="2.53"),
        Field("binary", "binary"),
        Field("host", "host"),
        Field("zone", "zone"),
        Field("status", status, columns=("disabled",)),
        Field("state", state, columns=("up",)),
        Field("updated_at", lambda row, _: stamp(row["updated_at"]), columns=("updated_at",)),
        Field("disabled_reason", "disabled_reason"),
        Field("forced_down", "forced_down", since="2.11"),
    ],
)

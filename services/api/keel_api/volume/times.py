"""How the volume API writes a moment."""

from __future__ import annotations

from datetime import datetime


def moment(value: datetime | None) -> str | None:
    """ISO 8601 with microseconds and without a zone; None stays None."""
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f") if value is not None else None

"""Moments as both APIs write and read them."""

from __future__ import annotations

import datetime


def stamp(moment: datetime.datetime | None) -> str | None:
    """``2026-11-30T19:01:19.092377``: UTC without zone, always six digits; None stays None."""
    return None if moment is None else moment.isoformat(timespec="microseconds")

"""Moments as both APIs write and read them."""

from __future__ import annotations

import datetime

from oslo_utils import timeutils

from keel_api.http.fault import Fault
from keel_api.http.request import Request


def stamp(moment: datetime.datetime | None) -> str | None:
    """``2026-11-30T19:01:19.092377``: UTC without zone, always six digits; None stays None."""
    return None if moment is None else moment.isoformat(timespec="microseconds")


def parsed(name: str, text: str) -> datetime.datetime:
    """A moment of a query as naive UTC. Raises a 400 for one that is none, or is before the first year in UTC."""
    try:
        return timeutils.parse_isotime(text).astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise Fault(400, f"Invalid input for query parameters {name}. Value: {text}.") from None


def window(req: Request, minors: tuple[int, int]) -> dict[str, datetime.datetime]:
    """changes-since and changes-before of a query as `since` and `before`, each from its minor version on.

    Raises a 400 when the second is before the first.
    """
    found = {}
    for (key, name), minor in zip((("changes-since", "since"), ("changes-before", "before")), minors, strict=True):
        text = req.query.get(key)
        if text is not None and req.at_least(2, minor):
            found[name] = parsed(key, text)
    if "since" in found and "before" in found and found["before"] < found["since"]:
        raise Fault(400, "The value of changes-since must be less than or equal to changes-before.")
    return found

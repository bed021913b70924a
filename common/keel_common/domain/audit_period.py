"""Periods of usage audits: whole hours, days, months or years, each with an offset (nova 34.0.0
``instance_usage_audit_period``, cinder 29.0.0 ``volume_usage_audit_period``)."""

from __future__ import annotations

import datetime

#: unit -> the bounds of its offset: minute of the hour, hour of the day, day of the month, month of the year
UNITS = {"hour": (0, 59), "day": (0, 23), "month": (1, 31), "year": (1, 12)}


def last_before(moment: datetime.datetime, period: str) -> tuple[datetime.datetime, datetime.datetime]:
    """Begin and end of the last period that ended before a moment. ``period`` is "unit" or "unit@offset".

    :raises ValueError: for another unit or an offset outside its bounds
    """
    unit, _, text = period.partition("@")
    if unit not in UNITS:
        raise ValueError(f"a period is hour, day, month or year, not {unit!r}")
    low, high = UNITS[unit]
    offset = int(text) if text else low
    if not low <= offset <= high:
        raise ValueError(f"the offset of {unit} is {low} to {high}, not {offset}")
    end = _start(moment, unit, offset)
    if end >= moment:
        end = _start(_earlier(end, unit), unit, offset)
    return _start(_earlier(end, unit), unit, offset), end


def _start(moment: datetime.datetime, unit: str, offset: int) -> datetime.datetime:
    """The offset's place in the unit that a moment lies in."""
    at = moment.replace(second=0, microsecond=0)
    if unit == "hour":
        return at.replace(minute=offset)
    at = at.replace(minute=0)
    if unit == "day":
        return at.replace(hour=offset)
    at = at.replace(hour=0)
    if unit == "month":
        return at.replace(day=min(offset, _days(at)))
    return at.replace(day=1, month=offset)


def _days(moment: datetime.datetime) -> int:
    following = (moment.replace(day=28) + datetime.timedelta(days=4)).replace(day=1)
    return (following - datetime.timedelta(days=1)).day


def _earlier(moment: datetime.datetime, unit: str) -> datetime.datetime:
    """A moment in the unit before."""
    if unit == "hour":
        return moment - datetime.timedelta(hours=1)
    if unit == "day":
        return moment - datetime.timedelta(days=1)
    if unit == "month":
        return moment.replace(day=1) - datetime.timedelta(days=1)
    return moment.replace(year=moment.year - 1, day=1)

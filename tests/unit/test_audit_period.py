"""The last whole period before a moment (nova 34.0.0 instance_usage_audit_period)."""

import datetime

import pytest

from keel_common.domain.audit_period import last_before


def at(text):
    return datetime.datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("moment", "period", "begin", "end"),
    [
        ("2026-12-01 02:47:03", "hour", "2026-12-01 01:00", "2026-12-01 02:00"),
        ("2026-12-01 02:00:00", "hour", "2026-12-01 00:00", "2026-12-01 01:00"),
        ("2026-12-01 02:47:03", "hour@50", "2026-12-01 00:50", "2026-12-01 01:50"),
        ("2026-12-01 02:47:03", "day", "2026-11-30 00:00", "2026-12-01 00:00"),
        ("2026-12-01 02:47:03", "day@6", "2026-11-29 06:00", "2026-11-30 06:00"),
        ("2026-12-05 02:47:03", "month", "2026-11-01 00:00", "2026-12-01 00:00"),
        ("2026-03-30 02:47:03", "month@31", "2026-01-31 00:00", "2026-02-28 00:00"),
        ("2026-12-05 02:47:03", "month@10", "2026-10-10 00:00", "2026-11-10 00:00"),
        ("2026-01-05 02:47:03", "year", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("2026-06-05 02:47:03", "year@7", "2024-07-01 00:00", "2025-07-01 00:00"),
    ],
)
def test_the_last_period_that_ended_before(moment, period, begin, end):
    assert last_before(at(moment), period) == (at(begin), at(end))


@pytest.mark.parametrize("period", ["week", "hour@60", "month@0", "day@x", ""])
def test_what_is_no_period_is_refused(period):
    with pytest.raises(ValueError):
        last_before(at("2026-12-01 02:47:03"), period)

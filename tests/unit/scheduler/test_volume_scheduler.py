"""Choosing pools for volumes: capacity rules, capabilities, reports."""

import pytest

from keel_common import config
from keel_scheduler.volume import capacity, filters, weighers
from keel_scheduler.volume.pools import Pool, Pools
from keel_scheduler.volume.wish import Wish

SERVICE = {"host": "h@csi", "cluster_name": None, "availability_zone": "nova"}


def pool(**facts):
    return Pool(
        **({"backend": "h@csi", "name": "p", "capabilities": {"online_extend_support": True}, "zone": "nova"} | facts)
    )


@pytest.mark.parametrize(
    ("facts", "size", "fits"),
    [
        ({"total": 100, "free": 100}, 100, True),
        ({"total": 100, "free": 100}, 101, False),
        ({"total": 100, "free": 100, "reserved_percentage": 10}, 91, False),
        ({"total": 100, "free": 5, "provisioned": 10}, 10, False),
        ({"total": 100, "free": 5, "provisioned": 150, "thin": True, "max_over_subscription": "2.0"}, 50, True),
        ({"total": 100, "free": 5, "provisioned": 150, "thin": True, "max_over_subscription": "2.0"}, 51, False),
        ({"total": 100, "free": 100, "thin": True, "max_over_subscription": 0.5}, 1, False),
        ({"total": "unknown", "free": "unknown"}, 10**6, True),
        ({"total": "infinite", "free": 5}, 10, True),
        ({"total": "infinite", "free": 5, "reserved_percentage": 1}, 10, False),
        ({"total": 0, "free": 0}, 1, False),
        ({"total": 100, "free": None}, 1, False),
        ({"total": 1, "free": 0}, 0, True),
    ],
)
def test_capacity(facts, size, fits):
    assert capacity.fits(pool(**facts), size, thick=False) is fits


def test_extra_specs_of_another_scope_do_not_count():
    wish = Wish(
        size=1, extra_specs={"volume_backend_name": "csi", "vendor:key": "x", "capabilities:multiattach": "<is> True"}
    )
    good = pool(total=10, free=10, capabilities={"volume_backend_name": "csi", "multiattach": True})
    bad = pool(total=10, free=10, capabilities={"volume_backend_name": "csi", "multiattach": False})
    checks = filters.select(["CapabilitiesFilter"])
    assert filters.run(checks, [good, bad], wish, {})[0] == [good]


def test_an_attached_volume_does_not_grow_where_the_pool_cannot():
    wish = Wish(size=1, new_size=2, operation="extend_volume", attached=True)
    fixed = pool(total=10, free=10, capabilities={"online_extend_support": False})
    assert filters.run(filters.select(["CapabilitiesFilter"]), [fixed], wish, {})[0] == []


def test_an_older_report_is_ignored_and_a_newer_one_counts():
    pools = Pools()
    report = {"pools": [{"pool_name": "fast", "total_capacity_gb": 10, "free_capacity_gb": 10}]}
    pools.update("h@csi", report, "2026-11-30T10:00:01.000000")
    pools.update("h@csi", {"pools": []}, "2026-11-30T10:00:00.000000")
    assert [found.id for found in pools.of([SERVICE])] == ["h@csi#fast"]
    pools.update("h@csi", {"volume_backend_name": "whole"}, "2026-11-30T10:00:02.000000")
    assert [found.id for found in pools.of([SERVICE])] == ["h@csi#whole"]


def test_a_backend_without_a_report_is_left_out():
    assert Pools().of([SERVICE]) == []


def test_the_pool_with_most_free_space_wins_and_unknown_ones_come_last():
    conf = config.load("volume", [])
    small, big = pool(name="small", total=10, free=5), pool(name="big", total=100, free=90)
    unknown = pool(name="unknown", total="unknown", free="unknown")
    order = weighers.order([unknown, small, big], Wish(size=1), conf, weighers.select(["CapacityWeigher"]))
    assert [found.name for found in order] == ["big", "small", "unknown"]


def test_taken_space_counts_before_the_next_report():
    found = pool(total=10, free=10)
    found.consume(6)
    assert not capacity.fits(found, 5, thick=False)


def test_unknown_names_stop_the_start():
    with pytest.raises(ValueError, match="known: AvailabilityZoneFilter"):
        filters.select(["GoodFeelingFilter"])
    with pytest.raises(ValueError, match="known: CapacityWeigher"):
        weighers.select(["GoodFeelingWeigher"])

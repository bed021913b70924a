"""Queries that nobody means well by: every list answers them with a code of the contract, and soon."""

import time
from urllib.parse import quote

import pytest

from keel_api.http.dialect import DIALECTS
from keel_api.http.ops import data

from .rows import vif

SLOW = "(a+)+$"
HOSTILE = ("9" * 40, "-" + "9" * 40, "9" * 5000, "²", "\0", "(", ",", SLOW, "0001-01-01T00:00:00+14:00", "😀")
DIALECT = DIALECTS["compute"]
OPERATIONS = data(DIALECT, "operations.json")["operations"]
LISTS = {
    row["path"]: row["query"][-1][2] if row.get("query") else None
    for row in OPERATIONS
    if row["method"] == "GET" and "{" not in row["path"] and row.get("until", "2.104") == "2.104"
}
ALIKE = ("/servers/detail", "/flavors/detail", "/os-hypervisors/detail")
"""Read by the same code as the list without details."""
NUMBERED = (
    "/os-aggregates/{}",
    "/os-services/{}",
    "/os-hypervisors/{}",
    "/flavors/{}",
    "/servers/{}",
    "/os-keypairs/{}",
)
FINE = (200, 300, 400, 403, 404)
NOT_THERE = (410, 501)


def keys(schema):
    found = data(DIALECT, "schemas.json")[schema].get("properties", {}) if schema else {}
    return sorted({*found, "limit", "marker", "offset", "name", "zz"})


@pytest.fixture
def filled(cloud):
    cloud.service()
    for number in range(3):
        cloud.server(number, display_name="a" * 60 + "!", vifs=[vif(f"10.0.0.{number}")])
    return cloud


@pytest.mark.parametrize("path", sorted(LISTS.keys() - ALIKE))
def test_no_query_of_a_list_ends_in_a_server_error(filled, admin, path):
    if filled.api.get(path, who=admin, version="2.104").status in NOT_THERE:
        pytest.skip("removed, or not built")
    begun = time.monotonic()
    for key in keys(LISTS[path]):
        for value in HOSTILE:
            reply = filled.api.get(f"{path}?{key}={quote(value)}", who=admin, version="2.104")
            assert reply.status in FINE, (key, value, reply.raw)
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("path", NUMBERED)
@pytest.mark.parametrize("version", ["2.1", "2.104"])
def test_no_id_ends_in_a_server_error(filled, admin, path, version):
    for value in HOSTILE:
        reply = filled.api.get(path.format(quote(value, safe="")), who=admin, version=version)
        assert reply.status in FINE, (value, reply.raw)


@pytest.mark.parametrize("key", ["name", "ip", "reservation_id"])
def test_a_pattern_that_backtracks_for_ever_is_answered_at_once(filled, wish, key):
    """On rows of a cell and on servers that are not placed yet alike."""
    filled.create(wish(name="a" * 60 + "!"))
    begun = time.monotonic()
    reply = filled.api.get(f"/servers?{key}={quote(SLOW)}")
    assert reply.ok.body["servers"] == []
    assert time.monotonic() - begun < 2


def test_tags_need_not_be_patterns_and_may_be_none_at_all(filled):
    for query in ("tags=c%2B%2B", "not-tags-any=c%2B%2B", "not-tags=,", "tags=,", "tags-any=,"):
        assert filled.api.get(f"/servers?{query}", version="2.26").status == 200, query

"""Views, versions, links and routes by themselves."""

import pytest

from keel_api.http import ABSENT, Field, View
from keel_api.http.links import Links, with_prefix
from keel_api.http.ops import Op, StartupError
from keel_api.http.routes import Routes
from keel_api.http.version import BadVersion, Spans, UnsupportedVersion, asked_version, negotiate, parse

VIEW = View(
    "thing",
    [
        Field("id", "uuid"),
        Field("old", "old", until="2.9"),
        Field("new", lambda row, scope: scope + row["n"], since="2.10", columns=("n",)),
        Field("host", "host", policy="see:host"),
        Field("maybe", lambda row, _: row.get("maybe", ABSENT), optional=True),
    ],
)
ROW = {"uuid": "u", "old": 1, "n": 2, "host": "h"}


@pytest.mark.parametrize(
    ("version", "allowed", "shown"),
    [
        ((2, 9), (), {"id": "u", "old": 1}),
        ((2, 10), (), {"id": "u", "new": 12}),
        ((2, 10), ("see:host", "other"), {"id": "u", "new": 12, "host": "h"}),
    ],
)
def test_a_view_shows_by_version_and_policy(version, allowed, shown):
    assert VIEW.one(version, allowed, ROW, 10) == shown
    assert VIEW.render(version, allowed, [ROW, ROW], 10) == [shown, shown]


def test_a_getter_may_leave_its_field_out():
    assert VIEW.one((2, 9), (), {**ROW, "maybe": None}) == {"id": "u", "old": 1, "maybe": None}


def test_a_view_names_the_columns_it_needs():
    assert VIEW.columns((2, 10)) == {"uuid", "n"}
    assert VIEW.columns((2, 9), ["see:host"]) == {"uuid", "old", "host"}


def test_a_view_is_compiled_once_for_each_version_and_set_of_rules():
    assert VIEW.compiled((2, 10), ["other"]) is VIEW.compiled((2, 10), [])


@pytest.mark.parametrize("text", ["2", "2.01", "a.b", "02.1", "2.1.1", "", "2.1 "])
def test_versions_have_one_spelling(text):
    with pytest.raises(ValueError, match=".*"):
        parse(text)


def test_the_last_entry_of_the_service_wins():
    assert asked_version("compute 2.1, volume 3.1, COMPUTE 2.5", "compute", "2.7") == "2.5"
    assert asked_version("volume 3.1", "compute", "2.7") == "2.7"
    assert asked_version(None, "compute") is None


def test_negotiation_knows_its_window():
    window = ((2, 1), (2, 1), (2, 104))
    assert negotiate(None, *window) == (2, 1)
    assert negotiate("latest", *window) == (2, 104)
    with pytest.raises(UnsupportedVersion):
        negotiate("2.105", *window)
    with pytest.raises(BadVersion):
        negotiate("Latest", *window)


def test_spans_are_found_by_version_and_endpoint():
    spans = Spans([["2.1", "2.9", "a", True], ["2.10", "2.20", "b", False], [None, None, "old", True]])
    assert (spans.at((2, 9)), spans.at((2, 10)), spans.at((2, 21))) == ("a", "b", None)
    assert spans.at((2, 1), legacy=True) == "old"
    with pytest.raises(ValueError, match="overlapping"):
        Spans([["2.1", "2.9", "a", True], ["2.9", "2.10", "b", True]])


def test_links_carry_project_version_and_query():
    links = Links("http://h/base", "v3", "p", [("limit", "1"), ("marker", "x"), ("a", "1"), ("a", "2")])
    assert links.own("volumes", "id") == "http://h/base/v3/p/volumes/id"
    assert links.bookmark("volumes", "id") == "http://h/base/p/volumes/id"
    (link,) = links.next("y", "volumes")
    assert link["href"] == "http://h/base/v3/p/volumes?limit=1&a=2&marker=y"
    (sorted_link,) = links.next("y", "volumes", by_name=True)
    assert sorted_link["href"].endswith("?a=2&limit=1&marker=y")


def test_a_prefix_replaces_scheme_host_and_leading_path():
    assert with_prefix("http://h:8774/v2.1/x", "https://cloud/compute/") == "https://cloud/compute/v2.1/x"
    assert with_prefix("http://h/x", None) == "http://h/x"


def op(method, path, action=None):
    row = {"id": f"{method} {path} #{action}", "method": method, "path": path, "since": "2.1", "until": "2.104"}
    return Op.from_row({**row, **({"action": action} if action else {})})


def test_fixed_segments_win_over_parameters():
    routes = Routes([op("GET", "/a/{id}"), op("GET", "/a/detail"), op("POST", "/a/{id}/b"), op("GET", "/a/{x}/c")])
    assert routes.find("GET", "/a/detail")[0].plain.path == "/a/detail"
    assert routes.find("GET", "/a/detail/c")[1] == ("detail",)
    assert routes.find("GET", "/a/7")[1] == ("7",)
    assert routes.find("PUT", "/a/7") is None
    assert routes.find("GET", "/a/7/") is None
    assert routes.find("GET", "//a//7")[1] == ("7",)


def test_two_operations_in_one_place_are_an_error_at_start():
    with pytest.raises(StartupError, match="share a route"):
        Routes([op("GET", "/a/{id}"), op("GET", "/a/{other}")])

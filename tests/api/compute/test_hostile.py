"""Requests nobody fair sends: never a 5xx, never a lock-up, never an answer that helps.

Every operation is sent broken bodies, values of wrong types at every place, odd texts, queries beyond reason and ids of
strangers, at its newest version and under the legacy endpoint, where fewer schemas look at them.
"""

import time
from urllib.parse import quote

import pytest
from fakes.api import OTHER, PROJECT, Identity
from fakes.odd_bodies import with_odd_values

from api.compute import recorded, wishes, world

WISHES = wishes.all_wishes()
WITH_BODY = [wish for wish in WISHES if wish.op_id.startswith(("POST", "PUT"))]
LISTS = [wish for wish in wishes.first_wishes() if wish.op_id.startswith("GET") and wish.op_id[-1] != "}"]
WITH_ID = [wish for wish in wishes.first_wishes() if "{" in wish.op_id]
STRANGER = Identity("stranger", OTHER, ("member", "reader"))
#: Nothing of bare metal is proxied: 501.
BARE_METAL = "/os-baremetal-nodes"
#: Seconds within which every answer is there.
SOON = 5

BROKEN = [
    b"{",
    b"[]",
    b"null",
    b'""',
    b"1",
    b"[" * 5000,
    b'{"a":' * 5000,
    b"\xff\xfe",
    b'{"a": NaN}',
    b"\x00",
    b'{"\\ud800": 1}',
]
ODD = [None, -(2**63), 1e308, [], {"a": {}}, "", "x" * 5000, "\u0000\ud7ff\U0001f4a9", True, "-1", "9" * 400]
FEWER = [None, [], 1e308, "x", {"a": 1}]
SLOW = quote("(a+)+$")
QUERIES = [
    "limit=1000000000",
    "limit=-1",
    "limit=x",
    "limit=1e3",
    "limit=%00",
    "offset=99999999999999999999",
    "offset=-1",
    "marker=../../etc",
    "marker=%F0%9F%92%A9",
    "marker=%00",
    "marker=" + "9" * 4000,
    f"name={SLOW}",
    f"ip={SLOW}&ip6={SLOW}",
    "name=%5B&ip=%28&hostname=%2A",
    "name=" + quote("(.*)*" * 500),
    f"hypervisor_hostname_pattern={quote('%' * 2000)}",
    "sort_key=uuid&sort_dir=sideways",
    "sort_key=%27%20or%201=1--",
    "sort_key=created_at&" * 200,
    "changes-since=yesterday",
    "changes-since=9999999999999-01-01",
    "changes-since=0001-01-01T00:00:00%2B14:00&changes-before=9999-12-31T23:59:59-14:00",
    "all_tenants=perhaps",
    "deleted=perhaps&status=%00",
    "metadata=%7B%27a%27%3A%20%7B%7D%7D",
    "metadata=5&system_metadata=%5B",
    "tags=,,,&not-tags=%00&tags-any=" + "t," * 300,
    "flavor=%7B%7D&image=%5B%5D&host=%00",
    "is_public=perhaps&minRam=x&minDisk=-1",
    "project_id=%00&user_id=" + "u" * 3000,
    "tenant_id=x&reserved=-1",
    "start=yesterday&end=tomorrow&detailed=2",
    "limit=1&limit=2&limit=x",
    "%C3%A4=1",
    "%ff=1",
    "&&&==",
    "name=" + "x" * 3000,
]


def fine(reply, wish):
    assert reply.status < 500 or BARE_METAL in wish.op_id, f"{reply.status} {reply.raw[:300]!r}"
    return reply


@pytest.fixture
def soon():
    """The test ends within a time no pattern or number stretches."""
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("wish", [wish for wish in WITH_BODY if not wish.name], ids=lambda wish: wish.id)
def test_bodies_that_are_no_requests(whole, soon, wish):
    method, path, _ = wish.request(whole.made)
    for body in BROKEN:
        begun = time.monotonic()
        reply = fine(whole.api.call(method, path, body, who=Identity.ADMIN, version=wish.version), wish)
        assert time.monotonic() - begun < SOON
        assert reply.status >= 400 or accepts_anything(wish), body[:40]
        if reply.status < 400:
            whole.restore()


def accepts_anything(wish):
    """Whether no schema looks at the body of an operation (nova 34.0.0 operations), or only at one that is there."""
    spans = recorded.live()[wish.op_id].get("request", [])
    return recorded.at(spans, recorded.parsed(wish.version)) in (None, "server_tags.update")


@pytest.mark.parametrize("wish", WITH_BODY, ids=lambda wish: wish.id)
def test_values_of_wrong_types_at_every_place(whole, soon, wish):
    method, path, body = wish.request(whole.made)
    for hostile in with_odd_values(body, ODD):
        reply = fine(
            whole.api.call(method, path, hostile, who=Identity.ADMIN, version=wish.version, checked=False), wish
        )
        if reply.status < 400:
            whole.restore()


@pytest.mark.parametrize("wish", WITH_BODY, ids=lambda wish: wish.id)
def test_values_of_wrong_types_where_fewer_schemas_look(whole, soon, wish):
    """Under /v2, and at 2.1."""
    method, path, body = wish.request(whole.made)
    for hostile in with_odd_values(body, FEWER):
        for prefix in ("/v2", "/v2.1"):
            reply = fine(whole.api.call(method, prefix + path, hostile, who=Identity.ADMIN, raw=True), wish)
            if reply.status < 400:
                whole.restore()


@pytest.mark.parametrize("wish", LISTS, ids=lambda wish: wish.id)
@pytest.mark.parametrize("who", [Identity.MEMBER, Identity.ADMIN], ids=["member", "admin"])
def test_queries_beyond_reason(whole, soon, wish, who):
    method, path, _ = wish.request(whole.made)
    for query in QUERIES:
        joined = f"{path}{'&' if '?' in path else '?'}{query}"
        begun = time.monotonic()
        for prefix, version in (("/v2.1", wish.version), ("/v2.1", None), ("/v2", None)):
            fine(whole.api.call(method, prefix + joined, who=who, version=version, raw=True), wish)
        assert time.monotonic() - begun < SOON, query


@pytest.mark.parametrize("wish", WITH_ID, ids=lambda wish: wish.id)
def test_ids_that_are_none(whole, soon, wish):
    method, path, body = wish.request(whole.made)
    for odd in (
        "..",
        ".",
        "%00",
        "%2F",
        "%252F",
        "%F0%9F%92%A9",
        "%ff",
        "x" * 2000,
        "0",
        "-1",
        "'",
        "%25s",
        "%0d%0a",
        "*",
    ):
        for place in ids_of(wish, path):
            hostile = "/".join(odd if number == place else part for number, part in enumerate(path.split("/")))
            reply = fine(
                whole.api.call(method, hostile, body, who=Identity.ADMIN, version=wish.version, checked=False), wish
            )
            if reply.status < 400:
                whole.restore()


def ids_of(wish, path):
    """The places of the parameters in a path."""
    template = wish.op_id.partition(" ")[2].partition(" #")[0].split("/")
    return [number for number, part in enumerate(template) if part.startswith("{")]


@pytest.mark.parametrize("wish", WITH_ID, ids=lambda wish: wish.id)
def test_doubled_slashes_are_one(whole, wish):
    method, path, body = wish.request(whole.made)
    plain = whole.api.call(method, path, body, who=Identity.ADMIN, version=wish.version)
    whole.restore()
    doubled = whole.api.call(method, path.replace("/", "//"), body, who=Identity.ADMIN, version=wish.version)
    assert doubled.status == plain.status


@pytest.mark.parametrize(
    "version",
    ["2.", ".1", "2.1.1", "2.01", "02.1", "-2.1", "2,1", "2.1 2.2", "2." + "9" * 5000, "9" * 5000 + ".1",
     "\u0662.\u0661", "latest ", "LATEST", "null", "%00", "2.1;", "2.\x7f"],
)  # fmt: skip
def test_versions_that_are_none(whole, version):
    for header in ("OpenStack-API-Version", "X-OpenStack-Nova-API-Version"):
        text = f"compute {version}" if header.startswith("O") else version
        reply = whole.api.get("/servers", headers={header: text.encode().decode("latin-1")})
        assert reply.status in (200, 400, 406), (header, reply.raw)


MARKED = {
    "servers": "server", "servers/detail": "server", "flavors": None, "os-keypairs": None, "os-migrations": None,
    "os-server-groups": None, "servers/{server}/os-instance-actions": None, "os-simple-tenant-usage/{other}": "server",
}  # fmt: skip


@pytest.mark.parametrize("path", MARKED)
def test_a_marker_of_a_stranger_shows_nothing_of_it(whole, path):
    markers = [
        whole.made["server"],
        whole.made["group"],
        "mine",
        "private",
        world.REQUEST_ID,
        whole.made["moving_move"],
    ]
    plain = path.format(server=whole.made["server"], other=OTHER)
    for marker in markers:
        reply = whole.api.get(f"/{plain}?marker={marker}&limit=1000", who=STRANGER, version="2.104")
        assert reply.status < 500
        assert PROJECT not in reply.raw.decode() and "server-1" not in reply.raw.decode(), marker


def test_a_key_that_is_there_twice_is_judged_by_the_value_that_counts(whole):
    """What the schema looks at is what the operation does."""
    text = '{"server": {"name": "a", "imageRef": "%s", "flavorRef": "small", "networks": "none", "name": 5}}'
    body = (text % whole.made["image"]).encode()
    assert whole.api.post("/servers", body, version="2.104").status == 400
    action = b'{"os-stop": null, "os-start": null}'
    assert whole.api.post(f"/servers/{whole.made['server']}/action", action).status == 400
    twice = b'{"os-stop": null, "os-stop": null}'
    assert whole.api.post(f"/servers/{whole.made['server']}/action", twice).status == 202

"""Requests nobody fair sends: never a 5xx, and never an answer that helps.

Every operation is sent broken bodies, values of wrong types, odd texts, queries beyond reason and ids of strangers.
"""

import pytest
from fakes.api import OTHER, Identity
from fakes.odd_bodies import with_odd_values

from api.volume import recorded, wishes

OPS = [row["id"] for row in recorded.operations() if not row.get("always_400")]
WITH_BODY = [op_id for op_id in OPS if op_id.startswith(("POST", "PUT"))]
LISTS = [op_id for op_id in OPS if op_id.startswith("GET") and "{" not in op_id]
WITH_ID = [op_id for op_id in OPS if "{" in op_id]
STRANGER = Identity("stranger", OTHER, ("member", "reader"))
#: Answers of the original that are a server's fault by design: a peer did not answer.
GATEWAY = {502}

BROKEN = [b"{", b"[]", b"null", b'""', b"1", b"[" * 5000, b"\xff\xfe"]
ODD = [None, -(2**63), 1e308, [], {"a": {}}, "", "x" * 5000, "\u0000\ud7ff\U0001f4a9"]
QUERIES = [
    "limit=1000000000",
    "limit=-1",
    "limit=x",
    "limit=1e3",
    "offset=99999999999999999999",
    "offset=-1",
    "marker=../../etc",
    "marker=%F0%9F%92%A9",
    "marker=%00",
    "sort=created_at:asc,id:desc,size:asc",
    "sort=,,:",
    "sort=x:y",
    "sort_key=deleted&sort_dir=up",
    "sort_key=%27%20or%201=1--",
    "with_count=perhaps",
    "all_tenants=perhaps",
    "name=%25%25&status=%5B%27a%27%2C%20%27b%27%5D",
    "metadata=%7B%27a%27%3A%20%7B%7D%7D",
    "metadata=5",
    "extra_specs=%7B",
    "created_at=gt:yesterday",
    "size=%7B%7D",
    "id=%5B%5D",
    "is_public=perhaps",
    "host=%00",
    "limit=1&limit=2&limit=x",
    "%C3%A4=1",
    "&&&==",
    "name=" + "x" * 3000,
]


@pytest.fixture(autouse=True)
def nobody_waits(volume):
    """A restore into a new volume waits for it; here nobody makes it."""
    volume.set("migration_create_volume_timeout_secs", 0)


def fine(reply):
    assert reply.status < 500 or reply.status in GATEWAY, f"{reply.status} {reply.raw[:300]!r}"
    return reply


@pytest.mark.parametrize("op_id", WITH_BODY)
def test_bodies_that_are_no_requests(everything, op_id):
    volume, made = everything
    method, path, _ = wishes.request(op_id, made)
    for body in BROKEN:
        reply = fine(volume.call(method, path, body, who=Identity.ADMIN, version="3.71"))
        assert reply.status >= 400 or op_id in ("PUT /os-hosts/{id}", "POST /consistencygroups/{id}/delete"), body[:40]


@pytest.mark.parametrize("op_id", WITH_BODY)
def test_values_of_wrong_types_at_every_place(everything, restored, op_id):
    volume, made = everything
    method, path, body = wishes.request(op_id, made)
    for hostile in with_odd_values(body, ODD):
        reply = fine(volume.call(method, path, hostile, who=Identity.ADMIN, version="3.71"))
        if reply.status < 400:
            restored()


@pytest.mark.parametrize("op_id", LISTS)
@pytest.mark.parametrize("who", [Identity.MEMBER, Identity.ADMIN], ids=["member", "admin"])
def test_queries_beyond_reason(everything, op_id, who):
    volume, made = everything
    method, path, _ = wishes.request(op_id, made)
    for query in QUERIES:
        joined = f"{path}{'&' if '?' in path else '?'}{query}"
        for version in ("3.14", "3.71"):
            fine(volume.call(method, joined, who=who, version=version))


@pytest.mark.parametrize("op_id", WITH_ID)
def test_ids_that_are_none(everything, op_id):
    volume, made = everything
    method, path, body = wishes.request(op_id, made)
    first = path.split("/")[2].partition("?")[0]
    for odd in ("..", "%00", "%2F", "%F0%9F%92%A9", "x" * 2000, "0", "-1", "'", "%25s"):
        fine(volume.call(method, path.replace(first, odd, 1), body, who=Identity.ADMIN, version="3.71"))


@pytest.mark.parametrize("op_id", WITH_ID)
def test_a_doubled_slash_is_one(everything, op_id):
    volume, made = everything
    method, path, body = wishes.request(op_id, made)
    reply = fine(volume.call(method, "/" + path, body, who=Identity.ADMIN, version="3.71"))
    assert reply.status < 300, reply.raw.decode()


@pytest.mark.parametrize("collection", ["volumes", "snapshots", "backups", "attachments", "groups", "group_snapshots"])
def test_a_marker_of_a_stranger_shows_nothing_of_it(everything, collection):
    """The marker may be known, as it is to the original; no row of its project comes with it."""
    volume, made = everything
    marker = made[wishes.IDS[collection]]
    for path in (f"/{collection}", f"/{collection}/detail"):
        reply = fine(volume.get(f"{path}?marker={marker}&limit=1000", who=STRANGER, version="3.71"))
        assert reply.status == 404 or reply.body[collection] == []


def test_a_body_beyond_the_limit_is_413(volume):
    body = {"volume": {"size": 1, "description": "x" * (volume.conf.oslo_middleware.max_request_body_size + 1)}}
    assert volume.post("/volumes", body).status == 413

"""Every answer that was measured on the real API and is decided before a look-up (nova 34.0.0 http discovery)."""

import json
from pathlib import Path

import pytest
from fakes.api import Identity

ROWS = json.loads((Path(__file__).parents[1] / "data" / "compute_measured.json").read_text())
WHO = Identity("u", "0123abcd", ("admin", "member", "reader"))


def name(row):
    more = row.get("version") or ",".join(row.get("headers", {}).values())
    return " ".join([*row["request"], more, row.get("body", "")[:60]]).strip().replace("\n", " ")


def body_of(row):
    body = row.get("body")
    if body is None:
        return None
    if body.endswith(" bytes"):
        return b"x" * int(body.split()[0])
    return body.encode("latin-1") if body == "\xff" else body.encode()


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_the_answer_is_the_measured_one(shared_compute, row):
    method, path = row["request"]
    reply = shared_compute.call(
        method,
        path,
        body_of(row),
        who=None if row.get("unauthenticated") else WHO,
        version=row.get("version"),
        headers=row.get("headers"),
        raw=True,
    )
    if row["status"] == 500:  # a defect of the real one (http summary, os-volumes_boot): ours does what is asked
        assert reply.status in (400, 404), reply.raw
        return
    assert reply.status == row["status"], reply.raw
    assert reply.headers.get("X-OpenStack-Nova-API-Version") == row.get("version_echoed")
    if "fault" in row:
        assert list(reply.body) == [row["fault"]]
    elif row.get("keys") and method != "HEAD":
        assert sorted(reply.body) == sorted(row["keys"])

"""Every operation, row by row: it is declared as recorded, it has a handler, and a fair request succeeds."""

import pytest
from fakes.api import Identity

from api.volume import recorded, wishes
from keel_api.http.dialect import DIALECTS
from keel_api.http.ops import load

OPS = {op.id: op for op in load(DIALECTS["volume"])}
ROWS = recorded.operations()
WORKING = [row["id"] for row in ROWS if not row.get("always_400")]


def shown(version):
    return ".".join(map(str, version))


def test_218_of_218_are_declared_and_none_is_unbuilt(capsys):
    served = [row["id"] for row in ROWS if row["id"] in OPS and (OPS[row["id"]].handler or OPS[row["id"]].removed)]
    with capsys.disabled():
        print(f"\nvolume API: {len(served)} of {len(ROWS)} operations declared with a handler")
    assert len(served) == len(ROWS) == 218
    assert [op.id for op in OPS.values() if op.handler is None and op.removed is None] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_row_is_the_recorded_one(row):
    op = OPS[row["id"]]
    if row.get("always_400"):
        assert op.removed == 400
        return
    assert (shown(op.since), shown(op.until)) == (row["since"], row["until"])
    assert set(row["policies"]) <= set(op.policies)
    for since, until, codes in row["success"]:
        for version in (since, until):
            assert op.success.at(tuple(map(int, version.split(".")))) in codes


def test_routes_nothing_serves_answer_as_recorded():
    for row in recorded.read()["unimplemented"]:
        assert OPS[f"{row['method']} {row['path']}"].removed == row["status"]


@pytest.mark.parametrize("op_id", WORKING)
def test_a_fair_request_of_an_administrator_succeeds(everything, op_id):
    volume, made = everything
    method, path, body = wishes.request(op_id, made)
    reply = volume.call(method, path, body, who=Identity.ADMIN, version="3.71")
    if op_id == "PUT /os-hosts":
        assert reply.status == 400  # it names no host, so there is nothing to change (as measured)
        return
    assert reply.status == OPS[op_id].success.at((3, 71)), reply.raw.decode()

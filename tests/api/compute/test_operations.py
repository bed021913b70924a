"""Every operation, row by row: it is declared as recorded, it has a handler, and a fair request succeeds."""

import hashlib
import json

import pytest
from fakes.api import Identity

from api.compute import recorded, wishes
from keel_api.http.dialect import DIALECTS
from keel_api.http.ops import data, load
from keel_api.http.responses import responses_of

NOVA = DIALECTS["compute"]
OPS = {op.id: op for op in load(NOVA)}
RESPONSES = responses_of(NOVA)
ROWS = recorded.operations()
EMPTY = set(recorded.read()["empty"])
#: 501 as where Ironic's client is not installed, 400 as it always was: nothing of bare metal is proxied.
REFUSED = {op_id: 501 if op_id.startswith("GET") else 400 for op_id in OPS if "/os-baremetal-nodes" in op_id}


def versions(row):
    first, last = recorded.parsed(row["since"]), recorded.parsed(row["until"])
    return [(2, minor) for minor in range(first[1], last[1] + 1)]


def differences(row):
    """What our table says otherwise than the recorded row."""
    op = OPS.get(row["id"])
    if op is None:
        return ["not declared"]
    found = []
    if (op.since, op.until) != (versions(row)[0], versions(row)[-1]):
        found.append(f"{op.since} to {op.until}")
    if op.removed != row.get("removed"):
        found.append(f"removed {op.removed}")
    if (op.handler is None) != (op.removed is not None):
        found.append("no handler" if op.handler is None else "a handler of what is removed")
    rules = {rule["rule"]: rule["fatal"] for rule in row.get("policies", ())}
    if not {rule for rule in rules if rules[rule]} <= set(op.policies) <= set(rules):
        found.append(f"policies {op.policies}")
    if op.removed is not None and op.since == op.until:
        return found
    for version in versions(row):
        found += _at(op, row, version)
    return found


def _at(op, row, version):
    found = []
    for legacy in (False, True) if version == (2, 1) else (False,):
        for kind, spans in (("request", op.request), ("query", op.query)):
            wanted, name = recorded.at(row.get(kind, []), version, legacy), spans.at(version, legacy)
            if name != wanted and not EMPTY.issuperset({name, wanted} - {None}):
                found.append(f"{kind} at {version} {'of /v2' if legacy else ''}: {spans.at(version, legacy)}")
    if "removed" not in row:
        if op.success.at(version) not in recorded.at(row["success"], version):
            found.append(f"success at {version}: {op.success.at(version)}")
        name = recorded.at(row.get("response", []), version)
        if RESPONSES.name(op.id, version) != name:
            found.append(f"response at {version}: {RESPONSES.name(op.id, version)}")
    return found


def test_265_of_265_rows_are_the_recorded_ones(capsys):
    wrong = {row["id"]: found for row in ROWS if (found := differences(row))}
    with capsys.disabled():
        print(f"\ncompute API: {len(ROWS) - len(wrong)} of {len(ROWS)} operations declared as recorded")
    assert wrong == {}
    assert set(OPS) == {row["id"] for row in ROWS}
    assert len(ROWS) == 265 and len(recorded.live()) == 211


def test_every_schema_is_the_recorded_one():
    ours = {**data(NOVA, "schemas.json"), **RESPONSES.schemas}
    for name, digest in recorded.read()["schemas"].items():
        text = json.dumps(ours[name], sort_keys=True, separators=(",", ":"))
        assert hashlib.sha256(text.encode()).hexdigest()[:12] == digest, name


@pytest.mark.parametrize("wish", wishes.first_wishes(), ids=lambda wish: wish.id)
def test_a_fair_request_of_an_administrator_succeeds(whole, wish):
    reply = whole.ask(wish, Identity.ADMIN)
    expected = REFUSED.get(wish.op_id) or OPS[wish.op_id].success.at(recorded.parsed(wish.version))
    assert reply.status == expected, reply.raw.decode()

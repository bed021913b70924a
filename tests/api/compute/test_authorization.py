"""Who may do what: every operation for every kind of caller, against what oslo.policy says of the recorded rules.

The expectation is data: the recorded rules (data/recorded.json), their targets and the conditions under which they are
checked, and oslo.policy itself; and what the real nova-api 34.0.0 answered to the same requests on the same databases,
with no peers behind it (data/verdicts.json; what it answered with a server's fault is not there).
"""

import json
from pathlib import Path

import pytest
from fakes.api import OTHER, Identity

from api.compute import recorded, wishes
from api.compute.oracle import Oracle, hides, refuses

CALLERS = {
    "other reader": Identity("other-reader", OTHER, ("reader",)),
    "other member": Identity.OTHER,
    "other manager": Identity("other-manager", OTHER, ("manager", "member", "reader")),
    "reader": Identity.READER,
    "member": Identity.MEMBER,
    "manager": Identity.MANAGER,
    "admin": Identity.ADMIN,
    "service": Identity.SERVICE,
}
WISHES = wishes.all_wishes()
_VERDICTS = json.loads((Path(__file__).parent / "data" / "verdicts.json").read_bytes())


@pytest.fixture(scope="module")
def oracle():
    return Oracle()


def test_every_live_operation_and_every_rule_that_refuses_is_asked_for(capsys):
    asked = {wish.op_id for wish in WISHES}
    rules = {row["rule"] for wish in WISHES for row in wish.rules() if row["fatal"]}
    recorded_rules = {row["rule"] for op in recorded.live().values() for row in op.get("policies", ()) if row["fatal"]}
    with capsys.disabled():
        print(
            f"\ncompute API authorization: {len(asked)} of {len(recorded.live())} operations, "
            f"{len(rules)} of {len(recorded_rules)} refusing rules, {len(CALLERS) + 1} kinds of callers"
        )
    assert asked == set(recorded.live())
    assert rules == recorded_rules


def test_nobody_without_a_token_does_anything(whole):
    for wish in WISHES:
        assert whole.ask(wish, None).status == 401, wish.id


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.id)
def test_policy_decides(whole, oracle, wish):
    for caller, who in CALLERS.items():
        refused = refuses(oracle, wish, who)
        hidden = hides(wish, who, whole.made)
        reply = whole.ask(wish, who)
        if reply.status < 400:
            whole.restore()
        said = f"{caller}: {reply.status} {reply.raw.decode()[:200]}; refused by {refused}, hidden {hidden}"
        assert fits(reply, refused, hidden), said


def fits(reply, refused, hidden):
    """404 for what is hidden, 403 for what a rule refuses, which it names; else anything that is no server's fault."""
    if hidden == "at once" or (hidden and not refused):
        return reply.status == 404 and "could not be found" in reply.message
    if refused:
        return reply.status == 403 and reply.message == f"Policy doesn't allow {refused} to be performed."
    return reply.status == 501 or (reply.status < 500 and reply.status not in (401, 403))


def test_the_real_service_decides_alike(whole, oracle):
    """The expectation of `test_policy_decides` holds for the answers of the real one too."""
    compared = 0
    for wish in WISHES:
        for caller, status in zip(_VERDICTS["callers"], _VERDICTS["answers"].get(wish.id, ()), strict=False):
            if status is None:
                continue
            refused, hidden = refuses(oracle, wish, CALLERS[caller]), hides(wish, CALLERS[caller], whole.made)
            if hidden == "at once" or (hidden and not refused):
                assert status == 404, (wish.id, caller)
            else:
                assert (status == 403) == bool(refused), (wish.id, caller, status)
            compared += 1
    assert compared > 1300


@pytest.mark.parametrize("caller", ["other manager", "service"])
def test_a_stranger_changes_nothing(whole, caller):
    """Whatever the answer to one of another project is: what it refuses left no trace, and told no peer."""
    before = whole.dump()
    for wish in WISHES:
        if wish.op_id.startswith("GET"):
            continue
        reply = whole.ask(wish, CALLERS[caller])
        if reply.status >= 400:
            assert whole.api.bus.sent == [], wish.id
            assert whole.dump() == before, wish.id
        else:
            whole.restore()

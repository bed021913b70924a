"""Who may do what: every operation for every kind of caller, against what oslo.policy says of the recorded rules.

The expectation is data: the recorded rules (tests/api/compute/data/recorded.json), their targets and the conditions
under which they are checked, and oslo.policy itself.
"""

import pytest
from fakes.api import OTHER, Identity

from api.compute import recorded, wishes
from api.compute.oracle import Oracle, refuses

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
        rule = refuses(oracle, wish, who)
        reply = whole.ask(wish, who)
        if reply.status < 400:
            whole.restore()
        assert fits(reply, rule), f"{caller}: {reply.status} {reply.raw.decode()[:200]} although {rule} refuses"


def fits(reply, rule):
    """403 for what a rule refuses, which it names; anything else that is no server's fault when none does."""
    if rule is None:
        return reply.status < 500 and reply.status not in (401, 403) or reply.status == 501
    return reply.status == 403 and reply.message == f"Policy doesn't allow {rule} to be performed."

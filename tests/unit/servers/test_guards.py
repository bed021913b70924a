import pytest

from keel_common.domain.server import guards

SERVER = {
    "uuid": "u1",
    "locked": False,
    "host": "node-1",
    "vm_state": "active",
    "task_state": None,
    "launched_at": "2026-01-01",
}


def check(method, is_admin=False, **changes):
    guards.guard(method).check({**SERVER, **changes}, method, is_admin)


def test_a_lock_stops_everybody_but_the_administrator():
    with pytest.raises(guards.Locked, match="Instance u1 is locked"):
        check("stop", locked=True)
    check("stop", locked=True, is_admin=True)


def test_guards_refuse_in_the_recorded_order():
    with pytest.raises(guards.Locked):
        check("stop", locked=True, host=None, vm_state="paused")
    with pytest.raises(guards.NotReady):
        check("stop", host=None, vm_state="paused")
    with pytest.raises(guards.InvalidState, match="vm_state paused"):
        check("stop", vm_state="paused", task_state="pausing")
    with pytest.raises(guards.InvalidState, match="task_state rebooting"):
        check("stop", task_state="rebooting")
    with pytest.raises(guards.InvalidState, match="never been active"):
        check("stop", launched_at=None)


def test_a_hard_reboot_is_allowed_over_another_reboot_and_a_soft_one_is_not():
    check("_hard_reboot", task_state="rebooting")
    with pytest.raises(guards.InvalidState):
        check("_soft_reboot", task_state="rebooting")


def test_the_task_state_an_action_sets_is_recorded():
    stop = guards.guard("stop")
    assert (stop.sets, stop.expects, stop.actions) == ("powering-off", (None,), ("stop",))
    with pytest.raises(KeyError):
        guards.guard("explode")

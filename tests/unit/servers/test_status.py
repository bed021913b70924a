from datetime import datetime, timedelta

import pytest

from keel_common.domain.server.status import host_status, service_is_up, shows_fault, states_of, status_of

NOW = datetime(2026, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("vm_state", "task_state", "status"),
    [
        ("active", None, "ACTIVE"),
        ("active", "rebooting_hard", "HARD_REBOOT"),
        ("active", "powering-off", "ACTIVE"),
        ("stopped", "resize_prep", "RESIZE"),
        ("building", "spawning", "BUILD"),
        ("resized", "resize_reverting", "REVERT_RESIZE"),
        ("nonsense", None, "UNKNOWN"),
    ],
)
def test_status_follows_both_states(vm_state, task_state, status):
    assert status_of(vm_state, task_state) == status


def test_a_deleted_record_is_deleted_whatever_its_states_say():
    assert status_of("active", "rebooting", deleted=True) == "DELETED"
    assert shows_fault("DELETED")


def test_a_resting_status_does_not_narrow_by_task_state():
    assert states_of(["active"]) == (["active"], [])
    assert states_of(["REBOOT", "ACTIVE"]) == (["active"], [])
    assert states_of(["REBOOT"]) == (["active"], ["reboot_pending", "reboot_started", "rebooting"])
    assert states_of(["nothing"]) == ([], [])


def test_a_host_is_up_while_it_was_seen_lately():
    row = {"disabled": False, "forced_down": False, "last_seen_up": NOW - timedelta(seconds=59), "created_at": None}
    assert host_status("h", row, NOW, 60) == "UP"
    assert host_status("h", {**row, "last_seen_up": NOW - timedelta(seconds=61)}, NOW, 60) == "UNKNOWN"
    assert host_status("h", {**row, "forced_down": True}, NOW, 60) == "DOWN"
    assert host_status("h", {**row, "disabled": True}, NOW, 60) == "MAINTENANCE"
    assert host_status("h", None, NOW, 60) == host_status(None, row, NOW, 60) == ""
    assert not service_is_up(NOW, None, True, NOW, 60)

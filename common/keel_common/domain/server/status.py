"""What the API calls a server's state, from its vm_state and task_state (nova 34.0.0 status_map)."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from keel_common.domain.server.tables import table

DELETED = "DELETED"


def status_of(vm_state: str | None, task_state: str | None, deleted: bool = False) -> str:
    """Return the status word of a server; a deleted record is DELETED whatever its states say."""
    if deleted:
        return DELETED
    row = table("status")["state_map"].get(vm_state)
    if row is None:
        return table("status")["unknown_vm_state"]
    return row.get(task_state or "default", row["default"])


def shows_progress(status: str) -> bool:
    """Say whether the API shows `progress` in this status."""
    return status in table("status")["statuses_with_progress"]


def shows_fault(status: str) -> bool:
    """Say whether the API shows the last fault in this status."""
    return status in table("status")["statuses_with_fault"]


def states_of(statuses: Iterable[str]) -> tuple[list[str], list[str]]:
    """Translate statuses of a filter into (vm_states, task_states); both empty when no status is known.

    The task states count only when none of the statuses is the resting one of its vm_state, as recorded.
    """
    rules = table("status")["status_filter"]
    vm_states: list[str] = []
    task_states: list[str] = []
    for status in statuses:
        rule = rules.get(status.upper())
        if rule is None:
            continue
        vm_states += rule["vm_state"]
        task_states += rule["task_state"]
    if "default" in task_states:
        task_states = []
    return sorted(set(vm_states)), sorted(set(task_states))


def service_is_up(
    last_seen: datetime | None, created: datetime | None, forced_down: bool, now: datetime, down_after: int
) -> bool:
    """Say whether a service counts as alive: seen within `down_after` seconds and not forced down (nova semantics)."""
    if forced_down:
        return False
    seen = last_seen or created
    return seen is not None and abs(now - seen) <= timedelta(seconds=down_after)


def host_status(host: str | None, service: dict | None, now: datetime, down_after: int) -> str:
    """Return the host_status word for a server on `host` whose nova-compute row is `service`.

    `service` has disabled, forced_down, last_seen_up, created_at (UTC, without zone).
    """
    if not host or service is None:
        return ""
    if service["disabled"]:
        return "MAINTENANCE"
    if service["forced_down"]:
        return "DOWN"
    alive = service_is_up(service["last_seen_up"], service["created_at"], False, now, down_after)
    return "UP" if alive else "UNKNOWN"

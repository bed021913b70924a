"""Moves that an earlier process left in the middle: each is taken up at the host that has the server now."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from keel_compute.endpoints.journal import recorded
from keel_compute.errors import is_fault
from keel_compute.flows import live, move, resize, revert
from keel_compute.flows.move import Move
from keel_compute.scope import Scope

LOG = logging.getLogger(__name__)


def _again(scope: Move) -> None:
    resize.leave(scope, image={}, flavor=scope.instance.get("new_flavor"), clean_shutdown=True)


def _forget(scope: Move) -> None:
    """Nothing has been touched: the server stays where it is, as if no move had been asked for."""
    move.note(scope, status="error")
    move.give_back_claim(scope)
    scope.site.records.save(scope.context, scope.instance, expected="resize_prep", task_state=None)


def _back(scope: Move) -> None:
    """Which half of the way back is ours depends on the host that the server stands at."""
    at_source = scope.instance.host == scope.migration.source_compute
    act = revert.arrive if at_source and scope.migration.status == "reverted" else revert.leave
    act(scope)


STEPS: dict[str, tuple[tuple[str, ...], str, Callable[[Move], None]]] = {
    "resize_prep": (("pre-migrating",), "prep_resize", _forget),
    "resize_migrating": (("migrating",), "resize_instance", _again),
    "resize_migrated": (("post-migrating",), "finish_resize", resize.arrive),
    "resize_finish": (("post-migrating",), "finish_resize", resize.arrive),
    "migrating": (("running", "preparing", "queued"), "live_migration", live.resume),
    "resize_reverting": (("reverting", "reverted"), "revert_resize", _back),
}
"""Task state -> statuses of the record of the move, the method whose outcome is recorded, what goes on."""


def resume(scope: Scope) -> None:
    """Go on with the move of a server. Without a record of it the task ends and the server stays as it is.

    A live migration that has not reached this host is the conductor's still: it looks for a place, and ends the task
    when there is none.
    """
    statuses, method, act = STEPS[scope.instance.task_state]
    migration = _record(scope, statuses)
    if migration is None and scope.instance.task_state == "migrating":
        return
    if migration is None:
        LOG.warning("Server %s has task %s and no record of a move", scope.server, scope.instance.task_state)
        scope.site.records.save(scope.context, scope.instance, expected=scope.instance.task_state, task_state=None)
        return
    whole = Move(scope.site, scope.place, scope.context, scope.instance, scope.flight, migration=migration)
    with recorded(scope.site, scope.place.name, scope.context, scope.instance, method, migration):
        act(whole)


def _record(scope: Scope, statuses: tuple[str, ...]) -> Any:
    for status in statuses:
        try:
            return scope.site.remote.class_action(
                scope.context, "Migration", "get_by_instance_and_status", scope.server, status
            )
        except Exception as unknown:
            if not is_fault(unknown, "MigrationNotFoundByStatus"):
                raise
    return None

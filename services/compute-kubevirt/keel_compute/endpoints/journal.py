"""Recording what became of an operation: event row, fault row, task state, migration."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from keel_common.kube import Stopped
from keel_compute.endpoints.methods import RECORDS
from keel_compute.errors import DELETING, MOVED_ON, Gone, is_fault
from keel_compute.site import Site
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


@contextlib.contextmanager
def recorded(
    site: Site, host: str, context: Context, instance: Any, method: str, migration: Any = None, event: str | None = None
) -> Iterator[None]:
    """Around an operation on an instance: what Nova's decorators of `method` write is written here, then the error
    goes on.

    `event` is another name of the event row than compute_<method>.
    """
    kinds = RECORDS[method]
    event = event or f"compute_{method}"
    server = instance.uuid
    told = "E" in kinds and _begin(site, context, server, event, host)
    try:
        yield
    except Stopped:
        # The process goes down: who takes the host over finds the task state and goes on.
        raise
    except Exception as error:
        if not isinstance(error, Gone) and not is_fault(error, *DELETING):
            _write(site, host, context, instance, kinds, migration, error)
        if told:
            _try("finish the event", server, site.records.end_event, context, server, event, error)
        raise
    if told:
        _try("finish the event", server, site.records.end_event, context, server, event)


def _begin(site: Site, context: Context, server: str, event: str, host: str) -> bool:
    """Start the event row; False when there is no action to hang it on (recovery of a server without one)."""
    try:
        site.records.begin_event(context, server, event, host)
    except Exception as refused:
        if not is_fault(refused, "InstanceActionNotFound"):
            raise
        LOG.info("Server %s has no action for event %s", server, event)
        return False
    return True


def _write(
    site: Site, host: str, context: Context, instance: Any, kinds: str, migration: Any, error: Exception
) -> None:
    server = instance.uuid
    if "F" in kinds:
        _try("record the fault", server, site.records.fault, context, server, host, error)
    if "M" in kinds and migration is not None:
        migration.status = "error"
        _try("mark the migration", server, site.remote.action, context, migration, "save")
    if "R" in kinds and not is_fault(error, *MOVED_ON):
        known = instance.task_state
        _try("clear the task state", server, site.records.save, context, instance, (known, None), task_state=None)


def _try(what: str, server: str, act: Any, *args: Any, **kwargs: Any) -> None:
    """Write a record of an error; when that fails too it is logged, so that the first error is the one that is told."""
    try:
        act(*args, **kwargs)
    except Exception as again:
        LOG.warning("Server %s: could not %s: %s", server, what, again)

"""Recording what became of an operation: event row, fault row, task state, migration."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from keel_compute.endpoints.methods import RECORDS
from keel_compute.errors import DELETING, MOVED_ON, is_fault
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
    if "E" in kinds:
        site.records.begin_event(context, server, event, host)
    try:
        yield
    except Exception as error:
        if not is_fault(error, *DELETING):
            _write(site, host, context, instance, kinds, migration, error)
        if "E" in kinds:
            _try("finish the event", server, site.records.end_event, context, server, event, error)
        raise
    if "E" in kinds:
        site.records.end_event(context, server, event)


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
        _try("clear the task state", server, site.records.save, context, instance, None, task_state=None)


def _try(what: str, server: str, act: Any, *args: Any, **kwargs: Any) -> None:
    """Write a record of an error; when that fails too it is logged, so that the first error is the one that is told."""
    try:
        act(*args, **kwargs)
    except Exception as again:
        LOG.warning("Server %s: could not %s: %s", server, what, again)

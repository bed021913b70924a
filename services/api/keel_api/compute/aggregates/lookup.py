"""Finds the aggregate an operation names, and tells schedulers of changes."""

from __future__ import annotations

from typing import Any

from keel_api.http import Fault, Request
from keel_api.http.paging import row_id
from keel_common.db.stores.nova import aggregates
from keel_contract.nova.interfaces import SCHEDULER
from keel_contract.nova.objects import Aggregate


def one(req: Request) -> dict[str, Any]:
    """The aggregate of the path; 400 for an id that is no number, 404 for an unknown one."""
    key = req.path["id"]
    number = row_id(key)
    if number is None:
        raise Fault(400, f"Invalid input received: Invalid aggregate id {key}")
    row = req.services.cells.api.read(aggregates.find, number)
    if row is None:
        raise Fault(404, f"Aggregate {key} could not be found.")
    return row


def wire(row: dict[str, Any]) -> Aggregate:
    """The object that peers know an aggregate by."""
    fields = ("id", "uuid", "name", "hosts", "metadata", "created_at", "updated_at")
    return Aggregate(**{name: row[name] for name in fields}, deleted=False, deleted_at=None)


def tell_schedulers(req: Request, row: dict[str, Any]) -> None:
    """Every scheduler learns the aggregate as it is now."""
    req.services.rpc(SCHEDULER).send(req.context, "update_aggregates", aggregates=[wire(row)])


def tell_schedulers_gone(req: Request, row: dict[str, Any]) -> None:
    """Every scheduler forgets the aggregate."""
    req.services.rpc(SCHEDULER).send(req.context, "delete_aggregate", aggregate=wire(row))

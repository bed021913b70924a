"""Which changes of zones are refused (nova 34.0.0): a host is in one zone, and servers do not change theirs unasked."""

from __future__ import annotations

from typing import Any

from keel_api.compute.hosts import in_cells
from keel_api.http import Fault, Request
from keel_common.db.stores.nova import aggregates, hosts

ZONE = aggregates.ZONE


def check_zone(req: Request, aggregate: dict[str, Any], zone: str, names: list[str], code: int) -> None:
    """Refuse with ``code`` when hosts would be in two zones, or servers on them in another one than before."""
    others = {
        row["metadata"][ZONE]
        for row in req.services.cells.api.read(aggregates.listing)
        if row["id"] != aggregate["id"] and ZONE in row["metadata"] and set(names) & set(row["hosts"])
    }
    if others - {zone}:
        listed = ", ".join(sorted(others))
        raise refused(code, aggregate, f"One or more hosts already in availability zone(s) {listed}")
    if zone not in others and aggregate["metadata"].get(ZONE) != zone:
        check_empty(req, aggregate, names, code)


def check_empty(req: Request, aggregate: dict[str, Any], names: list[str], code: int) -> None:
    """Refuse while servers stand on hosts."""
    if names and any(found for _, found in in_cells(req, hosts.servers_on, names)):
        raise refused(code, aggregate, "One or more hosts contain instances in this zone")


def refused(code: int, aggregate: dict[str, Any], reason: str) -> Fault:
    """The refusal of a change."""
    return Fault(code, f"Cannot perform action on aggregate {aggregate['id']}. Reason: {reason}.")

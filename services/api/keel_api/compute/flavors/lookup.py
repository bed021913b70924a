"""Finds the flavor an operation names."""

from __future__ import annotations

from typing import Any

from keel_api.http import Fault, Request
from keel_common.db.stores.nova import flavors


def not_found(flavorid: str) -> Fault:
    """The 404 of an unknown flavor."""
    return Fault(404, f"Flavor {flavorid} could not be found.")


def flavor(req: Request, flavorid: str) -> dict[str, Any]:
    """The flavor; for others than administrators only public ones and those shared with their project. 404."""
    context = req.context
    row = req.services.cells.api.read(flavors.find, flavorid, context.project_id, anyone=context.is_admin)
    if row is None:
        raise not_found(flavorid)
    return row


def with_extra_specs(req: Request, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with their extra specs, read in one statement."""
    specs = req.services.cells.api.read(flavors.extra_specs, [row["id"] for row in rows])
    return [{**row, "extra_specs": specs[row["id"]]} for row in rows]

"""What the API sees of hosts: services of all cells, their state, and the availability zones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from keel_api.http import Request
from keel_common.db import Cell
from keel_common.db.stores.nova import aggregates, services

COMPUTE = "nova-compute"
HIDDEN = frozenset({"nova-osapi_compute", "nova-metadata"})  # rows without a heartbeat


def in_cells(req: Request, read: Callable[..., Any], *args: Any) -> Iterator[tuple[Cell, Any]]:
    """A read in every cell, one after the other, cell0 first."""
    for cell in req.services.cells.all():
        yield cell, cell.db.read(read, *args)


def all_services(req: Request) -> list[dict[str, Any]]:
    """The visible services of all cells, each with ``cell``, ``up`` and ``zone``."""
    zones = req.services.cells.api.read(aggregates.zones)
    found = []
    for cell, rows in in_cells(req, services.listing):
        found += [seen(req, row, cell, zones) for row in rows if row["binary"] not in HIDDEN]
    return found


def seen(req: Request, row: Mapping[str, Any], cell: Cell, zones: Mapping[str, str]) -> dict[str, Any]:
    """A service row with what follows from it."""
    conf = req.services.conf
    if row["binary"] == COMPUTE:
        zone = zones.get(row["host"], conf.default_availability_zone)
    else:
        zone = conf.internal_service_availability_zone
    return {**row, "cell": cell, "up": services.is_up(row, conf.service_down_time), "zone": zone}

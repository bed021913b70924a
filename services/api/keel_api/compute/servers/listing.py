"""Reads a page of servers: build requests first, then every cell's rows merged in the asked order."""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from keel_api.compute.servers.list_query import Wanted
from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common import patterns
from keel_common.db import Cell, Unreachable
from keel_common.db.stores.nova import servers, servers_found
from keel_common.domain.server.filters import Selection, matches

LOG = logging.getLogger(__name__)
_CELL_READERS = ThreadPoolExecutor(8, thread_name_prefix="cell-read")
Server = dict[str, Any]


@dataclass(frozen=True)
class _Start:
    """Where a page begins: after build request `build`, or after a row with these sort values."""

    build: str | None = None
    row: Server | None = None


@dataclass(frozen=True)
class Found:
    """A page: its servers, and the cells that did not answer."""

    rows: list[Server]
    down: list[Cell]


def read_page(req: Request, wanted: Wanted, limit: int, marker: str | None, columns: frozenset[str]) -> Found:
    """The servers of one page with the columns and parts of a view.

    Build requests are read before the cells: a server that moves from one to the other in between is seen twice, and
    shown once, instead of missed. cell0, where servers without a host end, is read only when it has any of the project.
    """
    if limit == 0:
        return Found([], [])
    cells = req.services.cells
    builds, buried = cells.api.read(servers_found.builds, wanted.project_id, cells.cell0.id)
    pending = [s for s in builds if matches(s, wanted.selection, patterns.found)]
    _sort(pending, wanted.order)
    start = _start(req, wanted, marker, pending)
    if start.row is not None:
        pending = []
    elif start.build is not None:
        position = [server["uuid"] for server in pending].index(start.build)
        pending = pending[position + 1 :]
    asked = cells.all() if buried else cells.working()
    rows, down = _from_cells(req, wanted, limit, columns, start.row, asked)
    known = {row["uuid"] for row in rows}
    return Found(([server for server in pending if server["uuid"] not in known] + rows)[:limit], down)


def _start(req: Request, wanted: Wanted, marker: str | None, pending: Sequence[Server]) -> _Start:
    if marker is None:
        return _Start()
    if any(server["uuid"] == marker for server in pending):
        return _Start(build=marker)
    cells = req.services.cells
    cell_uuid = cells.api.read(servers_found.cells_of, [marker]).get(marker)
    row = None
    if cell_uuid is not None:
        row = cells.get(cell_uuid).db.read(servers.marker_row, marker, wanted.order)
    if row is None:
        raise Fault(400, f"marker [{marker}] not found")
    return _Start(row=row)


def _from_cells(
    req: Request,
    wanted: Wanted,
    limit: int,
    columns: frozenset[str],
    marker: Server | None,
    cells: Sequence[Cell],
) -> tuple[list[Server], list[Cell]]:
    """The rows of every one of the cells that answers, merged, and those that do not."""
    needed = columns | {column for column, _ in wanted.order}

    def read(cell: Cell) -> list[Server] | None:
        try:
            return cell.db.read_once(servers.page, wanted.selection, wanted.order, limit, needed, marker)
        except Unreachable as error:
            LOG.warning("Cell %s does not answer: %s", cell.uuid, error)
            return None

    pages = [read(cell) for cell in cells] if len(cells) < 3 else list(_CELL_READERS.map(read, cells))
    down = [cell for cell, page in zip(cells, pages, strict=True) if page is None]
    if down and not req.services.conf.api.list_records_by_skipping_down_cells:
        raise Fault(500, "A cell does not answer; the list would not be complete.")
    filled = [page for page in pages if page]
    if len(filled) < 2:
        return filled[0] if filled else [], down
    return list(heapq.merge(*filled, key=_sort_key(wanted.order)))[:limit], down


def _sort(rows: list[Server], order: Sequence[tuple[str, str]]) -> None:
    """Sort build requests in the asked order; they have no id as a server yet, so their own stands in."""
    for column, way in reversed(order):
        key = "build_id" if column == "id" else column
        rows.sort(key=partial(_value_of, key), reverse=way == "desc")


def _sort_key(order: Sequence[tuple[str, str]]) -> Callable[[Server], tuple]:
    def key(row: Server) -> tuple:
        return tuple(_Down(row[c]) if way == "desc" else _value(row[c]) for c, way in order)

    return key


def _value_of(key: str, row: Server) -> tuple:
    return _value(row.get(key))


def _value(value: Any) -> tuple:
    """Empty values sort before all others, as in the databases."""
    return (0, 0) if value is None else (1, value)


class _Down:
    """A sort value that goes down."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = _value(value)

    def __lt__(self, other: _Down) -> bool:
        return other.value < self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Down) and other.value == self.value


def only(selection: Selection, rows: list[Server]) -> list[Server]:
    """Those of the rows that also meet the conditions SQL leaves out (addresses)."""
    left = Selection(tuple(c for c in selection.conditions if c.op == "address"), None)
    return [row for row in rows if matches(row, left, patterns.found)]

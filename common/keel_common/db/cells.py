"""The cells of a Nova deployment: which databases and buses there are, as the API database says."""

import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Connection, select

from keel_common.db import schema
from keel_common.db.database import Database
from keel_common.db.errors import DatabaseError

CELL0 = "00000000-0000-0000-0000-000000000000"


class CellNotFound(DatabaseError):
    """No cell mapping has this uuid."""


@dataclass(frozen=True)
class Cell:
    """One row of cell_mappings with its database opened. `transport_url` none:/// means no bus (cell0)."""

    id: int
    uuid: str
    name: str | None
    transport_url: str
    disabled: bool
    db: Database = field(compare=False, repr=False)


def fill_template(template: str, base: str | None) -> str:
    """A stored URL with {scheme} {username} {password} {hostname} {port} {path} {query} {fragment} taken from `base`.

    With several hosts in `base` the numbered forms {username1} {hostname2} ... too. A URL without braces is returned
    as it is. Source: nova 34.0.0 db semantics, cell_mappings.
    """
    if "{" not in template or not base:
        return template
    parts = urlsplit(base)
    values = {"scheme": parts.scheme, "path": parts.path.lstrip("/"), "query": parts.query, "fragment": parts.fragment}
    for number, netloc in enumerate(parts.netloc.split(","), start=1):
        one = urlsplit(f"//{netloc}")
        found = {"username": one.username, "password": one.password, "hostname": one.hostname, "port": one.port}
        for name, value in found.items():
            text = "" if value is None else unquote(str(value))
            values[f"{name}{number}"] = text
            if number == 1:
                values[name] = text
    return template.format(**values)


class Cells:
    """Finds and keeps the databases of a deployment; rows of cell_mappings are read once and again by `refresh`.

    `api` is the API database, `local` the one of [database]connection (the cell of a conductor; cell0 or cell1 of an
    API).
    """

    def __init__(self, conf: Any) -> None:
        self._conf = conf
        self._lock = threading.Lock()
        self._opened: dict[str, Database] = {}
        self._cells: dict[str, Cell] | None = None
        self._api: Database | None = None

    @property
    def api(self) -> Database:
        if self._api is None:
            if not self._conf.api_database.connection:
                raise DatabaseError("[api_database]connection is not set")
            self._api = self._open(self._conf.api_database.connection, self._conf.api_database)
        return self._api

    @property
    def local(self) -> Database:
        if not self._conf.database.connection:
            raise DatabaseError("[database]connection is not set")
        return self._open(self._conf.database.connection, self._conf.database)

    @property
    def cell0(self) -> Cell:
        return self.get(CELL0)

    def get(self, uuid: str) -> Cell:
        """The cell with this uuid; looks again in the database before it raises CellNotFound."""
        cells = self._known()
        if uuid not in cells:
            cells = self.refresh()
        if uuid not in cells:
            raise CellNotFound(f"cell {uuid} is not mapped")
        return cells[uuid]

    def by_id(self, cell_id: int) -> Cell:
        """The cell whose row has this id (what instance_mappings and host_mappings refer to)."""
        for cells in (self._known(), self.refresh()):
            for cell in cells.values():
                if cell.id == cell_id:
                    return cell
        raise CellNotFound(f"cell with id {cell_id} is not mapped")

    def all(self) -> list[Cell]:
        """Every cell, cell0 first, then by id."""
        return sorted(self._known().values(), key=lambda cell: (cell.uuid != CELL0, cell.id))

    def working(self) -> list[Cell]:
        """Every cell that holds computes: all but cell0."""
        return [cell for cell in self.all() if cell.uuid != CELL0]

    def refresh(self) -> dict[str, Cell]:
        rows = self.api.read(_rows)
        cells = {row.uuid: self._cell(row) for row in rows}
        with self._lock:
            self._cells = cells
        return cells

    def close(self) -> None:
        with self._lock:
            opened, self._opened, self._api, self._cells = list(self._opened.values()), {}, None, None
        for db in opened:
            db.close()

    def _known(self) -> dict[str, Cell]:
        cells = self._cells
        return cells if cells is not None else self.refresh()

    def _cell(self, row: Any) -> Cell:
        url = fill_template(row.database_connection, self._conf.database.connection)
        transport = fill_template(row.transport_url, self._conf.transport_url)
        db = self._open(url, self._conf.database)
        return Cell(row.id, row.uuid, row.name, transport, bool(row.disabled), db)

    def _open(self, url: str, group: Any) -> Database:
        with self._lock:
            if url not in self._opened:
                self._opened[url] = Database(url, group)
            return self._opened[url]


def _rows(conn: Connection) -> list[Any]:
    return list(conn.execute(select(schema.nova_api.tables["cell_mappings"])))

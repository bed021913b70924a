"""The databases of a run: looked at after every call, and put back before every case. Standard library alone."""

import sqlite3
from collections.abc import Iterator
from typing import Any

Rows = dict[str, dict[str, dict[str, Any]]]


class SqliteFile:
    """A SQLite file that begins as a copy of `template`.

    :param name: what the rows of this database are noted under, "api" or "cell"
    """

    def __init__(self, name: str, path: str, template: str) -> None:
        self.name = name
        self._conn = sqlite3.connect(path, isolation_level=None, timeout=30)
        self._conn.row_factory = sqlite3.Row
        self._conn.execute("ATTACH DATABASE ? AS template", (template,))
        self._tables = list(self._names())
        self._seed = {table: self._table(table) for table in self._tables}
        self._last, self._version = dict(self._seed), self._stamp()

    def rows(self) -> Rows:
        """Every row of every table by its key; read anew only when somebody wrote."""
        version = self._stamp()
        if version != self._version:
            self._last = {table: self._table(table) for table in self._tables}
            self._version = version
        return self._last

    def restore(self) -> None:
        """The rows of the template again."""
        changed = [table for table, rows in self.rows().items() if rows != self._seed[table]]
        if not changed:
            return
        self._conn.execute("BEGIN IMMEDIATE")
        for table in changed:
            self._conn.execute(f"DELETE FROM main.{table}")
            self._conn.execute(f"INSERT INTO main.{table} SELECT * FROM template.{table}")
        self._conn.execute("COMMIT")
        # A connection does not see its own writing in the stamp: take over what is known.
        self._last = dict(self._seed)

    def close(self) -> None:
        self._conn.close()

    def _names(self) -> Iterator[str]:
        found = self._conn.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name")
        for (name,) in found.fetchall():
            if not name.startswith(("sqlite_", "shadow_", "alembic")):
                yield name

    def _stamp(self) -> int:
        return int(self._conn.execute("PRAGMA main.data_version").fetchone()[0])

    def _table(self, table: str) -> dict[str, dict[str, Any]]:
        keys = [row["name"] for row in self._conn.execute(f"PRAGMA main.table_info({table})") if row["pk"]]
        found = {}
        for number, row in enumerate(self._conn.execute(f"SELECT * FROM main.{table} ORDER BY rowid")):
            key = "/".join(str(row[name]) for name in keys) or str(number)
            found[key] = dict(row)
        return found


def _moved(column: str, before: Any, after: Any) -> bool:
    """Whether a column changed. A second `updated_at` of the same day says nothing: clocks count in other steps."""
    if column == "updated_at" and before is not None and after is not None:
        return str(before)[:10] != str(after)[:10]
    return before != after


def difference(before: Rows, after: Rows) -> dict[str, Any]:
    """What changed: table -> key -> the new row, the changed columns, or None for a row that is gone."""
    found: dict[str, Any] = {}
    for table, rows in after.items():
        old = before[table]
        if rows == old:
            continue
        changed: dict[str, Any] = {key: None for key in old if key not in rows}
        for key, row in rows.items():
            if key not in old:
                changed[key] = {column: value for column, value in row.items() if value is not None}
            elif row != old[key]:
                changes = {column: value for column, value in row.items() if _moved(column, old[key][column], value)}
                changed.update({key: changes} if changes else {})
        if changed:
            found[table] = changed
    return found

"""The same as `stores` for databases of a MariaDB or MySQL server. PyMySQL alone, which a real Nova has too."""

import datetime
from typing import Any

import pymysql
from pymysql.cursors import DictCursor


class MysqlDatabase:
    """A database whose rows are at first those of `template`, another one of the server.

    :param name: what the rows of this database are noted under
    :param server: arguments of pymysql.connect
    """

    def __init__(self, name: str, server: dict[str, Any], database: str, template: str) -> None:
        self.name = name
        self._template = template
        self._conn = pymysql.connect(**server, database=database, autocommit=True, cursorclass=DictCursor)
        self._keys = self._primary_keys(database)
        self._empty: list[str] = []
        self._seed = self._all()
        self._empty = [table for table, rows in self._seed.items() if not rows]

    def rows(self) -> dict[str, Any]:
        """Every row of every table by its key."""
        return self._all()

    def restore(self) -> None:
        """The rows of the template again, with the numbers that come next."""
        changed = [table for table, rows in self._all().items() if rows != self._seed[table]]
        if not changed:
            return
        with self._conn.cursor() as cursor:
            cursor.execute("SET SESSION foreign_key_checks = 0")
            self._conn.begin()
            for table in changed:
                cursor.execute(f"DELETE FROM {table}")
                cursor.execute(f"INSERT INTO {table} SELECT * FROM {self._template}.{table}")
            self._conn.commit()
            for table in changed:
                cursor.execute(f"ALTER TABLE {table} AUTO_INCREMENT = 1")
            cursor.execute("SET SESSION foreign_key_checks = 1")

    def close(self) -> None:
        self._conn.close()

    def _primary_keys(self, database: str) -> dict[str, list[str]]:
        columns = (
            "SELECT table_name AS t, column_name AS c, column_key AS k FROM information_schema.columns"
            " WHERE table_schema = %s ORDER BY table_name, ordinal_position"
        )
        found: dict[str, list[str]] = {}
        with self._conn.cursor() as cursor:
            cursor.execute(columns, (database,))
            for row in cursor.fetchall():
                if not row["t"].startswith(("shadow_", "alembic")):
                    found.setdefault(row["t"], []).extend([row["c"]] if row["k"] == "PRI" else [])
        return found

    def _all(self) -> dict[str, Any]:
        still = self._still_empty()
        return {table: {} if table in still else self._table(table, keys) for table, keys in self._keys.items()}

    def _still_empty(self) -> set[str]:
        """Of the tables that are empty at first those that are: one question for all, for a server is slow at many."""
        if not self._empty:
            return set()
        asked = " UNION ALL ".join(f"SELECT '{table}' AS t FROM {table}" for table in self._empty)
        with self._conn.cursor() as cursor:
            cursor.execute(asked)
            filled = {row["t"] for row in cursor.fetchall()}
        return set(self._empty) - filled

    def _table(self, table: str, keys: list[str]) -> dict[str, dict[str, Any]]:
        with self._conn.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
            rows = cursor.fetchall()
        return {
            "/".join(str(row[key]) for key in keys): {column: _plain(value) for column, value in row.items()}
            for row in rows
        }


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, datetime.datetime) else value

"""Where the rows of a run are: SQLite files, or databases of a MariaDB or MySQL server."""

import datetime
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import make_url

from conductor_objects import seed_api, seed_cell
from conductor_objects.stores import SqliteFile
from conductor_objects.stores_mysql import MysqlDatabase
from keel_common.db import Database, schema, sync

KINDS = {"api": "nova_api", "cell": "nova_cell", "cell0": "nova_cell"}
LOOKED_AT = ("api", "cell")


class World:
    """Seeded databases.

    :ivar urls: SQLAlchemy URL by name (api, cell, cell0)
    :ivar places: text that differs from run to run -> the one that is noted
    :ivar stores: what opens the databases that are looked at, as JSON: [kind, name, arguments...]
    """

    def __init__(self, urls: dict[str, str], places: dict[str, str], stores: list[list[Any]]) -> None:
        self.urls, self.places, self.stores = urls, places, stores

    def opened(self) -> list[Any]:
        kinds = {"sqlite": SqliteFile, "mysql": MysqlDatabase}
        return [kinds[kind](*arguments) for kind, *arguments in self.stores]


def sqlite(folder: Path) -> World:
    """Files in `folder`, with templates beside them."""
    urls = {name: f"sqlite:///{folder}/{name}.db" for name in KINDS}
    for name, url in urls.items():
        _fill(name, url, urls)
        conn = sqlite3.connect(folder / f"{name}.db")
        conn.execute("PRAGMA journal_mode = DELETE")
        conn.close()
        (folder / f"{name}.template.db").write_bytes((folder / f"{name}.db").read_bytes())
    stores = [["sqlite", name, f"{folder}/{name}.db", f"{folder}/{name}.template.db"] for name in LOOKED_AT]
    return World(urls, _places(urls), stores)


@contextmanager
def mysql(server: str) -> Iterator[World]:
    """Databases of their own on a server (mysql+pymysql://user@host/?...); they are dropped in the end."""
    mark = uuid.uuid4().hex[:8]
    engine = sa.create_engine(server)
    names = {f"{name}{end}": f"keel_objects_{mark}_{name}{end}" for name in KINDS for end in ("", "_template")}
    try:
        with engine.connect() as conn:
            for name in names.values():
                conn.execute(sa.text(f"CREATE DATABASE {name} CHARACTER SET utf8mb3"))
        every = {name: server.replace("/?", f"/{database}?") for name, database in names.items()}
        urls = {name: every[name] for name in KINDS}
        for name in KINDS:
            _fill(name, every[name], urls)
            _fill(name, every[f"{name}_template"], urls)
        url = make_url(server)
        login = {"user": url.username, "password": url.password or "", "host": url.host, "port": url.port or 3306}
        login |= {"unix_socket": url.query["unix_socket"]} if "unix_socket" in url.query else {}
        stores = [["mysql", name, login, names[name], names[f"{name}_template"]] for name in LOOKED_AT]
        yield World(urls, _places(urls), stores)
    finally:
        with engine.connect() as conn:
            for name in names.values():
                conn.execute(sa.text(f"DROP DATABASE IF EXISTS {name}"))
        engine.dispose()


def _places(urls: dict[str, str]) -> dict[str, str]:
    return {url: seed_api.place(name) for name, url in urls.items()}


def _fill(name: str, url: str, urls: dict[str, str]) -> None:
    """Tables and seeds of one database. cell0 stays empty."""
    db = Database(url)
    sync(db, KINDS[name])
    if name != "cell0":
        rows = (seed_api if name == "api" else seed_cell).rows()
        db.run(_insert, schema.of(KINDS[name]).tables, rows, {seed_api.place(one): text for one, text in urls.items()})
    db.close()


def _insert(conn: sa.Connection, tables: Any, rows: dict[str, list[dict[str, Any]]], texts: dict[str, str]) -> None:
    for name, those in rows.items():  # what is referred to comes first
        table = tables[name]
        for row in those:
            known = {column: value for column, value in row.items() if column in table.c or not _common(column)}
            values = {column: _stored(table.c[column], value, texts) for column, value in known.items()}
            conn.execute(sa.insert(table).values(values))


def _common(column: str) -> bool:
    return column in ("created_at", "deleted")


def _stored(column: Any, value: Any, texts: dict[str, str]) -> Any:
    if isinstance(column.type, sa.DateTime) and isinstance(value, str):
        return datetime.datetime.fromisoformat(value)
    return texts.get(value, value) if isinstance(value, str) else value

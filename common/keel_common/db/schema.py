"""The tables of Nova's API database, Nova's cell databases and Cinder's database.

`nova_api`, `nova_cell` and `cinder` are SQLAlchemy MetaData with every table as the last migration of nova 34.0.0 and
cinder 29.0.0 leaves it, legacy and shadow tables too. Each is made when it is first asked for: a process needs those of
one suite. They serve statements; the tables themselves are made from the recorded definitions of each engine (see
`sync`), which carry indexes, unique and foreign keys.
"""

import json
import re
import threading
from importlib import resources
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, DateTime, Float, Integer, MetaData, String, Table, Text
from sqlalchemy.dialects import mysql

_making = threading.Lock()
_TYPES: dict[str, Any] = {
    "integer": Integer,
    "bigint": BigInteger,
    "boolean": Boolean,
    "datetime": DateTime,
    "datetime(6)": lambda: DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb"),
    "float": Float,
    "text": Text,
}


def _type(name: str) -> Any:
    length = re.fullmatch(r"varchar\((\d+)\)", name)
    return String(int(length.group(1))) if length else _TYPES[name]()


def _metadata(name: str) -> MetaData:
    metadata = MetaData()
    tables = json.loads(resources.files(__package__).joinpath(f"data/{name}.json").read_text())
    for table, rows in tables.items():
        columns = [
            Column(column, _type(kind), nullable=not null, primary_key=column in rows["key"])
            for column, kind, *null in rows["columns"]
        ]
        Table(table, metadata, *columns)
    return metadata


HEADS = {"nova_api": "cdeec0c85668", "nova_cell": "ab450ba04102", "cinder": "9c74c1c6971f"}
"""Newest Alembic revision of each database, as the recorded release stamps it into alembic_version."""


_made: dict[str, MetaData] = {}


def of(name: str) -> MetaData:
    """The tables of one of the databases that HEADS names."""
    with _making:
        if name not in _made:
            _made[name] = _metadata(name)
        return _made[name]


def __getattr__(name: str) -> MetaData:
    if name not in HEADS:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return of(name)

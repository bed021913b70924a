"""Makes the databases of a run and has a conductor answer the cases."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from sqlalchemy import DateTime

from conductor_objects import names, seed_api, seed_cell
from conductor_objects.calls import Case
from conductor_objects.driver import Driver
from conductor_objects.normal import Normal, uuids
from conductor_objects.ours import Conductor
from conductor_objects.stores import SqliteFile
from keel_common.db import Database, schema, sync
from keel_contract.context import Context
from keel_dev.settings import Settings

SCRIPT = Path(__file__).with_name("reference.py")
DATABASES = {"api": "nova_api", "cell": "nova_cell"}
SECONDS = 1800
CONFIG = """[DEFAULT]
transport_url = fake://
host = control
[database]
connection = sqlite:///{folder}/cell.db
[api_database]
connection = sqlite:///{folder}/api.db
[placement]
auth_type = none
endpoint_override = http://127.0.0.1:9
"""


def reference() -> str | None:
    """The python of an environment with a real Nova: KEEL_REFERENCE, else the one that `keel-cloud` made."""
    made = Settings.from_environment().environment_folder("reference") / "bin" / "python"
    return os.environ.get("KEEL_REFERENCE") or (str(made) if made.exists() else None)


def databases(folder: Path) -> None:
    """Seeded databases api.db, cell.db and cell0.db (empty) in `folder`, with templates beside them."""
    for name, kind in {**DATABASES, "cell0": "nova_cell"}.items():
        path = folder / f"{name}.db"
        db = Database(f"sqlite:///{path}")
        sync(db, kind)
        db.close()
        conn = sqlite3.connect(path)
        if name != "cell0":
            _insert(conn, kind, (seed_api if name == "api" else seed_cell).rows(), str(folder))
        conn.execute("PRAGMA journal_mode = DELETE")
        conn.close()
        template = folder / f"{name}.template.db"
        template.write_bytes(path.read_bytes())


def _insert(conn: sqlite3.Connection, kind: str, rows: dict[str, list[dict[str, Any]]], folder: str) -> None:
    tables = schema.of(kind).tables
    for table, values in rows.items():
        for row in values:
            row = {column: value for column, value in row.items() if column in tables[table].c or not _common(column)}
            row = {column: _stored(tables[table].c[column], value, folder) for column, value in row.items()}
            marks = ", ".join("?" * len(row))
            conn.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    conn.commit()


def _common(column: str) -> bool:
    return column in ("created_at", "deleted")


def _stored(column: Any, value: Any, folder: str) -> Any:
    """Texts with the folder put in; moments as SQLAlchemy writes them, so that equal ones are equal texts."""
    if not isinstance(value, str):
        return value
    return f"{value}.000000" if isinstance(column.type, DateTime) else value.replace(seed_api.PLACE, folder)


def config(folder: Path) -> str:
    """The nova.conf of either conductor; nothing answers at the end points of its peers."""
    path = folder / "nova.conf"
    path.write_text(CONFIG.format(folder=folder))
    return str(path)


def context() -> dict[str, Any]:
    """The wire form of who asks in every call: an administrator with a project."""
    asked = Context(names.USER, names.PROJECT, ["admin"], names.REQUEST, is_admin=True, timestamp="2024-02-01T00:00:00")
    return asked.to_wire("nova")


def known(cases: list[Case]) -> set[str]:
    """The uuids of seeds, cases and the context."""
    return uuids([seed_api.rows(), seed_cell.rows(), cases, context()])


def ours(folder: Path, cases: list[Case]) -> dict[str, Any]:
    """Case name -> outcomes of our conductor."""
    databases(folder)
    stores = [SqliteFile(name, f"{folder}/{name}.db", f"{folder}/{name}.template.db") for name in DATABASES]
    conductor = Conductor(config(folder))
    driver = Driver(conductor, stores, Normal(known(cases), {str(folder): "<dir>"}), context())
    try:
        return {case["name"]: driver.run(case) for case in cases}
    finally:
        conductor.close()
        for store in stores:
            store.close()


def theirs(folder: Path, cases: list[Case], python: str) -> dict[str, Any]:
    """Case name -> outcomes of the conductor of the Nova that `python` has.

    :raises subprocess.CalledProcessError: it did not run; its output has the reason
    """
    databases(folder)
    job = {
        "databases": {name: [f"{folder}/{name}.db", f"{folder}/{name}.template.db"] for name in DATABASES},
        "config": config(folder),
        "places": {str(folder): "<dir>"},
        "context": context(),
        "known": sorted(known(cases)),
        "cases": cases,
        "answers": f"{folder}/answers.json",
    }
    (folder / "job.json").write_text(json.dumps(job))
    subprocess.run([python, str(SCRIPT), str(folder / "job.json")], check=True, timeout=SECONDS)
    return dict(json.loads((folder / "answers.json").read_text()))

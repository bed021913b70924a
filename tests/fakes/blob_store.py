"""Our databases filled with given rows, and what our conductor reads from them and writes into them."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from keel_common.config import load
from keel_common.db import Cells, Database, sync
from keel_conductor.endpoints.objects import ObjectEndpoint
from keel_contract.context import Context
from keel_contract.nova.objects import REGISTRY
from keel_contract.serializer import Serializer

TABLES = {
    "cell": ("instances", "instance_extra", "instance_info_caches", "instance_metadata", "instance_system_metadata"),
    "api": ("request_specs", "build_requests"),
}
READ = (
    "device_metadata",
    "flavor",
    "keypairs",
    "migration_context",
    "numa_topology",
    "pci_requests",
    "resources",
    "trusted_certs",
    "vcpu_model",
    "info_cache",
    "metadata",
    "system_metadata",
)
CREATED = ("BuildRequest", "RequestSpec", "Instance")
CONFIG = """[DEFAULT]
transport_url = fake://
host = control
[database]
connection = sqlite:///{folder}/cell.db
[api_database]
connection = sqlite:///{folder}/api.db
"""
MOMENT = "2026-01-01 00:00:00.000000"
Rows = dict[str, list[dict[str, Any]]]


class BlobStore:
    """:param folder: of the SQLite files"""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, kind in {"api": "nova_api", "cell": "nova_cell", "cell0": "nova_cell"}.items():
            db = Database(f"sqlite:///{folder}/{name}.db")
            sync(db, kind)
            db.close()
        (folder / "nova.conf").write_text(CONFIG.format(folder=folder))
        conf = load("compute", argv=[], config_files=[str(folder / "nova.conf")])
        self._cells = Cells(conf)
        self._endpoint = ObjectEndpoint(conf, self._cells)
        self._serializer = Serializer("nova", REGISTRY)

    def close(self) -> None:
        self._cells.close()

    def fill(self, rows: Rows) -> None:
        """These rows, and no others."""
        for side, tables in TABLES.items():
            with sqlite3.connect(self.folder / f"{side}.db") as conn:
                for table in tables:
                    conn.execute(f"DELETE FROM {table}")
                    for row in rows.get(table, ()):
                        marks = ", ".join("?" * len(row))
                        conn.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))

    def rows(self) -> Rows:
        """The rows there are, made at one moment, without the columns that have no value."""
        found = {}
        for side, tables in TABLES.items():
            with sqlite3.connect(self.folder / f"{side}.db") as conn:
                conn.row_factory = sqlite3.Row
                for table in tables:
                    conn.execute(f"UPDATE {table} SET created_at = ?, updated_at = NULL", (MOMENT,))
                    rows = conn.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
                    found[table] = [
                        {key: value for key, value in dict(row).items() if value is not None} for row in rows
                    ]
        return found

    def read(self, uuid: str) -> dict[str, Any]:
        """What a peer gets of the objects of a server."""
        server = self._class_action("Instance", "get_by_uuid", [uuid], {"expected_attrs": list(READ)})
        return {"Instance": server, **self.read_request(uuid)}

    def read_request(self, uuid: str) -> dict[str, Any]:
        """What a peer gets of the objects of a server that was asked for."""
        names = ("RequestSpec", "BuildRequest")
        return {name: self._class_action(name, "get_by_instance_uuid", [uuid], {}) for name in names}

    def create(self, sent: dict[str, Any]) -> Rows:
        """What is stored when a peer has these objects created."""
        self.fill({})
        for name in CREATED:
            self._ask("object_action", objinst=sent[name], objmethod="create", args=[], kwargs={})
        return self.rows()

    def _class_action(self, name: str, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        # the versions that a peer of our release tells
        versions = REGISTRY.manifest(name)
        return self._ask(
            "object_class_action_versions",
            objname=name,
            objmethod=method,
            object_versions=versions,
            args=args,
            kwargs=kwargs,
        )

    def _ask(self, method: str, **args: Any) -> Any:
        """What a peer is answered, both ways through the wire form."""
        context = Context.admin("nova")
        given = {key: self._serializer.deserialize_entity(context, value) for key, value in args.items()}
        answer = getattr(self._endpoint, method)(context, **given)
        return json.loads(json.dumps(self._serializer.serialize_entity(context, answer)))


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None}

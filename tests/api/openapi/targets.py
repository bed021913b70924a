"""Both APIs with one of everything in a project, whose texts carry a mark that no other project may ever read."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa
from fakes.api import CELL0, PROJECT, Identity, Reply, Snapshot, VolumeApi

from api.compute import conftest as compute_whole
from api.compute import wishes as compute_wishes
from api.volume import recorded as volume_recorded
from api.volume import wishes as volume_wishes
from api.volume import world as volume_world
from keel_common.db import schema

MARK = "read-by-a-stranger"
#: Columns of texts that people wrote.
_TEXTS = ("display_name", "display_description", "description", "hostname", "user_data", "key_data", "fail_reason")
_OF_SERVERS = {"instance_metadata": "value", "instance_faults": "message", "share_mapping": "export_location"}
_NAMED = ("instance_groups", "groups", "group_snapshots")


def mark(database: Any, kind: str) -> None:
    """Write the mark into every text of a project's things."""
    for table in schema.of(kind).tables.values():
        names = [name for name in _TEXTS if name in table.c] if "project_id" in table.c else []
        names += ["name"] if table.name in _NAMED else []
        names += [_OF_SERVERS[table.name]] if table.name in _OF_SERVERS else []
        if names:
            database.run(_write, sa.update(table).values(dict.fromkeys(names, MARK)))


def _write(conn: Any, statement: Any) -> None:
    conn.execute(statement)


# Our peers take what the real ones refuse (a project of any name among it), and then it is shown.
_PROXIED = ("/os-volumes", "/os-snapshots", "/images")


class Target:
    """One API: `send` answers a generated case, `known` are paths of things that exist, `restore` forgets changes."""

    suite: str
    api: Any

    def send(self, case: Any, who: Identity, path: str) -> Reply:
        """The answer to a generated case under a path."""
        proxied = path.startswith(_PROXIED) or path.endswith("/action") and path.startswith("/flavors")
        query = urlencode(list(_pairs(case.query or {})), errors="surrogatepass")
        headers = {name: str(value) for name, value in (case.headers or {}).items() if _sendable(str(value))}
        headers.pop("X-Auth-Token", None)
        return self.api.call(
            case.method,
            path + (f"?{query}" if query else ""),
            _bytes(case),
            who=who,
            headers=headers,
            checked=not proxied,
        )

    def known(self, method: str, template: str) -> list[str]:
        """Paths of an operation that lead to something."""
        raise NotImplementedError

    def requests(self) -> Iterator[tuple[str, str, str, Any, str]]:
        """(name, method, path, body, version) of a fair request for every operation."""
        raise NotImplementedError

    def restore(self) -> None:
        """Back to the beginning."""
        raise NotImplementedError

    def databases(self) -> dict[str, Any]:
        """Kind of schema -> databases."""
        raise NotImplementedError

    def rows(self) -> set[str]:
        """Every row of every database."""
        return {line for databases in self.databases().values() for database in databases for line in _dump(database)}


def _dump(database: Any) -> list[str]:
    with database.engine.connect() as connection:
        return [line for line in connection.connection.driver_connection.iterdump() if "INSERT" in line]


def _pairs(query: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        for each in value if isinstance(value, list) else [value]:
            yield name, each if isinstance(each, str) else json.dumps(each)


def _sendable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _bytes(case: Any) -> bytes | None:
    if type(case.body).__name__ == "NotSet":
        return None
    return case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode("utf-8", "surrogatepass")


class Compute(Target):
    suite = "compute"

    def __init__(self, tables: Snapshot):
        self._whole = compute_whole.Whole(tables)
        self.api = self._whole.api
        self._whole.change(lambda databases: [mark(db, _KINDS[name]) for name, db in databases.items()])
        self._known: dict[tuple[str, str], list[str]] = {}
        for wish in compute_wishes.all_wishes():
            method, path, _ = wish.request(self._whole.made)
            template = wish.op_id.partition(" ")[2].partition(" #")[0]
            self._known.setdefault((method, template), []).append(path.partition("?")[0])

    def known(self, method: str, template: str) -> list[str]:
        return self._known[method, template]

    def requests(self) -> Iterator[tuple[str, str, str, Any, str]]:
        for wish in compute_wishes.all_wishes():
            yield (wish.id, *wish.request(self._whole.made), wish.version)

    def databases(self) -> dict[str, Any]:
        cells = self.api.cells
        return {"nova_api": [cells.api], "nova_cell": [cells.get(CELL0).db, self.api.cell1.db]}

    def restore(self) -> None:
        self._whole.restore()


_KINDS = {"api": "nova_api", "cell0": "nova_cell", "cell1": "nova_cell"}


class Volume(Target):
    suite = "volume"

    def __init__(self, tables: Snapshot):
        self.api = VolumeApi(tables)
        self._made = self.api.db.run(volume_world.build)
        mark(self.api.db, "cinder")
        self._beginning = Snapshot.taken({"cinder": self.api.db})
        self.api.set("service_down_time", 86400)
        self.api.set("migration_create_volume_timeout_secs", 0)
        self._known: dict[tuple[str, str], list[str]] = {}
        for row in volume_recorded.operations():
            method, path, _ = volume_wishes.request(row["id"], self._made)
            template = row["id"].partition(" ")[2].partition(" #")[0]
            self._known.setdefault((method, template), []).append(path.partition("?")[0])
        self.restore()

    def known(self, method: str, template: str) -> list[str]:
        return self._known.get((method, template), [])

    def requests(self) -> Iterator[tuple[str, str, str, Any, str]]:
        for row in volume_recorded.operations():
            if not row.get("always_400"):
                yield (row["id"], *volume_wishes.request(row["id"], self._made), "3.71")

    def databases(self) -> dict[str, Any]:
        return {"cinder": [self.api.db]}

    def restore(self) -> None:
        self._beginning.restore(self.api.db, "cinder")
        self.api.bus.sent.clear()
        self.api.bus.answers.update(copy.deepcopy(volume_world.answers(self._made)))
        clients = self.api.services.clients
        clients.glance, clients.keystone = volume_world.Image(), volume_world.Projects()


TARGETS = {"compute": Compute, "volume": Volume}
__all__ = ["MARK", "PROJECT", "TARGETS", "Target"]

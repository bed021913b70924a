"""How a migration looks in the list of all and at its server (nova 34.0.0 response schemas 2.1 to 2.80)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from keel_api.http import Field, Request, View
from keel_api.http.times import stamp
from keel_api.http.view import ABSENT
from keel_common.db.stores.nova.migrations_page import IN_PROGRESS, LIVE

HOSTS = ("source_compute", "dest_compute", "source_node", "dest_node", "dest_host")


@dataclass(frozen=True)
class Scope:
    """What the getters need beside the row: the request, and whether the caller may know the hosts."""

    req: Request
    hosts: bool


def _moment(name: str) -> Callable[[Mapping[str, Any], Any], Any]:
    return lambda row, _: stamp(row[name])


def _host(name: str) -> Callable[[Mapping[str, Any], Scope], Any]:
    return lambda row, scope: row[name] if scope.hosts else None


def _links(row: Mapping[str, Any], scope: Scope) -> Any:
    if row["migration_type"] != LIVE or row["status"] not in IN_PROGRESS:
        return ABSENT
    return scope.req.links.pair("servers", row["instance_uuid"], "migrations", str(row["id"]))


_SHARED = [
    Field("id", "id"),
    *[Field(name, _host(name), columns=(name,)) for name in HOSTS],
    Field("status", "status"),
    Field("created_at", _moment("created_at"), columns=("created_at",)),
    Field("updated_at", _moment("updated_at"), columns=("updated_at",)),
    Field("uuid", "uuid", since="2.59"),
    Field("user_id", "user_id", since="2.80"),
    Field("project_id", "project_id", since="2.80"),
]

MIGRATION = View(
    "migration",
    [
        *_SHARED,
        Field("instance_uuid", "instance_uuid"),
        Field("old_instance_type_id", "old_instance_type_id"),
        Field("new_instance_type_id", "new_instance_type_id"),
        Field("migration_type", "migration_type", since="2.23"),
        Field("links", _links, since="2.23", columns=("status", "migration_type"), optional=True),
    ],
)

OF_SERVER = View(
    "server migration",
    [
        *_SHARED,
        Field("server_uuid", "instance_uuid"),
        *[
            Field(f"{what}_{part}_bytes", f"{what}_{part}")
            for what in ("memory", "disk")
            for part in ("total", "processed", "remaining")
        ],
    ],
)

"""Load a group for a request."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_api.volume import faults, lookup
from keel_common.db.stores.cinder import groups, services
from keel_common.db.stores.cinder.group_types import CONSISTENCY_TYPE
from keel_common.domain.volume import hosts

Row = dict[str, Any]


def load(conn: Any, req: Request, rule: str | None = None, group_id: str | None = None) -> Row:
    """The group of the request that the caller may see, else 404. `rule`: checked on it as well."""
    group_id = req.path["id"] if group_id is None else group_id
    row = groups.get(conn, group_id, lookup.scope(req))
    if row is None:
        raise faults.not_found("Group", group_id)
    for wanted in filter(None, ("group:get", rule)):
        req.must(wanted, lookup.target(row))
    return row


def no_consistency_group(row: Row) -> Row:
    """The row, or a 400: what the older API made is changed by the older API alone."""
    if row["group_type_name"] == CONSISTENCY_TYPE:
        raise reserved(row["group_type_id"], "group", "CG APIs")
    return row


def reserved(type_id: str, what: str, where: str) -> Fault:
    """The refusal of a group (snapshot) that belongs to the older API."""
    return Fault(
        400,
        f"Group_type {type_id} is reserved for migrating CGs to groups. Migrated {what} can only be operated by "
        f"{where}.",
    )


def not_frozen(conn: Any, row: Row) -> None:
    """A 400 when the backend of a group is frozen."""
    if row["host"] and services.is_frozen(conn, hosts.backend_of(row["host"])):
        raise faults.invalid_input(f"backend {hosts.backend_of(row['host'])} is frozen")

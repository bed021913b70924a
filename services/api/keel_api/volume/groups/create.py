"""Make a group (source: cinder 29.0.0 group flow)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, group_rpc, lookup, settings
from keel_api.volume.groups import views
from keel_api.volume.groups.lookup import reserved
from keel_api.volume.volumes.wish import is_uuid
from keel_common.db.stores.cinder import group_types, groups, quotas, types
from keel_common.db.stores.cinder.group_types import CONSISTENCY_TYPE
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.quotas import create_group

LOG = logging.getLogger(__name__)
Row = dict[str, Any]


@handles("POST /groups")
def create(req: Request) -> Row:
    """A group in `creating`, told to the scheduler: 202."""
    asked = req.body["group"]
    req.must("group:create")

    def kind(conn: Any) -> Row:
        row = _group_type(conn, req, asked["group_type"])
        if row["name"] == CONSISTENCY_TYPE:
            raise reserved(row["id"], "group", "CG APIs")
        return row

    row = make(req, kind, asked["volume_types"], asked)
    return {"group": views.render(req, views.SUMMARY, [row])[0]}


def make(req: Request, kind: Any, volume_types: Sequence[str], asked: Row) -> Row:
    """Write a group of the group type `kind(conn)` for these types of volumes and hand it to the scheduler."""
    project_needed(req)
    zone = asked.get("availability_zone")
    known = req.services.zones.known(zone)
    try:
        row, group_type, type_rows, qos = req.services.db.run(_record, req, kind, volume_types, asked, known)
    except quota_rules.OverQuota as error:
        raise faults.over_quota(error, "groups") from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        group_rpc.create(req, row, group_type, type_rows, qos)
    except Exception:
        LOG.exception("Group %s could not be handed to the scheduler", row["id"])
        req.services.db.run(groups.change, row["id"], {"status": "error"})
        raise
    return row


def project_needed(req: Request) -> None:
    """A 403 for a token that names no project."""
    if not req.context.project_id:
        raise Fault(403, "A token of a project is needed.")


def _record(conn: Any, req: Request, kind: Any, volume_types: Sequence[str], asked: Row, known: list[str]) -> tuple:
    group_type = kind(conn)
    type_rows = [_volume_type(conn, req, text) for text in volume_types]
    qos = {one["id"]: types.qos_specs(conn, one["qos_specs_id"]) if one["qos_specs_id"] else None for one in type_rows}
    zone = _zone(req, asked.get("availability_zone"), known)
    take_quota(conn, req)
    values = {**words(asked), "availability_zone": zone, "group_type_id": group_type["id"]}
    row = groups.create(conn, {**owner(req), **values}, [one["id"] for one in type_rows])
    return row, group_type, type_rows, qos


def owner(req: Request) -> Row:
    """Whose a new row is."""
    return {"user_id": req.context.user_id, "project_id": req.context.project_id}


def words(asked: Row) -> Row:
    """Name and description of a body, without blanks around them."""
    found = {key: asked.get(key) for key in ("name", "description")}
    return {key: value.strip() if isinstance(value, str) else value for key, value in found.items()}


def take_quota(conn: Any, req: Request) -> None:
    """Take the quota of a group for good: its row is written in the same transaction."""
    options, project, deltas = settings.quotas(req), req.context.project_id, create_group()
    limits = quotas.limits(conn, options, project, deltas, req.context.quota_class)
    quotas.take(conn, options, project, deltas, limits)


def _group_type(conn: Any, req: Request, text: str) -> Row:
    find = group_types.get if is_uuid(text) else group_types.get_by_name
    row = find(conn, text, lookup.scope(req))
    if row is None:
        raise faults.not_found("Group type" if is_uuid(text) else "Group type with name", text)
    return row


def _volume_type(conn: Any, req: Request, text: str) -> Row:
    row = types.get_by_id_or_name(conn, text, lookup.scope(req))
    if row is None:
        raise faults.not_found("Volume type" if is_uuid(text) else "Volume type with name", text)
    return row


def _zone(req: Request, asked: str | None, known: list[str]) -> str:
    conf = req.services.conf
    default = conf.default_availability_zone or conf.storage_availability_zone
    if asked is None:
        return default
    if asked not in known:
        if conf.allow_availability_zone_fallback:
            return default
        raise faults.invalid_input(f"Availability zone '{asked}' is invalid.")
    return asked

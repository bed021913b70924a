"""List, show, change, delete, reset backups; their records (source: cinder 29.0.0 backup flow)."""

from __future__ import annotations

import base64
import binascii
import json
import uuid
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import View
from keel_api.volume import backup_rpc, faults, lists, lookup, settings
from keel_api.volume.backups import place, views
from keel_common.db.stores.cinder import backups, metadata, quotas, transitions
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.lists import BACKUPS
from keel_common.domain.volume.states import TRANSITIONS
from keel_contract.errors import RemoteFault

Row = dict[str, Any]
_NO_VOLUME = "00000000-0000-0000-0000-000000000000"
_RESETTABLE = ("available", "error")


@handles("GET /backups")
def index(req: Request) -> Row:
    """Ids, names and links."""
    return _list(req, views.SUMMARY, ("backups",))


@handles("GET /backups/detail")
def detail(req: Request) -> Row:
    """All fields the caller may see."""
    return _list(req, views.DETAIL, ("backups", "detail"))


def _list(req: Request, view: View, collection: tuple[str, ...]) -> Row:
    req.must("backup:get_all")
    project = lists.project(req, strict=True)
    page, filters, counted = lists.paging(req, BACKUPS), lists.filters(req, BACKUPS), lists.wants_count(req, BACKUPS)

    def work(conn: Any) -> tuple[list[Row], int | None]:
        rows, total = backups.find(conn, filters, page, project, counted)
        return (rows if view is views.SUMMARY else backups.enrich(conn, rows)), total

    try:
        rows, total = req.services.db.read(work)
    except MarkerGone as gone:
        raise faults.not_found("Backup", gone.marker) from None
    return lists.answer(req, "backups", views.render(req, view, rows), page, collection, total)


@handles("GET /backups/{id}")
def show(req: Request) -> Row:
    """One backup."""
    return {"backup": views.render(req, views.DETAIL, [req.services.db.read(place.load, req, None)])[0]}


@handles("PUT /backups/{id}")
def update(req: Request) -> Row:
    """Change name, description and, from 3.43 on, all metadata."""
    asked = req.body["backup"] or {}
    columns = {"name": "display_name", "description": "display_description"}
    values = {column: _trimmed(asked[key]) for key, column in columns.items() if key in asked}

    def work(conn: Any) -> Row:
        row = place.load(conn, req, "backup:update")
        if values:
            backups.change(conn, row["id"], values)
        if asked.get("metadata") is not None:
            metadata.merge(conn, metadata.BACKUP, row["id"], asked["metadata"], replace=True)
        return {**row, **values}

    return {"backup": views.render(req, views.SUMMARY, [req.services.db.run(work)])[0]}


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


@handles("DELETE /backups/{id}")
def delete(req: Request) -> Response:
    """Delete a backup no other builds on: 202."""
    _delete(req, force=False)
    return Response()


@handles("POST /backups/{id}/action #os-force_delete")
def force_delete(req: Request) -> Response:
    """Delete in any state, where the store of the backups can (405 where not): 202."""
    _delete(req, force=True)
    return Response()


def _delete(req: Request, force: bool) -> None:
    def check(conn: Any) -> tuple[Row, str]:
        row = place.load(conn, req, "backup:delete")
        if force:
            req.must("volume_extension:backup_admin_actions:force_delete", lookup.target(row))
        elif row["status"] not in TRANSITIONS["backup delete"].expected["status"]:
            raise _status_refused(TRANSITIONS["backup delete"], "available or error")
        return row, place.host_for(conn, req, row, row["availability_zone"])

    row, host = req.services.db.read(check)
    if force:
        _can_force(req, host)

    def work(conn: Any) -> Row:
        if backups.has_children(conn, row["id"]):
            raise faults.invalid("InvalidBackup", "Incremental backups exist for this backup.")
        transition = TRANSITIONS["backup delete"]
        wanted = transition.without("status") if force else transition
        if not transitions.apply(conn, wanted, row["id"], {"host": host}):
            raise _status_refused(transition, "available or error")
        return {**row, "status": "deleting", "host": host}

    backup_rpc.delete(req, req.services.db.run(work))


def _status_refused(transition: Any, wanted: str) -> Fault:
    return faults.refused_transition(transition, f"Backup status must be {wanted}")


def _can_force(req: Request, host: str) -> None:
    try:
        able = backup_rpc.can_force_delete(req, host)
    except RemoteFault as error:
        raise faults.of_peer(error) from None
    if not able:
        raise Fault(405, "Operation not supported: force delete")


@handles("POST /backups/{id}/action #os-reset_status")
def reset_status(req: Request) -> Response:
    """Have the backup service write a state an operator knows to be true: 202."""
    status = req.args["status"]

    def work(conn: Any) -> Row:
        row = place.load(conn, req, None)
        req.must("volume_extension:backup_admin_actions:reset_status", lookup.target(row))
        host = place.host_for(conn, req, row, row["availability_zone"])
        backups.change(conn, row["id"], {"host": host})
        return {**row, "host": host}

    backup_rpc.reset_status(req, req.services.db.run(work), status)
    return Response()


@handles("GET /backups/{id}/export_record")
def export_record(req: Request) -> Row:
    """What another deployment needs to know of a backup to restore it."""

    def work(conn: Any) -> Row:
        row = place.load(conn, req, "backup:export-import")
        if row["status"] != "available":
            raise faults.invalid("InvalidBackup", f"Backup status must be available and not {row['status']}.")
        host = place.host_for(conn, req, row, row["availability_zone"])
        backups.change(conn, row["id"], {"host": host})
        return {**row, "host": host}

    try:
        record = backup_rpc.export_record(req, req.services.db.run(work))
    except RemoteFault as error:
        raise faults.of_peer(error) from None
    return {"backup-record": {key: record[key] for key in ("backup_service", "backup_url")}}


@handles("POST /backups/import_record")
def import_record(req: Request) -> Row:
    """A row in `creating`, which a backup service fills from the record. 201."""
    req.must("backup:backup-import")
    record = req.body["backup-record"]
    decoded = _decoded(record["backup_url"])
    try:
        row, hosts = req.services.db.run(_import, req, decoded)
    except quota_rules.OverQuota as error:
        raise faults.over_quota(error, "backups", decoded["size"]) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    backup_rpc.import_record(req, row, record["backup_service"], record["backup_url"], hosts)
    return {"backup": views.render(req, views.SUMMARY, [row])[0]}


def _decoded(text: str) -> Row:
    """Id and size of a record; a 400 for what is none."""
    try:
        found = json.loads(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise faults.invalid_input("Can't parse backup record.") from None
    if not isinstance(found, dict) or not found.get("id"):
        raise faults.invalid_input("Provided backup record is missing an id")
    if found.get("size") is None:
        raise faults.invalid_input("Provided backup record is missing size attribute")
    try:
        backup_id, size = str(uuid.UUID(found["id"])), found["size"]
    except (ValueError, AttributeError, TypeError):
        raise faults.invalid_input("Can't parse backup record.") from None
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= quota_rules.MAX_INT:
        raise faults.invalid_input("Can't parse backup record.")
    return {"id": backup_id, "size": size}


def _import(conn: Any, req: Request, record: Row) -> tuple[Row, list[str]]:
    hosts = place.live_hosts(conn, req)
    if not hosts:
        raise Fault(404, "Service cinder-backup could not be found.")
    known = backups.status_of_any(conn, record["id"])
    if known not in (None, "deleted"):
        raise faults.invalid("InvalidBackup", "Backup already exists in database.")
    options, project = settings.quotas(req), req.context.project_id
    deltas = quota_rules.create_backup(record["size"])
    quotas.take(conn, options, project, deltas, quotas.limits(conn, options, project, deltas, req.context.quota_class))
    values = {
        **record,
        "user_id": req.context.user_id,
        "project_id": project,
        "volume_id": _NO_VOLUME,
        "status": "creating",
        "host": hosts[0],
    }
    row = backups.create(conn, values) if known is None else backups.revive(conn, record["id"], values)
    if row is None:
        raise faults.invalid("InvalidBackup", "Backup already exists in database.")
    return row, hosts

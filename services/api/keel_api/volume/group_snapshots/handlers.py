"""List, show, take, delete and reset group snapshots (source: cinder 29.0.0 group flow)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import Field, View
from keel_api.volume import faults, lists, lookup
from keel_api.volume.answers import bare
from keel_api.volume.group_snapshots import steps
from keel_api.volume.group_snapshots.lookup import load
from keel_api.volume.groups.lookup import no_consistency_group, reserved
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import group_snapshots
from keel_common.db.stores.cinder.group_types import CONSISTENCY_TYPE
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume.lists import GROUP_SNAPSHOTS, newest_first
from keel_common.domain.volume.states import GROUP_SNAPSHOT_STATUSES

Row = dict[str, Any]
SUMMARY = View("group snapshot summary", (Field("id", "id"), Field("name", "name")))
CREATED = View("new group snapshot", (*SUMMARY.fields, Field("group_type_id", "group_type_id")))
DETAIL = View(
    "group snapshot",
    (
        Field("id", "id"),
        Field("group_id", "group_id"),
        Field("group_type_id", "group_type_id"),
        Field("status", "status"),
        Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
        Field("name", "name"),
        Field("description", "description"),
        Field("project_id", "project_id", since="3.58", policy="group:group_snapshot_project_attribute"),
    ),
)


@handles("GET /group_snapshots")
def index(req: Request) -> Row:
    """Ids and names; filtered, sorted and paged from 3.29 on."""
    return _list(req, SUMMARY)


@handles("GET /group_snapshots/detail")
def detail(req: Request) -> Row:
    """All fields."""
    return _list(req, DETAIL)


def _list(req: Request, view: View) -> Row:
    req.must("group:get_all_group_snapshots")
    project = lists.own_project(req)
    if req.at_least(3, 29):
        page, filters = lists.paging(req, GROUP_SNAPSHOTS), lists.filters(req, GROUP_SNAPSHOTS)
        if "all_tenants" in req.query and req.context.is_admin:
            project = None
    else:
        limit, offset = lists.page_numbers(req, GROUP_SNAPSHOTS)
        page, filters = newest_first(limit, offset), {}
    try:
        rows = req.services.db.read(group_snapshots.find, filters, page, project)
    except MarkerGone as gone:
        raise faults.not_found("GroupSnapshot", gone.marker) from None
    shown = view.render(req.version, req.allowed(view.policies), rows, req)
    if not req.at_least(3, 29):
        return {"group_snapshots": shown}
    links = "group_snapshot_links"
    return lists.answer(req, "group_snapshots", shown, page, ("group_snapshots",), links_key=links)


@handles("GET /group_snapshots/{id}")
def show(req: Request) -> Row:
    """One group snapshot."""
    row = _of_this_api(req.services.db.read(load, req))
    return {"group_snapshot": DETAIL.one(req.version, req.allowed(DETAIL.policies), row, req)}


@handles("POST /group_snapshots")
def create(req: Request) -> Row:
    """Take a snapshot of every volume of a group: 202."""
    asked = req.body["group_snapshot"]
    row = steps.take(req, asked["group_id"], asked, no_consistency_group)
    return {"group_snapshot": CREATED.one(req.version, (), row, req)}


@handles("DELETE /group_snapshots/{id}")
def delete(req: Request) -> Response:
    """Delete a group snapshot: 202."""
    steps.delete(req, _of_this_api)
    return bare()


@handles("POST /group_snapshots/{id}/action #reset_status")
def reset_status(req: Request) -> Response:
    """Write a state an operator knows to be true: 202."""
    status = req.args["status"].lower()

    def work(conn: Any) -> None:
        row = load(conn, req)
        req.must("group:reset_group_snapshot_status", lookup.target(row))
        if status not in GROUP_SNAPSHOT_STATUSES:
            raise Fault(400, f"Invalid GroupSnapshot Status: Group snapshot status: {status} is invalid.")
        group_snapshots.change(conn, row["id"], {"status": status})

    req.services.db.run(work)
    return bare()


def _of_this_api(row: Row) -> Row:
    if row["group_type_name"] == CONSISTENCY_TYPE:
        raise reserved(row["group_type_id"], "group snapshots", "CG snapshot APIs")
    return row

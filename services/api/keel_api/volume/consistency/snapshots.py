"""cgsnapshots: the older names of group snapshots (source: cinder 29.0.0 flows 19)."""

from __future__ import annotations

from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import Field, View
from keel_api.volume import lists
from keel_api.volume.answers import bare
from keel_api.volume.group_snapshots import steps
from keel_api.volume.group_snapshots.lookup import load
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import group_snapshots
from keel_common.domain.volume.lists import GROUP_SNAPSHOTS, newest_first

Row = dict[str, Any]
SUMMARY = View("cgsnapshot summary", (Field("id", "id"), Field("name", "name")))
DETAIL = View(
    "cgsnapshot",
    (
        Field("id", "id"),
        Field("consistencygroup_id", "group_id"),
        Field("status", "status"),
        Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
        Field("name", "name"),
        Field("description", "description"),
    ),
)


@handles("GET /cgsnapshots")
def index(req: Request) -> Row:
    """Ids and names; cut by limit and offset, without links."""
    return _list(req, SUMMARY)


@handles("GET /cgsnapshots/detail")
def detail(req: Request) -> Row:
    """All fields."""
    return _list(req, DETAIL)


def _list(req: Request, view: View) -> Row:
    req.must("group:get_all_group_snapshots")
    page = newest_first(*lists.page_numbers(req, GROUP_SNAPSHOTS))
    project = None if "all_tenants" in req.query and req.context.is_admin else lists.own_project(req)
    rows = req.services.db.read(group_snapshots.find, {}, page, project, True)
    return {"cgsnapshots": view.render(req.version, (), rows, req)}


@handles("GET /cgsnapshots/{id}")
def show(req: Request) -> Row:
    """One of them."""
    row = req.services.db.read(load, req)
    return {"cgsnapshot": DETAIL.one(req.version, (), row, req)}


@handles("POST /cgsnapshots")
def create(req: Request) -> Row:
    """Take a snapshot of every volume of a consistency group: 202."""
    asked = req.body["cgsnapshot"]
    row = steps.take(req, asked["consistencygroup_id"], asked, _any)
    return {"cgsnapshot": SUMMARY.one(req.version, (), row, req)}


@handles("DELETE /cgsnapshots/{id}")
def delete(req: Request) -> Response:
    """Delete it: 202."""
    steps.delete(req, _any)
    return bare()


def _any(row: Row) -> Row:
    """The older API may touch every one."""
    return row

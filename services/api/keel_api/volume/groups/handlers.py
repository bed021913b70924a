"""List, show and reset groups (source: cinder 29.0.0 group flows)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import View
from keel_api.volume import faults, lists, lookup
from keel_api.volume.answers import bare
from keel_api.volume.groups import delete as deletion
from keel_api.volume.groups import views
from keel_api.volume.groups.lookup import load, no_consistency_group
from keel_common.db.stores.cinder import groups
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume.lists import GROUPS, lenient_boolean
from keel_common.domain.volume.states import GROUP_SNAPSHOT_STATUSES

Row = dict[str, Any]


@handles("GET /groups")
def index(req: Request) -> Row:
    """Ids and names."""
    return _list(req, views.SUMMARY)


@handles("GET /groups/detail")
def detail(req: Request) -> Row:
    """All fields; from 3.25 on with the ids of the volumes when `list_volume` is true."""
    return _list(req, views.DETAIL)


def _list(req: Request, view: View) -> Row:
    req.must("group:get_all")
    with_volumes = view is views.DETAIL and _wants_volumes(req)
    page, filters = lists.paging(req, GROUPS), lists.filters(req, GROUPS)
    filters.pop("list_volume", None)
    project = None if "all_tenants" in req.query and req.context.is_admin else lists.own_project(req)

    def work(conn: Any) -> list[Row]:
        rows = groups.find(conn, filters, page, project)
        if view is views.SUMMARY:
            return rows
        rows = groups.enrich(conn, rows)
        return [_with_volumes(conn, row) for row in rows] if with_volumes else rows

    try:
        rows = req.services.db.read(work)
    except MarkerGone as gone:
        raise faults.not_found("Group", gone.marker) from None
    return lists.answer(req, "groups", views.render(req, view, rows), page, ("groups",), links_key="group_links")


def _wants_volumes(req: Request) -> bool:
    return req.at_least(3, 25) and lenient_boolean(req.query.get("list_volume", "false"))


def _with_volumes(conn: Any, row: Row) -> Row:
    return {**row, "volumes": [one["id"] for one in groups.volumes(conn, row["id"])]}


@handles("GET /groups/{id}")
def show(req: Request) -> Row:
    """One group."""

    def work(conn: Any) -> Row:
        row = no_consistency_group(load(conn, req))
        return _with_volumes(conn, row) if _wants_volumes(req) else row

    return {"group": views.render(req, views.DETAIL, [req.services.db.read(work)])[0]}


@handles("POST /groups/{id}/action #delete", "DELETE /groups/{id}")
def delete(req: Request) -> Response:
    """Delete a group, with its volumes when `delete-volumes` is true: 202."""
    asked = (req.body or {}).get("delete") or {}
    with_volumes = lists.boolean("delete-volumes", asked.get("delete-volumes", False))
    deletion.delete(req, with_volumes, no_consistency_group)
    return bare()


@handles("POST /groups/{id}/action #reset_status")
def reset_status(req: Request) -> Response:
    """Write a state an operator knows to be true: 202. The states are those of group snapshots (as recorded)."""
    status = req.args["status"].lower()

    def work(conn: Any) -> None:
        row = load(conn, req)
        req.must("group:reset_status", lookup.target(row))
        if status not in GROUP_SNAPSHOT_STATUSES:
            raise Fault(400, f"Invalid Group Status: Group status: {status} is invalid.")
        groups.change(conn, row["id"], {"status": status})

    req.services.db.run(work)
    return bare()

"""Consistency groups: the older names of groups of one certain type (source: cinder 29.0.0 flows 19)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import Field, View
from keel_api.volume import faults, lists
from keel_api.volume.answers import bare
from keel_api.volume.groups import copy as copying
from keel_api.volume.groups import create as creation
from keel_api.volume.groups import delete as deletion
from keel_api.volume.groups import update as updating
from keel_api.volume.groups.lookup import load
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import group_types, groups
from keel_common.db.stores.cinder.group_types import CONSISTENCY_TYPE
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume.lists import CONSISTENCY_GROUPS

Row = dict[str, Any]
SUMMARY = View("consistency group summary", (Field("id", "id"), Field("name", "name")))
DETAIL = View(
    "consistency group",
    (
        Field("id", "id"),
        Field("status", "status"),
        Field("availability_zone", "availability_zone"),
        Field("created_at", lambda row, req: moment(row["created_at"]), columns=("created_at",)),
        Field("name", "name"),
        Field("description", "description"),
        Field("volume_types", "volume_type_ids"),
    ),
)


@handles("GET /consistencygroups")
def index(req: Request) -> Row:
    """Ids and names, of every group (as measured)."""
    return _list(req, SUMMARY)


@handles("GET /consistencygroups/detail")
def detail(req: Request) -> Row:
    """All fields."""
    return _list(req, DETAIL)


def _list(req: Request, view: View) -> Row:
    req.must("group:get_all")
    page, filters = lists.paging(req, CONSISTENCY_GROUPS), lists.filters(req, CONSISTENCY_GROUPS)
    project = None if "all_tenants" in req.query and req.context.is_admin else lists.own_project(req)

    def work(conn: Any) -> list[Row]:
        return groups.enrich(conn, groups.find(conn, filters, page, project, consistency_too=True))

    try:
        rows = req.services.db.read(work)
    except MarkerGone as gone:
        raise faults.not_found("Group", gone.marker) from None
    shown = view.render(req.version, (), rows, req)
    collection = ("consistencygroups",)
    return lists.answer(req, "consistencygroups", shown, page, collection, links_key="consistencygroup_links")


@handles("GET /consistencygroups/{id}")
def show(req: Request) -> Row:
    """One group."""
    row = req.services.db.read(load, req)
    return {"consistencygroup": DETAIL.one(req.version, (), row, req)}


@handles("POST /consistencygroups")
def create(req: Request) -> Row:
    """A group of the type of consistency groups, for types of volumes named with commas: 202."""
    asked = req.body["consistencygroup"]
    req.must("group:create")
    wanted = [part.strip() for part in str(asked["volume_types"] or "").rstrip(",").split(",")]
    row = creation.make(req, _kind, wanted, asked)
    return {"consistencygroup": SUMMARY.one(req.version, (), row, req)}


def _kind(conn: Any) -> Row:
    row = group_types.get_by_name(conn, CONSISTENCY_TYPE)
    if row is None:
        raise Fault(404, f"Group type with name {CONSISTENCY_TYPE} could not be found.")
    return row


@handles("POST /consistencygroups/create_from_src")
def create_from_source(req: Request) -> Row:
    """A group from a snapshot of a group or from a group: 202."""
    asked = req.body["consistencygroup-from-src"]
    copying.one_of(asked, "cgsnapshot_id", "source_cgid")
    row = copying.copy(req, asked, asked.get("cgsnapshot_id"), asked.get("source_cgid"), old_api=True)
    return {"consistencygroup": SUMMARY.one(req.version, (), row, req)}


@handles("POST /consistencygroups/{id}/delete", "DELETE /consistencygroups/{id}")
def delete(req: Request) -> Response:
    """Delete a group, with its volumes when `force` is true: 202."""
    asked = (req.body or {}).get("consistencygroup") or {}
    deletion.delete(req, lists.boolean("force", asked.get("force", False)), _any)
    return bare()


@handles("PUT /consistencygroups/{id}", "PUT /consistencygroups/{id}/update")
def update(req: Request) -> Response:
    """Change words and volumes: 202. From 3.6 on empty words are words."""
    asked = dict(req.body["consistencygroup"])
    words, members = ("name", "description"), ("add_volumes", "remove_volumes")
    blank_is_a_word = req.at_least(3, 6) and any(asked.get(key) is not None for key in words)
    if not blank_is_a_word and not any(asked.get(key) for key in (*words, *members)):
        raise _nothing_to_do()
    if not req.at_least(3, 6):
        asked = {key: value for key, value in asked.items() if value}
    if not any(asked.get(key) for key in (*words, *members)):
        raise _nothing_to_do()
    updating.change(req, asked, _any)
    return bare()


def _nothing_to_do() -> Fault:
    return Fault(400, "Name, description, add_volumes, and remove_volumes can not be all empty in the request body.")


def _any(row: Row) -> Row:
    """The older API may touch every group."""
    return row

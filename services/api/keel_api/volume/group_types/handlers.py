"""Group types: list, show, make, change, delete (source: cinder 29.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import Field, View
from keel_api.volume import faults, lists, lookup
from keel_api.volume.answers import bare
from keel_common.db.stores.cinder import group_types
from keel_common.domain.volume.lists import GROUP_TYPES, ListRefused, strict_boolean

Row = dict[str, Any]
_RULE = "group:group_types:"
VIEW = View(
    "group type",
    (
        Field("id", "id"),
        Field("name", "name"),
        Field("description", "description"),
        Field("is_public", "is_public"),
        Field("group_specs", "group_specs", policy="group:access_group_types_specs"),
    ),
)


@handles("GET /group_types")
def index(req: Request) -> Row:
    """The types the caller may use; an administrator sees private ones with is_public=none or false."""
    page, filters = lists.paging(req, GROUP_TYPES), lists.filters(req, GROUP_TYPES)
    wanted = _public(req, filters.pop("is_public", None))
    rows = req.services.db.read(group_types.find, filters, page, lookup.scope(req), wanted)
    shown = VIEW.render(req.version, req.allowed(VIEW.policies), rows, req)
    return lists.answer(req, "group_types", shown, page, ("group_types",), links_key="group_type_links")


def _public(req: Request, asked: Any) -> bool | None:
    """The is_public filter: administrators see public types unless they ask, members what they may use."""
    if not req.context.is_admin:
        return None
    if asked is None:
        return None if "is_public" in req.query else True
    if str(asked).lower() == "none":
        return None
    try:
        return strict_boolean("is_public", asked)
    except ListRefused:
        raise Fault(400, f"Invalid is_public filter [{asked}]") from None


@handles("GET /group_types/{id}")
def show(req: Request) -> Row:
    """One type; `default` is the one of the configuration."""
    if req.path["id"] == "default":
        name = req.services.conf.default_group_type
        row = req.services.db.read(group_types.get_by_name, name) if name else None
        if row is None:
            raise Fault(404, "Default group type can not be found.")
    else:
        row = req.services.db.read(load, req, req.path["id"])
    return _shown(req, row)


@handles("POST /group_types")
def create(req: Request) -> Row:
    """A new type: 202."""
    req.must(_RULE + "create")
    asked = req.body["group_type"]
    name = _name(asked["name"])
    public = lists.boolean("is_public", asked.get("is_public", True))

    def work(conn: Any) -> Row:
        _free(conn, name)
        return group_types.create(conn, name, asked.get("description"), public, asked.get("group_specs") or {})

    return _shown(req, req.services.db.run(work))


@handles("PUT /group_types/{id}")
def update(req: Request) -> Row:
    """Change name, description, is_public."""
    req.must(_RULE + "update")
    values = _changes(req.body["group_type"])
    if not values:
        raise Fault(400, "Specify group type name, description or a combination thereof.")

    def work(conn: Any) -> Row:
        row = load(conn, req, req.path["id"])
        if values.get("name", row["name"]) != row["name"]:
            _free(conn, values["name"])
        group_types.change(conn, row["id"], values)
        return {**row, **values}

    return _shown(req, req.services.db.run(work))


@handles("DELETE /group_types/{id}")
def delete(req: Request) -> Response:
    """Delete a type no group has: 202."""
    req.must(_RULE + "delete")

    def work(conn: Any) -> None:
        row = load(conn, req, req.path["id"])
        if group_types.in_use(conn, row["id"]):
            raise Fault(400, f"Target group type is still in use. Group Type {row['id']} has groups.")
        group_types.delete(conn, row["id"])

    req.services.db.run(work)
    return bare()


def load(conn: Any, req: Request, type_id: str) -> Row:
    """A group type with its specs that the caller may see, else 404."""
    row = group_types.get(conn, type_id, lookup.scope(req))
    if row is None:
        raise faults.not_found("Group type", type_id)
    return row


def _shown(req: Request, row: Row) -> Row:
    return {"group_type": VIEW.one(req.version, req.allowed(VIEW.policies), row, req)}


def _changes(asked: Row) -> Row:
    values: Row = {}
    if asked.get("name") is not None:
        values["name"] = _name(asked["name"])
    if asked.get("description") is not None:
        values["description"] = asked["description"]
    if asked.get("is_public") is not None:
        values["is_public"] = lists.boolean("is_public", asked["is_public"])
    return values


def _name(text: str) -> str:
    if not text.strip():
        raise Fault(400, "Group type name can not be empty.")
    return text.strip()


def _free(conn: Any, name: str) -> None:
    if group_types.get_by_name(conn, name) is not None:
        raise Fault(409, f"Group Type {name} already exists.")

"""Volume types: list, show, make, change, delete (source: cinder 29.0.0)."""

from __future__ import annotations

import ast
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import lists, lookup
from keel_api.volume.answers import bare
from keel_api.volume.types import views
from keel_common.db.stores.cinder import quotas, types
from keel_common.domain.volume.lists import TYPES

Row = dict[str, Any]


@handles("GET /types")
def index(req: Request) -> dict[str, Any]:
    """The types the caller may use; an administrator sees private ones with is_public=none or false."""
    req.must("volume_extension:type_get_all")
    page, filters = lists.paging(req, TYPES), lists.filters(req, TYPES)
    wanted = _public(req, filters.pop("is_public", None))
    specs = _spec_filter(filters)
    if specs and not req.can(views.SENSITIVE_RULE) and any(key not in views.VISIBLE_SPECS for key in specs):
        return {"volume_types": []}
    rows = req.services.db.read(types.find, filters, page, lookup.scope(req), wanted)
    shown = views.render(req, views.FULL, rows)
    return lists.answer(req, "volume_types", shown, page, ("types",), links_key="volume_type_links")


def _public(req: Request, asked: Any) -> bool | None:
    """The is_public filter: administrators see public types unless they ask; members what they may use."""
    if not req.context.is_admin:
        return None
    if asked is None:
        return None if "is_public" in req.query and req.query.get("is_public") == "None" else True
    return None if str(asked).lower() == "none" else lists.boolean("is_public", asked)


def _spec_filter(filters: Row) -> dict[str, Any]:
    specs = filters.get("extra_specs")
    if specs is None:
        return {}
    if isinstance(specs, str):
        try:
            specs = ast.literal_eval(specs)
        except (ValueError, SyntaxError):
            raise Fault(400, f"Invalid filter extra_specs: {specs}") from None
    if not isinstance(specs, dict):
        raise Fault(400, f"Invalid filter extra_specs: {specs}")
    filters["extra_specs"] = specs
    return specs


@handles("GET /types/{id}")
def show(req: Request) -> dict[str, Any]:
    """One type; `default` is the one a volume of the caller gets."""
    if req.path["id"] == "default":
        row = req.services.db.read(types.default_for, req.context.project_id, req.services.conf.default_volume_type)
        if row is None:
            raise Fault(404, "Default volume type can not be found.")
        view = views.DEFAULT
    else:
        row, view = req.services.db.read(lookup.volume_type, req, req.path["id"]), views.FULL
    req.must("volume_extension:type_get")
    return {"volume_type": views.render(req, view, [row])[0]}


@handles("POST /types")
def create(req: Request) -> dict[str, Any]:
    """A new type; a private one belongs to no project until it is given to one."""
    req.must("volume_extension:type_create")
    asked = req.body["volume_type"]
    name = asked["name"]
    public = lists.boolean("os-volume-type-access:is_public", asked.get("os-volume-type-access:is_public", True))
    specs = asked.get("extra_specs") or {}

    def work(conn: Any) -> Row:
        if types.get_by_name(conn, name) is not None:
            raise Fault(409, f"Volume Type {name} already exists.")
        return types.create(conn, name, asked.get("description"), public, specs)

    return {"volume_type": views.render(req, views.CREATED, [req.services.db.run(work)])[0]}


@handles("PUT /types/{id}")
def update(req: Request) -> dict[str, Any]:
    """Change name, description, is_public."""
    req.must("volume_extension:type_update")
    values = _changes(req.body["volume_type"])
    if not any(value is not None for value in values.values()):
        raise Fault(400, "Specify volume type name, description, is_public or a combination thereof.")
    row = req.services.db.run(_update, req, req.path["id"], values)
    return {"volume_type": views.render(req, views.CHANGED, [row])[0]}


def _changes(asked: Row) -> Row:
    values: Row = {key: asked[key] for key in ("name", "description") if asked.get(key) is not None}
    if "name" in values:
        values["name"] = values["name"].strip()
        if not values["name"]:
            raise Fault(400, "Volume type name can not be empty.")
    if asked.get("is_public") is not None:
        values["is_public"] = lists.boolean("is_public", asked["is_public"])
    return values


def _update(conn: Any, req: Request, type_id: str, values: Row) -> Row:
    row = lookup.volume_type(conn, req, type_id)
    if values.get("name", row["name"]) != row["name"]:
        if types.get_by_name(conn, values["name"]) is not None:
            raise Fault(409, f"Volume Type {values['name']} already exists.")
        quotas.rename_type(conn, row["name"], values["name"])
    types.change(conn, type_id, values)
    return {**row, **values}


@handles("DELETE /types/{id}")
def delete(req: Request) -> Response:
    """Delete a type that nobody uses and that is nobody's default: 202."""
    req.must("volume_extension:type_delete")

    def work(conn: Any) -> None:
        row = lookup.volume_type(conn, req, req.path["id"])
        option = req.services.conf.default_volume_type
        default = types.get_by_name(conn, option)
        if default is None:
            raise Fault(500, f"The request cannot be fulfilled as the default volume type {option} cannot be found.")
        if types.is_last(conn) or default["id"] == row["id"] or types.is_project_default(conn, row["id"]):
            raise Fault(400, f"Volume type {row['id']} is a default or the last one and cannot be deleted.")
        if types.in_use(conn, row["id"]):
            raise Fault(400, "Target volume type is still in use.")
        types.delete(conn, row["id"])

    req.services.db.run(work)
    return bare()

"""List, show, sum up, change and delete volumes."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import View
from keel_api.volume import faults, lists, lookup
from keel_api.volume.answers import bare
from keel_api.volume.volumes import delete as deletion
from keel_api.volume.volumes import views
from keel_common.db.stores.cinder import metadata, types, volumes
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume.lists import VOLUMES, ListRefused, Paging

#: Keys of a body and the columns they mean; the later ones win.
_COLUMNS = (
    ("display_name", "display_name"),
    ("name", "display_name"),
    ("display_description", "display_description"),
    ("description", "display_description"),
)


@handles("GET /volumes")
def index(req: Request) -> dict[str, Any]:
    """Ids, names and links."""
    return _list(req, views.SUMMARY, ("volumes",))


@handles("GET /volumes/detail")
def detail(req: Request) -> dict[str, Any]:
    """Everything the caller may see of each volume; three statements whatever the number of volumes."""
    return _list(req, views.EXTENDED, ("volumes", "detail"))


@handles("GET /volumes/summary")
def summary(req: Request) -> dict[str, Any]:
    """How many volumes and GiB there are, no filter heard (as measured); from 3.36 the metadata in use as well."""
    req.must("volume:get_all")
    project = lists.project(req, strict=True)

    def work(conn: Any) -> dict[str, Any]:
        number, size = volumes.totals(conn, project)
        result: dict[str, Any] = {"total_count": number, "total_size": size}
        if req.at_least(3, 36):
            result["metadata"] = volumes.metadata_values(conn, project)
        return result

    return {"volume-summary": req.services.db.read(work)}


@handles("GET /volumes/{id}")
def show(req: Request) -> dict[str, Any]:
    """One volume. What policy hides looks like a volume that is not there (404)."""
    row = req.services.db.read(lookup.volume, req, req.path["id"], None, True)
    if not req.can("volume:get", lookup.target(row)):
        raise faults.not_found("Volume", req.path["id"])
    return {"volume": views.render(req, views.EXTENDED, [row])[0]}


@handles("PUT /volumes/{id}")
def update(req: Request) -> dict[str, Any]:
    """Change name, description and (all) metadata."""
    asked = req.body["volume"]
    values, pairs = _changes(asked)
    row = req.services.db.run(_update, req, req.path["id"], values, pairs)
    return {"volume": views.render(req, views.DETAIL, [row])[0]}


@handles("DELETE /volumes/{id}")
def delete(req: Request) -> Response:
    """Delete a volume: 202. cascade takes its snapshots too, force (3.23) any state."""
    cascade = lists.boolean("cascade", req.query.get("cascade", "false"))
    force = req.at_least(3, 23) and lists.boolean("force", req.query.get("force", "false"))
    rule = "volume:force_delete" if force else "volume:delete"
    deletion.delete(req, req.path["id"], rule, force=force, cascade=cascade)
    return bare()


def _list(req: Request, view: View, collection: tuple[str, ...]) -> dict[str, Any]:
    req.must("volume:get_all")
    project = lists.project(req, strict=True)
    page, filters, counted = lists.paging(req, VOLUMES), lists.filters(req, VOLUMES), lists.wants_count(req, VOLUMES)
    allowed = req.allowed(view.policies)
    columns = view.columns(req.version, allowed)
    try:
        rows, total = req.services.db.read(_read, req, view, page, filters, project, columns, counted)
    except MarkerGone as gone:
        raise faults.not_found("Volume", gone.marker) from None
    except ListRefused as refused:
        raise Fault(400, str(refused)) from None
    return lists.answer(req, "volumes", view.render(req.version, allowed, rows, req), page, collection, total)


def _read(
    conn: Any, req: Request, view: View, page: Paging, filters: dict, project: str | None, columns: Any, counted: bool
) -> tuple[list[dict[str, Any]], int | None]:
    hidden = not req.context.is_admin
    rows, total = volumes.find(
        conn, filters, page, project, columns=columns, hide_migration_targets=hidden, counted=counted
    )
    return (rows if view is views.SUMMARY else volumes.enrich(conn, rows)), total


def _changes(asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str] | None]:
    """Columns and metadata that a body wants; `display_` spellings count too, the plain ones win."""
    values: dict[str, Any] = {}
    for key, column in _COLUMNS:
        if key in asked:
            values[column] = asked[key].strip() if isinstance(asked[key], str) else asked[key]
    return values, asked.get("metadata")


def _update(conn: Any, req: Request, volume_id: str, values: dict[str, Any], pairs: dict[str, str] | None) -> dict:
    row = lookup.volume(conn, req, volume_id, full=True)
    req.must("volume:update", lookup.target(row))
    if row["status"] == "maintenance":
        raise faults.invalid_volume("a volume in maintenance cannot be changed")
    if values:
        volumes.change(conn, volume_id, values)
        row.update(values)
    if pairs is not None:
        row["metadata"] = metadata.merge(conn, metadata.USER, volume_id, pairs, replace=True)
    return row


def type_of(conn: Any, row: dict[str, Any]) -> dict[str, Any] | None:
    """The type of a volume with its extra specs, as messages about it carry it."""
    return types.get(conn, row["volume_type_id"])

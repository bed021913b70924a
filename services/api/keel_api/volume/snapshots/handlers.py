"""List, show, take, change and delete snapshots (source: cinder 29.0.0 snapshot flows)."""

from __future__ import annotations

import logging
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import View
from keel_api.volume import faults, lists, lookup, rpc, settings
from keel_api.volume.answers import bare
from keel_api.volume.snapshots import views
from keel_common.db.stores.cinder import quotas, services, snapshots, transitions, types, volumes
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume import hosts
from keel_common.domain.volume import quotas as quota_rules
from keel_common.domain.volume.lists import SNAPSHOTS
from keel_common.domain.volume.states import TRANSITIONS, Transition, snapshot_refusal

LOG = logging.getLogger(__name__)
Row = dict[str, Any]

#: Keys of a body and the columns they mean; the later ones win.
_COLUMNS = (
    ("display_name", "display_name"),
    ("name", "display_name"),
    ("display_description", "display_description"),
    ("description", "display_description"),
)


@handles("GET /snapshots")
def index(req: Request) -> dict[str, Any]:
    """The fields every version has."""
    return _list(req, views.SUMMARY, ("snapshots",))


@handles("GET /snapshots/detail")
def detail(req: Request) -> dict[str, Any]:
    """Everything the caller may see of each snapshot."""
    return _list(req, views.EXTENDED, ("snapshots", "detail"))


@handles("GET /snapshots/{id}")
def show(req: Request) -> dict[str, Any]:
    """One snapshot."""
    row = req.services.db.read(lookup.snapshot, req, req.path["id"])
    return {"snapshot": views.render(req, views.EXTENDED, [row])[0]}


@handles("POST /snapshots")
def create(req: Request) -> dict[str, Any]:
    """Take a snapshot: a row in `creating`, told to the scheduler. 202."""
    asked = req.body["snapshot"]
    if not req.context.project_id:
        raise Fault(403, "A token of a project is needed.")
    attached_too = _attached_too(req, asked)
    try:
        volume, type_row, row = req.services.db.run(_create, req, asked, attached_too)
    except quota_rules.OverQuota as error:
        size = next((delta for name, delta in error.deltas.items() if "gigabytes" in name), 0)
        raise faults.over_quota(error, "snapshots", size) from None
    except quota_rules.UsageOverflow as error:
        raise faults.usage_overflow(error) from None
    try:
        rpc.create_snapshot(req, volume, type_row, row)
    except Exception:
        LOG.exception("Snapshot %s could not be handed to the scheduler", row["id"])
        req.services.db.run(transitions.apply, _GIVEN_UP, row["id"])
        raise
    return {"snapshot": views.render(req, views.DETAIL, [row])[0]}


_GIVEN_UP = Transition("cast failed", "snapshots", {"status": ("creating",)}, values={"status": "error"})


def _attached_too(req: Request, asked: Row) -> bool:
    """Whether an in-use volume will do: with force, and always from 3.66 on, where force has to be absent or true."""
    force = lists.boolean("force", asked.get("force", False))
    if not req.at_least(3, 66):
        return force
    if "force" in asked and not force:
        raise faults.invalid_input("force can no longer be false: snapshots of attached volumes are always taken")
    return True


def _create(conn: Any, req: Request, asked: Row, attached_too: bool) -> tuple[Row, Row | None, Row]:
    volume = lookup.volume(conn, req, asked["volume_id"], full=True)
    req.must("volume:create_snapshot", lookup.target(volume))
    # Read again under a lock: the status cannot change between this check and the new row.
    volume.update(volumes.lock(conn, volume["id"]) or {})
    reason = snapshot_refusal(volume, attached_too)
    if reason:
        raise faults.invalid_volume(reason)
    _not_frozen(conn, volume)
    type_row = types.get(conn, volume["volume_type_id"])
    _take_quota(conn, req, volume, type_row)
    name, description = _words(asked).get("display_name"), _words(asked).get("display_description")
    values = {
        "volume_id": volume["id"],
        "user_id": req.context.user_id,
        "project_id": req.context.project_id,
        "status": "creating",
        "progress": "0%",
        "volume_size": volume["size"],
        "display_name": name,
        "display_description": description,
        "volume_type_id": volume["volume_type_id"],
        "encryption_key_id": volume["encryption_key_id"],
    }
    return volume, type_row, snapshots.create(conn, values, asked.get("metadata") or {})


def _take_quota(conn: Any, req: Request, volume: Row, type_row: Row | None) -> None:
    """Take the quota of the snapshot for good: its row is written in the same transaction."""
    options, project = settings.quotas(req), req.context.project_id
    name = type_row["name"] if type_row else None
    deltas = quota_rules.create_snapshot(volume["size"], name, options.snapshot_sizes_count)
    limits = quotas.limits(conn, options, project, deltas, req.context.quota_class)
    quotas.take(conn, options, project, deltas, limits)


@handles("PUT /snapshots/{id}")
def update(req: Request) -> dict[str, Any]:
    """Change name and description."""
    values = _words(req.body["snapshot"])

    def work(conn: Any) -> Row:
        row = lookup.snapshot(conn, req, req.path["id"])
        req.must("volume:update_snapshot", lookup.target(row))
        snapshots.change(conn, row["id"], values)
        return {**row, **values}

    return {"snapshot": views.render(req, views.DETAIL, [req.services.db.run(work)])[0]}


@handles("DELETE /snapshots/{id}")
def delete(req: Request) -> Response:
    """Delete a snapshot: 202."""
    _delete(req)
    return bare()


@handles("POST /snapshots/{id}/action #os-force_delete")
def force_delete(req: Request) -> Response:
    """Delete in any state (administrators): 202."""
    _delete(req, force=True)
    return Response()


@handles("POST /snapshots/{id}/action #os-unmanage")
def unmanage(req: Request) -> Response:
    """Forget a snapshot and leave it on its backend: 202."""
    _delete(req, unmanage=True)
    return bare()


def _delete(req: Request, force: bool = False, unmanage: bool = False) -> None:
    def work(conn: Any) -> tuple[Row, Row]:
        row = lookup.snapshot(conn, req, req.path["id"])
        if force:
            req.must("volume_extension:snapshot_admin_actions:force_delete", lookup.target(row))
        if unmanage:
            req.must("snapshot_extension:snapshot_unmanage", lookup.target(row))
        req.must("volume:delete_snapshot", lookup.target(row))
        volume = volumes.get(conn, row["volume_id"])
        if volume is None or not volume["host"]:
            raise faults.invalid_snapshot("its volume lies on no backend")
        if not unmanage:
            _not_frozen(conn, volume)
        transition = TRANSITIONS["delete snapshot"]
        values = {"status": "unmanaging" if unmanage else "deleting"}
        if not transitions.apply(conn, transition.without("status") if force else transition, row["id"], values):
            raise faults.refused_transition(
                transition, f"it must be available or error and in no group snapshot, but it is {row['status']}"
            )
        return volume, {**row, **values}

    volume, row = req.services.db.run(work)
    rpc.delete_snapshot(req, volume, row, unmanage)


@handles("POST /snapshots/{id}/action #os-reset_status")
def reset_status(req: Request) -> Response:
    """Write a state an operator knows to be true: 202."""
    wanted = Transition("reset", "snapshots", values={"status": req.args["status"].lower()})

    def work(conn: Any) -> None:
        row = lookup.snapshot(conn, req, req.path["id"], None)
        req.must("volume_extension:snapshot_admin_actions:reset_status", {})
        if not transitions.apply(conn, wanted, row["id"]):
            raise faults.not_found("Snapshot", row["id"])

    req.services.db.run(work)
    return Response()


@handles("POST /snapshots/{id}/action #os-update_snapshot_status")
def update_status(req: Request) -> Response:
    """What Nova writes about a snapshot it helps to take: 202."""

    def work(conn: Any) -> None:
        row = lookup.snapshot(conn, req, req.path["id"], None)
        req.must("snapshot_extension:snapshot_actions:update_snapshot_status", lookup.target(row))
        transition = TRANSITIONS.get(f"nova {row['status']} -> {req.args['status']}")
        if transition is None:
            raise Fault(400, f"Snapshot status {row['status']} does not allow a change to {req.args['status']}.")
        progress = {"progress": req.args["progress"]} if req.args.get("progress") else {}
        if not transitions.apply(conn, transition, row["id"], progress):
            raise faults.refused_transition(transition, "its status changed meanwhile")

    req.services.db.run(work)
    return bare()


def _words(asked: Row) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, column in _COLUMNS:
        if key in asked:
            values[column] = asked[key].strip() if isinstance(asked[key], str) else asked[key]
    return values


def _not_frozen(conn: Any, volume: Row) -> None:
    backend = hosts.backend_of(volume["host"])
    if services.is_frozen(conn, backend):
        raise faults.invalid_input(f"backend {backend} is frozen")


def _list(req: Request, view: View, collection: tuple[str, ...]) -> dict[str, Any]:
    req.must("volume:get_all_snapshots")
    page, filters, counted = (
        lists.paging(req, SNAPSHOTS),
        lists.filters(req, SNAPSHOTS),
        lists.wants_count(req, SNAPSHOTS),
    )
    project = lists.project(req)
    try:
        rows, total = req.services.db.read(snapshots.find, filters, page, project, counted)
    except MarkerGone as gone:
        raise faults.not_found("Snapshot", gone.marker) from None
    return lists.answer(req, "snapshots", views.render(req, view, rows), page, collection, total)

"""Offer a volume to another project, take it, take it back: two URL families (source: cinder 29.0.0 transfers)."""

from __future__ import annotations

from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.http.view import View
from keel_api.volume import faults, lists, lookup
from keel_api.volume.answers import bare
from keel_api.volume.transfers import views
from keel_common.db.stores.cinder import snapshots, transfers
from keel_common.db.stores.cinder.listing import MarkerGone
from keel_common.domain.volume.lists import TRANSFERS, lenient_boolean, oldest_first
from keel_common.domain.volume.states import TRANSITIONS
from keel_common.domain.volume.transfers import new_secret

Row = dict[str, Any]
_COLLECTION = "os-volume-transfer"


@handles("GET /volume-transfers")
def index(req: Request) -> Row:
    """Transfers of the caller's project; paged and sorted from 3.59 on."""
    return _list(req, views.SUMMARY, paged=req.at_least(3, 59))


@handles("GET /volume-transfers/detail")
def detail(req: Request) -> Row:
    """The same with all fields."""
    return _list(req, views.DETAIL, paged=req.at_least(3, 59))


@handles("GET /os-volume-transfer")
def index_older(req: Request) -> Row:
    """Transfers in the order of creation. Paging keys are filters that match nothing here (as measured)."""
    return _list(req, views.SUMMARY, paged=False)


@handles("GET /os-volume-transfer/detail")
def detail_older(req: Request) -> Row:
    """The same with all fields."""
    return _list(req, views.DETAIL, paged=False)


def _list(req: Request, view: View, paged: bool) -> Row:
    req.must("volume:get_all_transfers")
    top = req.services.conf.osapi_max_limit
    if paged:
        page, filters = lists.paging(req, TRANSFERS), lists.filters(req, TRANSFERS)
    else:
        page, filters = oldest_first(top), _unpaged(req)
    project = lists.project(req)
    try:
        rows = req.services.db.read(transfers.find, filters, page, project)
    except MarkerGone as gone:
        raise faults.not_found("Transfer", gone.marker) from None
    body = lists.answer(req, "transfers", rows, page, (_COLLECTION,))
    # The page is cut once more by its offset (as recorded).
    body["transfers"] = [views.render(req, view, row) for row in rows[page.offset :]]
    return body


def _unpaged(req: Request) -> Row:
    """Every key but all_tenants is a filter; a limit that is none is refused all the same."""
    lists.page_numbers(req, TRANSFERS)
    known = {"name": "display_name"}
    return {known.get(key, key): value for key, value in req.query.items() if key != "all_tenants"}


@handles("GET /volume-transfers/{id}", "GET /os-volume-transfer/{id}")
def show(req: Request) -> Row:
    """One transfer."""
    row = req.services.db.read(_transfer, req, "volume:get_transfer")
    return {"transfer": views.render(req, views.DETAIL, row)}


@handles("POST /volume-transfers")
def create(req: Request) -> Row:
    """Offer a volume; from 3.55 on without its snapshots when asked. 202 with the key."""
    return _create(req, lenient_boolean(req.body["transfer"].get("no_snapshots", False)))


@handles("POST /os-volume-transfer")
def create_older(req: Request) -> Row:
    """Offer a volume with its snapshots. 202 with the key, which is told here and nowhere else."""
    return _create(req, False)


def _create(req: Request, no_snapshots: bool) -> Row:
    asked = req.body["transfer"]
    name = asked.get("name")
    auth_key, salt, kept = new_secret()
    values = {
        "display_name": name.strip() if isinstance(name, str) else name,
        "salt": salt,
        "crypt_hash": kept,
        "no_snapshots": no_snapshots,
    }

    def work(conn: Any) -> Row:
        volume = lookup.volume(conn, req, asked["volume_id"])
        req.must("volume:create_transfer", lookup.target(volume))
        _offerable(conn, volume, no_snapshots)
        row = transfers.create(conn, volume, values)
        if row is None:
            raise faults.refused_transition(TRANSITIONS["transfer create"], "status must be available")
        return row

    shown = views.render(req, views.DETAIL, req.services.db.run(work))
    return {"transfer": {**shown, "auth_key": auth_key}}


def _offerable(conn: Any, volume: Row, no_snapshots: bool) -> None:
    if volume["status"] != "available":
        raise faults.invalid_volume("status must be available")
    if volume["encryption_key_id"] is not None:
        raise faults.invalid_volume("transferring encrypted volume is not supported")
    if no_snapshots:
        return
    for row in snapshots.of_volume(conn, volume["id"]):
        if row["status"] != "available":
            raise faults.invalid_snapshot(f"snapshot: {row['id']} status must be available")


@handles("DELETE /volume-transfers/{id}", "DELETE /os-volume-transfer/{id}")
def delete(req: Request) -> Response:
    """Take an offer back: 202."""

    def work(conn: Any) -> None:
        transfers.delete(conn, _transfer(conn, req, "volume:delete_transfer"))

    req.services.db.run(work)
    return bare()


def _transfer(conn: Any, req: Request, rule: str) -> Row:
    row = transfers.get(conn, req.path["id"], lookup.scope(req))
    if row is None:
        raise faults.not_found("Transfer", req.path["id"])
    req.must(rule, {"project_id": row["source_project_id"], "user_id": req.context.user_id})
    return row

"""Lists of what lies on a backend: the backend sorts and cuts them (source: cinder 29.0.0 list rules)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, move_rpc
from keel_api.volume.manage import backend
from keel_api.volume.places import one_place
from keel_common.domain.volume.lists import MAX_INT
from keel_contract.errors import RemoteFault

Row = dict[str, Any]
_SORT_KEYS = ("reference", "size")
_SUMMARY = ("reference", "size", "safe_to_manage")
_DETAIL = (*_SUMMARY, "reason_not_safe", "cinder_id", "extra_info")
_SOURCE = ("source_reference",)


@handles("GET /os-volume-manage", "GET /manageable_volumes")
def volumes(req: Request) -> Row:
    """Volumes on a backend, those that are managed included."""
    return _list(req, "volumes", "volume_extension:list_manageable", _SUMMARY)


@handles("GET /os-volume-manage/detail", "GET /manageable_volumes/detail")
def volumes_detail(req: Request) -> Row:
    """The same with all fields."""
    return _list(req, "volumes", "volume_extension:list_manageable", _DETAIL)


@handles("GET /os-snapshot-manage", "GET /manageable_snapshots")
def snapshots(req: Request) -> Row:
    """Snapshots on a backend, those that are managed included."""
    return _list(req, "snapshots", "snapshot_extension:list_manageable", (*_SUMMARY, *_SOURCE))


@handles("GET /os-snapshot-manage/detail", "GET /manageable_snapshots/detail")
def snapshots_detail(req: Request) -> Row:
    """The same with all fields."""
    return _list(req, "snapshots", "snapshot_extension:list_manageable", (*_DETAIL, *_SOURCE))


def _list(req: Request, what: str, rule: str, fields: tuple[str, ...]) -> Row:
    req.must(rule, {})
    page = _page(req)
    cluster, place = one_place(dict(req.query.items()), req.at_least(3, 17))
    row = req.services.db.read(backend.find, place, cluster)
    if row is None:
        where = "" if cluster else f" on host {place}"
        raise Fault(404, f"Service cinder-volume could not be found{where}.")
    backend.working(req, row)
    try:
        found = move_rpc.manageable(req, what, backend.queue(row), page)
    except RemoteFault as error:
        raise faults.of_peer(error) from None
    return {f"manageable-{what}": [{name: _value(one, name) for name in fields} for one in found]}


def _value(one: Any, name: str) -> Any:
    """A field of an object or, from backends that are older than those, of a dict."""
    return one.get(name) if isinstance(one, dict) else one.get(name, None)


def _page(req: Request) -> Row:
    query = req.query
    keys, dirs = [], []
    if query.get("sort") is not None and (query.get("sort_key") is not None or query.get("sort_dir") is not None):
        raise Fault(400, "The 'sort_key' and 'sort_dir' parameters cannot be used with the 'sort' parameter.")
    if query.get("sort") is not None:
        for part in str(query.get("sort")).split(","):
            key, _, direction = part.strip().partition(":")
            keys.append(key or "reference")
            dirs.append(direction or "desc")
    else:
        keys, dirs = [query.get("sort_key") or "reference"], [query.get("sort_dir") or "desc"]
    for what, found, known in (("keys", keys, _SORT_KEYS), ("dirs", dirs, ("asc", "desc"))):
        wrong = [one for one in found if one not in known]
        if wrong:
            raise Fault(400, f"Invalid sort {what} passed: {', '.join(wrong)}")
    top = req.services.conf.osapi_max_limit
    limit = min(_whole("limit", query.get("limit"), top), top)
    offset = _whole("offset", query.get("offset"), 0)
    return {"marker": query.get("marker"), "limit": limit, "offset": offset, "sort_keys": keys, "sort_dirs": dirs}


def _whole(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    try:
        number = int(text)
    except ValueError:
        raise Fault(400, f"{name} param must be an integer") from None
    if not 0 <= number <= MAX_INT:
        raise Fault(400, f"{name} param must be positive and at most {MAX_INT}")
    return number

"""Clusters: list, show, enable and disable (3.7; source: cinder 29.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.http.view import Field, View
from keel_api.volume import faults, lists
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import clusters

Row = dict[str, Any]
_BINARY = "cinder-volume"
_FILTERS = ("name", "binary", "is_up", "disabled", "num_hosts", "num_down_hosts")
_REPLICATION = ("replication_status", "frozen", "active_backend_id")
_BOOLEANS = ("is_up", "disabled", "frozen")
#: Keys of a query that no list of clusters looks at.
_IGNORED = ("all_tenants",)


def _moment(name: str) -> Field:
    return Field(name, lambda row, req: moment(row[name]) or "", columns=(name,))


_BASE = (
    Field("name", "name"),
    Field("binary", "binary"),
    Field("state", lambda row, req: "up" if row["is_up"] else "down", columns=("is_up",)),
    Field("status", lambda row, req: "disabled" if row["disabled"] else "enabled", columns=("disabled",)),
)
_STATUS = Field("replication_status", "replication_status", since="3.26")
SUMMARY = View("cluster summary", (*_BASE, _STATUS))
CHANGED = View("changed cluster", (*_BASE, _STATUS, Field("disabled_reason", "disabled_reason")))
DETAIL = View(
    "cluster",
    (
        *_BASE,
        Field("num_hosts", "num_hosts"),
        Field("num_down_hosts", "num_down_hosts"),
        _moment("last_heartbeat"),
        _moment("created_at"),
        _moment("updated_at"),
        Field("disabled_reason", "disabled_reason"),
        _STATUS,
        Field("frozen", "frozen", since="3.26"),
        Field("active_backend_id", "active_backend_id", since="3.26"),
    ),
)


@handles("GET /clusters")
def index(req: Request) -> Row:
    """Names and states."""
    return _list(req, SUMMARY)


@handles("GET /clusters/detail")
def detail(req: Request) -> Row:
    """All fields."""
    return _list(req, DETAIL)


def _list(req: Request, view: View) -> Row:
    req.must("clusters:get_all", {})
    asked = {key: value for key, value in req.query.items() if key not in _IGNORED}
    known = (*_FILTERS, *_REPLICATION) if req.at_least(3, 26) else _FILTERS
    wrong = sorted(key for key in asked if key not in known)
    if wrong:
        raise faults.invalid_input(f"Invalid filter keys: {', '.join(wrong)}")
    filters = {key: lists.boolean(key, value) if key in _BOOLEANS else value for key, value in asked.items()}
    rows = req.services.db.read(clusters.find, req.services.conf.service_down_time, filters)
    return {"clusters": view.render(req.version, (), rows, req)}


@handles("GET /clusters/{id}")
def show(req: Request) -> Row:
    """One cluster by its name; `binary` is cinder-volume unless the query names another that has it."""
    req.must("clusters:get", {})
    return {"cluster": DETAIL.one(req.version, (), req.services.db.read(_cluster, req, req.path["id"], _BINARY), req)}


@handles("PUT /clusters/enable")
def enable(req: Request) -> Row:
    """Give work to the services of a cluster again."""
    return _set(req, {"disabled": False, "disabled_reason": None})


@handles("PUT /clusters/disable")
def disable(req: Request) -> Row:
    """Give no new work to the services of a cluster."""
    reason = req.body.get("disabled_reason")
    return _set(req, {"disabled": True, "disabled_reason": reason.strip() if reason else None})


def _set(req: Request, values: Row) -> Row:
    req.must("clusters:update", {})

    def work(conn: Any) -> Row:
        row = _cluster(conn, req, req.body["name"].strip(), req.body.get("binary") or _BINARY)
        clusters.change(conn, row["id"], values)
        return {**row, **values}

    return {"cluster": CHANGED.one(req.version, (), req.services.db.run(work), req)}


def _cluster(conn: Any, req: Request, name: str, binary: str) -> Row:
    found = clusters.find(conn, req.services.conf.service_down_time, {"name": name, "binary": binary})
    if not found:
        raise Fault(404, f"Cluster {{'binary': '{binary}', 'name': '{name}'}} could not be found.")
    return found[0]

"""os-services: who serves what, up or down, enabled or not (source: cinder 29.0.0)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.http.view import Field, View
from keel_api.volume import rpc
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import services
from keel_common.db.stores.cinder.rows import now
from keel_common.domain.volume import hosts

Row = dict[str, Any]
_VOLUME = "cinder-volume"


def _latest(row: Row, at: datetime) -> datetime | None:
    """The later of the last heartbeat and the last change by an operator: the one nearer to now."""
    moments = [one for one in (row["updated_at"], row["modified_at"]) if one is not None]
    return min(moments, key=lambda one: abs((at - one).total_seconds())) if moments else None


_BASE = (
    Field("binary", "binary"),
    Field("host", "host"),
    Field("zone", "availability_zone"),
    Field("status", lambda row, scope: "disabled" if row["disabled"] else "enabled", columns=("disabled",)),
    Field("state", "state"),
    Field("updated_at", "shown_at"),
    Field("cluster", "cluster_name", since="3.7"),
    Field("disabled_reason", "disabled_reason"),
)
SERVICE = View("service", _BASE)
BACKEND = View(
    "volume service",
    (
        *_BASE,
        Field("backend_state", "backend_state", since="3.49"),
        Field("replication_status", "replication_status"),
        Field("active_backend_id", "active_backend_id"),
        Field("frozen", "frozen"),
    ),
)


@handles("GET /os-services")
def index(req: Request) -> dict[str, Any]:
    """Every process with a row; from 3.49 the scheduler is asked how the backends are."""
    req.must("volume_extension:services:index", {})
    rows = req.services.db.read(services.listing, req.query.get("binary"), req.query.get("host"))
    states = _backend_states(req) if req.at_least(3, 49) else {}
    at = now()
    for row in rows:
        row["state"] = "up" if services.is_up(row, req.services.conf.service_down_time, at) else "down"
        row["shown_at"] = moment(_latest(row, at))
        row["backend_state"] = states.get(row["host"])
    views = [(BACKEND if row["binary"] == _VOLUME else SERVICE, row) for row in rows]
    return {"services": [view.one(req.version, (), row, req) for view, row in views]}


def _backend_states(req: Request) -> dict[str, str]:
    """`host@backend` -> up or down, as the scheduler knows it."""
    found = {}
    for pool in rpc.get_pools(req) or []:
        state = pool["capabilities"].get("backend_state")
        if state is not None:
            found[hosts.backend_of(pool["name"])] = state
    return found


@handles("PUT /os-services/enable")
def enable(req: Request) -> dict[str, Any]:
    """Give work to a service again.

    cinder 29.0.0 answers the same but leaves the row as it was; here the row is written.
    """
    host = _set(req, {"disabled": False, "disabled_reason": None})
    return {**_named(req, host), "status": "enabled", "disabled": False}


@handles("PUT /os-services/disable")
def disable(req: Request) -> dict[str, Any]:
    """Give no new work to a service.

    cinder 29.0.0 answers the same but leaves the row as it was; here the row is written.
    """
    host = _set(req, {"disabled": True, "disabled_reason": None})
    return {**_named(req, host), "status": "disabled", "disabled": True}


@handles("PUT /os-services/disable-log-reason")
def disable_with_reason(req: Request) -> dict[str, Any]:
    """Give no new work to a service, and say why."""
    reason = req.body.get("disabled_reason")
    reason = reason.strip() if reason else None
    host = _set(req, {"disabled": True, "disabled_reason": reason})
    shown = {**_named(req, host), "status": "disabled", "disabled": True}
    return {**shown, "disabled_reason": reason}


def _set(req: Request, values: Row) -> str:
    req.must("volume_extension:services:update", {})
    host, binary = req.body.get("host"), req.body.get("binary") or req.body.get("service")
    if not host:
        raise Fault(400, "Missing required element 'host' in request body.")

    def work(conn: Any) -> None:
        row = services.get(conn, host, binary)
        if row is None:
            raise Fault(404, f"Service {binary} could not be found on host {host}.")
        services.set_state(conn, row["id"], values)

    req.services.db.run(work)
    return host


def _named(req: Request, host: str) -> Row:
    """The service as the answer names it: both spellings, the one that was not used empty."""
    return {"host": host, "service": req.body.get("service") or "", "binary": req.body.get("binary") or ""}

"""Freeze, thaw and fail over the backends of a host or a cluster (source: cinder 29.0.0 flows 17)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_api.volume import faults, process_rpc
from keel_api.volume.answers import bare
from keel_api.volume.places import one_place
from keel_common.db.stores.cinder import clusters, services
from keel_common.domain.volume.process_states import FAILOVER, FREEZE, THAW, Change
from keel_contract.errors import RemoteFault

Row = dict[str, Any]
_UPDATE = "volume_extension:services:update"


@handles("PUT /os-services/freeze")
def freeze(req: Request) -> Response:
    """No more changes on a backend."""
    _call(req, process_rpc.freeze, req.services.db.run(_change, req, FREEZE))
    return Response()


@handles("PUT /os-services/thaw")
def thaw(req: Request) -> Response:
    """Changes are allowed again."""
    _call(req, process_rpc.thaw, req.services.db.run(_change, req, THAW))
    return Response()


@handles("PUT /os-services/failover_host")
def failover(req: Request) -> Response:
    """Start to go over to a replica: 202."""
    queue = req.services.db.run(_change, req, FAILOVER)
    process_rpc.failover(req, queue, req.body.get("backend_id"))
    return bare()


def _call(req: Request, method: Any, queue: str) -> None:
    try:
        method(req, queue)
    except RemoteFault as error:
        raise faults.of_peer(error) from None


def _change(conn: Any, req: Request, change: Change) -> str:
    """Write the rows of the services (and of their cluster); the queue of the backend."""
    for rule in (_UPDATE, change.rule):
        req.must(rule, {})
    cluster, place = one_place(req.body, req.at_least(3, 26))
    key = "cluster_name" if cluster else "host"
    rows = [row for row in services.listing(conn, "cinder-volume") if row[key] == place]
    if not rows:
        raise Fault(400, f"No service found with {'cluster' if cluster else 'host'}={place}")
    if cluster:
        _change_cluster(conn, req, change, place)
    seconds = req.services.conf.service_down_time
    able = [row for row in rows if not change.needs_up or services.is_up(row, seconds)]
    done = [row for row in able if services.change_state(conn, row["id"], change.expected, change.values)]
    if not done:
        raise faults.invalid_input(
            f"No service could be changed: {change.column} in {[row['host'] for row in rows]} must be "
            f"{change.wanted} to {change.verb}."
        )
    return done[0]["cluster_name"] or done[0]["host"]


def _change_cluster(conn: Any, req: Request, change: Change, name: str) -> None:
    seconds = req.services.conf.service_down_time
    for row in clusters.find(conn, seconds, {"name": name, "binary": "cinder-volume"}):
        fits = all(row[column] in allowed for column, allowed in change.expected.items())
        if not fits or (change.needs_up and not row["is_up"]):
            raise faults.invalid_input(f"{change.column} of cluster {name} must be {change.wanted} to {change.verb}.")
        clusters.change(conn, row["id"], change.values, clusters.guards(change.expected))

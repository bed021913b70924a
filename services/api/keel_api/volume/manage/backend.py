"""The backend a request names to take something over from (source: cinder 29.0.0 manage flow)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.db.stores.cinder import services
from keel_common.domain.volume import hosts

Row = dict[str, Any]
_BINARY = "cinder-volume"


def find(conn: Any, place: str, cluster: bool) -> Row | None:
    """The row of a volume service on a host (or in a cluster) of this name, its pool not looked at; or None."""
    name = hosts.backend_of(place)
    if not cluster:
        return services.get(conn, name, _BINARY)
    rows = [row for row in services.listing(conn, _BINARY) if row["cluster_name"] == name]
    return max(rows, key=lambda row: row["updated_at"] or row["created_at"], default=None)


def working(req: Request, row: Row) -> None:
    """A 400 unless the service is enabled and was heard of."""
    if row["disabled"] or not services.is_up(row, req.services.conf.service_down_time):
        raise Fault(400, "Service is unavailable at this time.")


def queue(row: Row) -> str:
    """Where messages to the service go: its cluster when it is in one."""
    return row["cluster_name"] or row["host"]

"""os-hosts, and what a backend can do (source: cinder 29.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, rpc
from keel_api.volume.times import moment
from keel_common.db.stores.cinder import host_totals, services
from keel_contract.errors import RemoteFault, RpcTimeout

Row = dict[str, Any]
_RULE = "volume_extension:hosts"
_CAPABILITIES = (
    "vendor_name",
    "volume_backend_name",
    "pool_name",
    "driver_version",
    "storage_protocol",
    "display_name",
    "description",
    "visibility",
    "replication_targets",
    "properties",
)


@handles("GET /os-hosts")
def index(req: Request) -> Row:
    """Every process with a row (in a zone)."""
    req.must(_RULE, {})
    zone = req.query.get("zone")
    seconds = req.services.conf.service_down_time
    rows = [row for row in req.services.db.read(services.listing) if zone is None or row["availability_zone"] == zone]
    return {
        "hosts": [
            {
                "host_name": row["host"],
                "service": row["topic"],
                "zone": row["availability_zone"],
                "service-status": "available" if services.is_up(row, seconds) else "unavailable",
                "service-state": "disabled" if row["disabled"] else "enabled",
                "last-update": moment(row["updated_at"]),
            }
            for row in rows
        ]
    }


@handles("GET /os-hosts/{id}")
def show(req: Request) -> Row:
    """How many volumes and snapshots lie on a host: in all, and for each project."""
    req.must(_RULE, {})
    host = req.path["id"]

    def work(conn: Any) -> dict[str, Row]:
        if services.get(conn, host, "cinder-volume") is None:
            raise Fault(404, f"Service cinder-volume could not be found on host {host}.")
        return host_totals.by_project(conn, host)

    found = req.services.db.read(work)
    total = {key: sum(one[key] for one in found.values()) for key in host_totals.KEYS}
    rows = [("(total)", total), *found.items()]
    return {"host": [{"resource": _resource(host, project, counts)} for project, counts in rows]}


def _resource(host: str, project: str, counts: Row) -> Row:
    return {"host": host, "project": project, **{key: str(value) for key, value in counts.items()}}


@handles("PUT /os-hosts", "PUT /os-hosts/{id}")
def update(req: Request) -> Row:
    """Enable or disable the volume service of a host. cinder 29.0.0 answers 500 to every such wish; here the row is
    written. Without a status nothing is done."""
    req.must(_RULE, {})
    host, status = req.path.get("id"), (req.body or {}).get("status")
    if host is None:
        raise Fault(400)
    if status is None:
        return {}

    def work(conn: Any) -> None:
        row = services.get(conn, host, "cinder-volume")
        if row is None:
            raise Fault(404, f"Service cinder-volume could not be found on host {host}.")
        services.set_state(conn, row["id"], {"disabled": status == "disable", "disabled_reason": None})

    req.services.db.run(work)
    return {"host": host, "status": f"{status}d"}


@handles("GET /capabilities/{id}")
def capabilities(req: Request) -> Row:
    """What a backend says it can do. 404 for a host without a volume service, 502 when it does not answer."""
    req.must("volume_extension:capabilities", {})
    host = req.path["id"]
    if req.services.db.read(services.get, host.partition("#")[0], "cinder-volume") is None:
        raise Fault(404, f"Can't find service: {host}")
    try:
        found = rpc.get_capabilities(req, host)
    except RpcTimeout:
        raise Fault(502, "Bad gateway.") from None
    except RemoteFault as error:
        raise faults.of_peer(error) from None
    shown = {key: found.get(key) for key in _CAPABILITIES}
    return {"namespace": f"OS::Storage::Capabilities::{host}", **shown}

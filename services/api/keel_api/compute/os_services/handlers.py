"""``os-services``: list and delete (nova 34.0.0)."""

from __future__ import annotations

from typing import Any

from oslo_utils import uuidutils

from keel_api.compute.hosts import COMPUTE, all_services
from keel_api.compute.os_services import views
from keel_api.http import Fault, Request, handles
from keel_api.http.paging import row_id
from keel_common.db.stores.nova import aggregates, cell_mappings, compute_nodes, hosts, migrations, services

_RULE = "os_compute_api:os-services"


@handles("GET /os-services")
def index(req: Request) -> dict:
    """The services of all cells, of one host or binary when asked."""
    req.must(f"{_RULE}:list", {})
    rows = all_services(req)
    for key in ("host", "binary"):
        wanted = req.query.get(key)
        if wanted is not None:
            rows = [row for row in rows if row[key] == wanted]
    return {"services": views.SERVICE.render(req.version, (), rows)}


@handles("DELETE /os-services/{id}")
def remove(req: Request) -> None:
    """Delete a service; a compute only when no server and no move needs it. Its place in aggregates goes, too."""
    req.must(f"{_RULE}:delete", {})
    service = _one(req, req.path["id"])
    if service["binary"] == COMPUTE:
        _empty(service)
        _withdraw(req, service)
    service["cell"].db.run(services.destroy, service["id"])


def _one(req: Request, key: str) -> dict[str, Any]:
    if req.at_least(2, 53):
        if not uuidutils.is_uuid_like(key):
            raise Fault(400, f"Invalid uuid {key}")
        column: str = "uuid"
    else:
        if row_id(key) is None:
            raise Fault(400, f"Invalid input received: Invalid id {key}")
        column = "id"
    found = [row for row in all_services(req) if str(row[column]) == key]
    if not found:
        raise Fault(404, f"Service {key} could not be found.")
    if len(found) > 1:
        raise Fault(400, "More than one possible service found.")
    return found[0]


def _empty(service: dict[str, Any]) -> None:
    """409 while servers stand on the host or move from or to it."""

    def read(conn: Any) -> tuple[bool, bool]:
        nodes = compute_nodes.listing(conn, host=service["host"])
        moves = any(migrations.in_progress(conn, node["host"], node["hypervisor_hostname"]) for node in nodes)
        return bool(hosts.servers_on(conn, [service["host"]])), moves

    servers, moves = service["cell"].db.read(read)
    if servers:
        raise Fault(
            409, "Unable to delete compute service that is hosting instances. Migrate or delete the instances first."
        )
    if moves:
        raise Fault(
            409,
            "Unable to delete compute service that has in-progress migrations. Complete the migrations or delete the "
            "instances first.",
        )


def _withdraw(req: Request, service: dict[str, Any]) -> None:
    """Take the host out of aggregates, Placement and the host mappings, in this order."""
    api = req.services.cells.api
    api.run(aggregates.leave_all, service["host"])
    for node in service["cell"].db.read(compute_nodes.listing, host=service["host"]):
        req.services.clients.placement.delete_provider(node["uuid"])
    api.run(cell_mappings.unmap_host, service["host"])

"""PUT /servers/{id}: names, description, addresses, disk config, host name, and the zone a server is pinned to."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers import lookup, scope, views
from keel_api.compute.servers.show import locate_for_view, rendered
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db import now
from keel_common.db.stores.nova import servers_change, servers_create, servers_found

_FIELDS = {
    "name": "display_name",
    "description": "display_description",
    "hostname": "hostname",
    "accessIPv4": "access_ip_v4",
    "accessIPv6": "access_ip_v6",
}
_PIN = "pinned_availability_zone"


@handles("PUT /servers/{id}")
def update(req: Request) -> dict[str, Any]:
    found = locate_for_view(req, req.path["id"])
    target = {"project_id": found.project_id}
    allowed = scope.allowed_fields(req, views.UPDATED, target)
    columns = views.UPDATED.columns(req.version, allowed) | {"availability_zone"}
    server, cell = lookup.read_found(req, found, columns)
    req.must("os_compute_api:servers:update", lookup.target_of(server))
    body = req.body["server"]
    if _PIN in body:
        _pin(req, found, server, body[_PIN])
    values = _values(body)
    if values:
        if cell is None:
            done = req.services.cells.api.run(servers_create.update_build, found.uuid, values)
        else:
            done = cell.db.run(servers_change.update, found.uuid, values)
        if not done:
            raise lookup.not_found(found.uuid)
        server = {**server, **values, "updated_at": now()}
    return {"server": rendered(req, found, server, views.UPDATED, allowed)}


def _values(body: dict[str, Any]) -> dict[str, Any]:
    values = {column: body[key] for key, column in _FIELDS.items() if key in body}
    if "display_name" in values:
        values["display_name"] = values["display_name"].strip()
    for name in ("access_ip_v4", "access_ip_v6"):
        if name in values:
            values[name] = values[name] or None
    if "OS-DCF:diskConfig" in body:
        values["auto_disk_config"] = body["OS-DCF:diskConfig"] == "AUTO"
    return values


def _pin(req: Request, found: servers_found.Found, server: dict[str, Any], zone: str | None) -> None:
    """Unpin a server, or pin it to the zone it is in; 409 for any other zone (nova 34.0.0 microversion 2.104)."""
    pinned = found.spec.get("availability_zone")
    if zone == pinned:
        return
    if zone is not None and (pinned is not None or zone != server["availability_zone"]):
        raise Fault(
            409, f"Server {found.uuid} can only be pinned to its current availability zone while it is not pinned"
        )
    if req.services.cells.api.run(servers_create.pin_zone, found.uuid, zone):
        found.spec["availability_zone"] = zone

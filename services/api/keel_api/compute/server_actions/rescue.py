"""rescue: boot from another disk to mend the own one (nova 34.0.0; microversion 2.87 for servers on a volume)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin, disks
from keel_api.compute.servers.asked import new_password
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import hosts
from keel_common.wire import server as wire
from keel_common.wire.image import image_dict
from keel_contract.nova.interfaces import COMPUTE

_STABLE = ("hw_rescue_bus", "hw_rescue_device")
_TRAIT = "COMPUTE_RESCUE_BFV"


@handles("POST /servers/{id}/action #rescue")
def rescue(req: Request) -> dict[str, Any]:
    """Boot a server from a rescue image, its own image unless one is named; answers the password of that system."""
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:os-rescue", ("project_id", "user_id"))
    asked = req.args or {}
    password = asked.get("adminPass") or new_password(req.services.conf.password_length)
    image = asked.get("rescue_image_ref")
    guard = begin.check(req, server, "rescue", "rescue", cell)
    properties = _properties(req, server, image)
    devices = disks.of(cell, server)
    disks.check_in_use(req, devices, 409)
    if disks.is_volume_backed(server, devices):
        _check_volume_backed(req, server, begin.in_cell(server, cell), properties)
    begun = begin.begin(req, server, cell, guard, "rescue")
    with begin.reverting(cell, server, guard.sets):
        req.services.rpc(COMPUTE, cell).send(
            req.context,
            "rescue_instance",
            instance=wire.instance(begun),
            rescue_password=password,
            rescue_image_ref=image,
            clean_shutdown=True,
        )
    return {"adminPass": password} if req.services.conf.api.enable_instance_password else {}


def _properties(req: Request, server: dict[str, Any], image: str | None) -> dict[str, Any]:
    """The properties of the image to rescue with, else of the server's own; 400 for one that cannot be used."""
    if image is None:
        own = server["system_metadata"].items()
        return {key.removeprefix("image_"): value for key, value in own if key.startswith("image_")}
    try:
        found = image_dict(req.services.clients.glance.show(req.context, image))
    except (errors.NotFound, errors.BadRequest, errors.Forbidden):
        raise Fault(400, f"Requested rescue image '{image}' is not supported") from None
    if found["properties"].get("block_device_mapping"):
        raise Fault(400, f"Requested rescue image '{image}' is not supported")
    return found["properties"]


def _check_volume_backed(req: Request, server: dict[str, Any], cell: Cell, properties: dict[str, Any]) -> None:
    """400 unless the image says which stable device to use and the host can do that, from 2.87 on."""
    unable = f"Instance {server['uuid']} cannot be rescued: "
    if not req.at_least(2, 87) or any(name not in properties for name in _STABLE):
        raise Fault(400, unable + "Cannot rescue a volume-backed instance")
    found = cell.db.read(hosts.find_node, server["host"], server["node"]) if server["host"] else []
    if not found or _TRAIT not in req.services.clients.placement.traits(found[0]["uuid"]):
        raise Fault(400, unable + "Host unable to rescue a volume-backed instance")

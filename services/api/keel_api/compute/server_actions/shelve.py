"""shelve, shelveOffload and unshelve (nova 34.0.0 flows 10, microversions 2.77 and 2.91)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin, disks, host, snapshot, spec
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db.stores.nova import servers_change
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE, COMPUTE_TASK

_RULE = "os_compute_api:os-shelve"
_OWNER = ("project_id", "user_id")
_OFFLOADED = "shelved_offloaded"
_UNSET = object()


@handles("POST /servers/{id}/action #shelve")
def shelve(req: Request) -> None:
    """Power a server off and keep its disk as an image; one that boots from a volume leaves its host at once."""
    server, cell = begin.server_for(req, req.path["id"], f"{_RULE}:shelve", _OWNER)
    guard = begin.check(req, server, "shelve", "shelve", cell)
    volume_backed = disks.is_volume_backed(server, disks.of(cell, server))
    uuid, base = server["uuid"], server["image_ref"] or ""
    begun = begin.begin(
        req,
        server,
        cell,
        guard,
        "shelve",
        also=lambda conn: servers_change.set_system_metadata(conn, uuid, "image_base_image_ref", base),
    )
    begun["system_metadata"] = {**server["system_metadata"], "image_base_image_ref": base}
    compute, instance = req.services.rpc(COMPUTE, cell), wire.instance(begun)
    more: dict[str, Any] = {"clean_shutdown": True, "accel_uuids": []}
    with begin.reverting(cell, server, guard.sets):
        if volume_backed:
            compute.send(req.context, "shelve_offload_instance", instance=instance, **more)
            return
        body = snapshot.body_of(req, begun, f"{server['display_name']}-shelved", "snapshot")
        with snapshot.queued(req, body) as image_id:
            compute.send(req.context, "shelve_instance", instance=instance, image_id=image_id, **more)


@handles("POST /servers/{id}/action #shelveOffload")
def shelve_offload(req: Request) -> None:
    """Take a shelved server off its host."""
    server, cell = begin.server_for(req, req.path["id"], f"{_RULE}:shelve_offload", _OWNER)
    guard = begin.check(req, server, "shelve_offload", "shelveOffload", cell)
    begun = begin.begin(req, server, cell, guard, "shelveOffload")
    with begin.reverting(cell, server, guard.sets):
        req.services.rpc(COMPUTE, cell).send(
            req.context,
            "shelve_offload_instance",
            instance=wire.instance(begun),
            clean_shutdown=True,
            accel_uuids=[],
        )


@handles("POST /servers/{id}/action #unshelve")
def unshelve(req: Request) -> None:
    """Bring a shelved server back, from 2.77 on into a zone, from 2.91 on to a host."""
    asked = (req.args or {}) if req.at_least(2, 77) else {}
    zone = asked.get("availability_zone", _UNSET)
    wanted = asked.get("host")
    server, cell = begin.server_for(req, req.path["id"], f"{_RULE}:unshelve", ("project_id",))
    guard = begin.check(req, server, "unshelve", "unshelve", cell)
    home = begin.in_cell(server, cell)
    request_spec = spec.of(req, server)
    if zone is not _UNSET or wanted:
        _place(req, server, home, request_spec, zone, wanted)
    begun = begin.begin(req, server, cell, guard, "unshelve")
    with begin.reverting(cell, server, guard.sets):
        if zone is not _UNSET:
            spec.keep(req, server, availability_zone=zone)
        req.services.rpc(COMPUTE_TASK).send(
            req.context, "unshelve_instance", instance=wire.instance(begun), request_spec=request_spec
        )


def _place(req: Request, server: dict[str, Any], cell: Any, request_spec: Any, zone: Any, wanted: str | None) -> None:
    """Point the spec at a zone (None unpins it) and a host; 409 unless the server is off its host."""
    if wanted:
        req.must(f"{_RULE}:unshelve_to_host", {name: server[name] for name in _OWNER})
    if server["vm_state"] != _OFFLOADED:
        raise Fault(
            409,
            f"Specifying an availability zone or a host when unshelving instance {server['uuid']} needs vm_state "
            f"{_OFFLOADED}, it is in vm_state {server['vm_state']}.",
        )
    if zone is not _UNSET:
        if zone is not None:
            _check_zone(req, server, cell, zone)
        request_spec.availability_zone = zone
    if wanted:
        node = host.first_node(req, wanted)
        if node is None:
            raise Fault(400, f"Compute host {wanted} could not be found.")
        pinned = request_spec.get("availability_zone")
        if pinned and host.zone_of(req, wanted) != pinned:
            raise Fault(409, f"Host {wanted} is not in the availability zone {pinned}.")
        request_spec.requested_destination = spec.destination(wanted, node["hypervisor_hostname"])


def _check_zone(req: Request, server: dict[str, Any], cell: Any, zone: str) -> None:
    if zone not in host.open_zones(req):
        raise Fault(400, "The requested availability zone is not available")
    if req.services.conf.cinder.cross_az_attach:
        return
    for device in disks.of(cell, server):
        if not device["volume_id"]:
            continue
        try:
            volume = req.services.clients.cinder.show_volume(req.context, device["volume_id"])
        except errors.NotFound:
            raise Fault(409, f"Volume {device['volume_id']} could not be found.") from None
        if volume.get("availability_zone") != zone:
            raise Fault(409, f"Volume {volume['id']} is not in the availability zone {zone}.")

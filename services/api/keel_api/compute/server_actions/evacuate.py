"""evacuate: build a server of a host that is down again elsewhere (nova 34.0.0 flows 6, microversions 2.14 to 2.95)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin, host, spec
from keel_api.compute.servers.asked import new_password
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.nova import migrations
from keel_common.domain.server.block_devices import truth
from keel_common.wire import server as wire
from keel_contract.nova.interfaces import COMPUTE_TASK

_STOPPED_SINCE = 62  # lowest service version of computes that leave an evacuated server stopped
_TOO_OLD = "Evacuating to a stopped server needs every compute at service version 62."


@handles("POST /servers/{id}/action #evacuate")
def evacuate(req: Request) -> dict[str, Any] | None:
    """Rebuild a server on another host, on its own disks where the storage is shared."""
    server, cell = begin.server_for(req, req.path["id"], "os_compute_api:os-evacuate", ("project_id", "user_id"))
    asked = req.args
    wanted, target_state = asked.get("host"), None
    if req.at_least(2, 95):
        lowest = host.lowest_version(req)
        if lowest is not None and lowest < _STOPPED_SINCE:
            raise Fault(400, _TOO_OLD)
        target_state = "stopped"
    shared = None if req.at_least(2, 14) else truth(asked["onSharedStorage"])
    force = _force(req, asked, wanted)
    password = _password(req, asked, shared)
    if wanted is not None and not host.has_compute(req, wanted):
        raise Fault(404, f"Compute host {wanted} not found.")
    if server["host"] == wanted:
        raise Fault(400, "The target host can't be the same one.")
    guard = begin.check(req, server, "evacuate", "evacuate", cell)
    _begin(req, server, cell, guard, wanted, force, new_pass=password, on_shared_storage=shared, state=target_state)
    if not req.at_least(2, 14) and req.services.conf.api.enable_instance_password:
        return {"adminPass": password}
    return None


def _force(req: Request, asked: dict[str, Any], wanted: str | None) -> bool | None:
    """Whether the scheduler is left out; None below 2.29, where a host that is given always leaves it out."""
    if not req.at_least(2, 29):
        return None
    force = truth(asked.get("force") or False)
    if force and not wanted:
        raise Fault(400, "Can't force to a non-provided destination")
    return force


def _password(req: Request, asked: dict[str, Any], shared: bool | None) -> str | None:
    given = asked.get("adminPass")
    if shared:
        if given is not None:
            raise Fault(400, "admin password can't be changed on existing disk")
        return None
    return given if given is not None else new_password(req.services.conf.password_length)


def _begin(
    req: Request,
    server: dict[str, Any],
    cell: Any,
    guard: Any,
    wanted: str | None,
    force: bool | None,
    new_pass: str | None,
    on_shared_storage: bool | None,
    state: str | None,
) -> None:
    home = begin.in_cell(server, cell)
    if host.is_up(req, home, server["host"]):
        raise Fault(400, f"Compute service of {server['host']} is still in use.")
    request_spec = spec.of(req, server)
    forced = wanted
    if force is False and wanted:
        node = host.first_node(req, wanted)
        if node is None:
            raise Fault(404, f"Compute host {wanted} not found.")
        request_spec.requested_destination = spec.destination(wanted, node["hypervisor_hostname"])
        forced = None
    row = {
        "instance_uuid": server["uuid"],
        "source_compute": server["host"],
        "source_node": server["node"],
        "migration_type": "evacuation",
        "status": "accepted",
        "user_id": req.context.user_id,
        "project_id": req.context.project_id,
        **({"dest_compute": wanted} if wanted else {}),
    }
    made: list[Any] = []
    begun = begin.begin(
        req, server, cell, guard, "evacuate", also=lambda conn: made.append(migrations.create(conn, row))
    )
    try:
        with begin.reverting(home, server, guard.sets):
            req.services.rpc(COMPUTE_TASK).send(
                req.context,
                "rebuild_instance",
                instance=wire.instance(begun),
                new_pass=new_pass,
                injected_files=None,
                image_ref=None,
                orig_image_ref=None,
                orig_sys_metadata=None,
                bdms=None,
                recreate=True,
                on_shared_storage=on_shared_storage,
                preserve_ephemeral=False,
                host=forced,
                request_spec=request_spec,
                reimage_boot_volume=False,
                target_state=state,
            )
    except Exception:
        home.db.run(migrations.update, made[-1]["id"], {"status": "error"})  # nobody was told of it
        raise

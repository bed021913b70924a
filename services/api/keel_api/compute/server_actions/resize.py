"""resize and migrate: another flavor, another host (nova 34.0.0 flows 7)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin, disks, headroom, host, spec
from keel_api.compute.server_actions.confirm import grown
from keel_api.compute.servers import image as images
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import hosts, servers_boot
from keel_common.domain.server.hindrances import accelerators
from keel_common.wire import server as wire
from keel_common.wire.move import image_of
from keel_contract.nova import objects
from keel_contract.nova.interfaces import COMPUTE_TASK

_MIGRATE = "os_compute_api:os-migrate-server:migrate"
_MOVES_SHARES = 74  # lowest service version of computes that move shared file systems along
_SAME_HOST = "COMPUTE_SAME_HOST_COLD_MIGRATE"
_CROSS_CELL = "compute:servers:resize:cross_cell"


@handles("POST /servers/{id}/action #resize")
def resize(req: Request) -> None:
    """Give a server another flavor; the scheduler finds a host for it."""
    rule = "os_compute_api:servers:resize"
    server, cell = begin.server_for(req, req.path["id"], rule, ("project_id", "user_id"))
    asked = req.args
    config = asked.get("OS-DCF:diskConfig")
    guard = begin.check(req, server, "resize", "resize", cell)
    home = begin.in_cell(server, cell)
    automatic = None if config is None else config == "AUTO"
    _check_disk_config(server, automatic)
    flavor = _new_flavor(req, server, home, str(asked["flavorRef"]).rstrip("/").rsplit("/", 1)[-1])
    headroom.check(req, server, grown(flavor, server["flavor"]))
    _check_image(req, server, home, flavor)
    values = {"progress": 0, "auto_disk_config": bool(automatic)}
    _send(req, server, home, guard, "resize", flavor, values)


@handles("POST /servers/{id}/action #migrate")
def migrate(req: Request) -> None:
    """Move a server to another host, from 2.56 on to a given one."""
    wanted = (req.args or {}).get("host") if req.at_least(2, 56) else None
    server, cell = begin.server_for(
        req, req.path["id"], f"{_MIGRATE}:host" if wanted is not None else _MIGRATE, ("project_id",)
    )
    guard = begin.check(req, server, "resize", "migrate", cell)
    home = begin.in_cell(server, cell)
    node = None
    if wanted is not None:
        if wanted == server["host"]:
            raise Fault(400, f"Cannot migrate to the host where the server exists: {wanted}.")
        node = host.first_node(req, wanted)
        if node is None:
            raise Fault(400, f"Compute host {wanted} could not be found.")
    _check_shares(req, server, home)
    values = {"progress": 0, "auto_disk_config": False}
    _send(req, server, home, guard, "migrate", server["flavor"], values, node)


def _check_shares(req: Request, server: dict[str, Any], cell: Cell) -> None:
    """409 for a server with shares while a compute of any cell cannot move them."""
    if begin.has_any_share(cell, server) and (host.lowest_version(req) or 0) < _MOVES_SHARES:
        raise Fault(
            409,
            f"Instance {server['uuid']} has shares: moving it needs all compute services to be at service version "
            f"{_MOVES_SHARES} or later.",
        )


def _check_disk_config(server: dict[str, Any], automatic: bool | None) -> None:
    image = server["system_metadata"].get("image_auto_disk_config")
    if automatic and str(image or "").lower() == "disabled":
        raise Fault(400, f"Requested image {server['image_ref']} has automatic disk resize disabled.")


def _new_flavor(req: Request, server: dict[str, Any], cell: Cell, flavorid: str) -> dict[str, Any]:
    """The flavor asked for; 400 for one that is unknown, disabled, the same, or does not go with the server."""
    _check_shares(req, server, cell)
    found = req.services.cells.api.read(servers_boot.flavor, flavorid, None, True)
    if found is None:
        raise Fault(400, f"Flavor {flavorid} could not be found.")
    if accelerators({"flavor": found}):
        raise Fault(400, f"'resize' is not possible for instance {server['uuid']}: the flavor has accelerators.")
    old = server["flavor"]
    if found["root_gb"] == 0 and old["root_gb"] != 0 and not disks.is_volume_backed(server, disks.of(cell, server)):
        raise Fault(400, "Server unable to resize disk: Resize to flavor with zero disk not allowed.")
    if found["id"] == old["id"]:
        raise Fault(400, "When resizing, instances must change flavor!")
    return found


def _check_image(req: Request, server: dict[str, Any], cell: Cell, flavor: dict[str, Any]) -> None:
    """400 when the image a server was made from does not go with the new flavor."""
    devices = disks.of(cell, server)
    if disks.is_volume_backed(server, devices):
        return
    remembered = {key: value for key, value in server["system_metadata"].items() if key.startswith("image_")}
    images.check(req, {"size": 0, **image_of(remembered)}, flavor, [])


def _send(
    req: Request,
    server: dict[str, Any],
    cell: Cell,
    guard: Any,
    action: str,
    flavor: dict[str, Any],
    values: dict[str, Any],
    node: dict[str, Any] | None = None,
) -> None:
    ignored = [] if _may_stay(req, server, cell, action) else [server["host"]]
    request_spec = spec.of(req, server)
    request_spec.ignore_hosts = ignored
    cross_cell = req.can(_CROSS_CELL, {name: server[name] for name in ("project_id", "user_id")})
    where = {"host": node["host"], "node": node["hypervisor_hostname"]} if node is not None else {}
    request_spec.requested_destination = objects.Destination(allow_cross_cell_move=cross_cell, **where)
    begun = begin.begin(req, server, cell, guard, action, values, action=action)
    with begin.reverting(cell, server, guard.sets):
        req.services.rpc(COMPUTE_TASK).send(
            req.context,
            "migrate_server",
            how="cast",
            instance=wire.instance(begun),
            scheduler_hint={"filter_properties": {"ignore_hosts": ignored}},
            live=False,
            rebuild=False,
            flavor=wire.flavor(flavor),
            block_migration=None,
            disk_over_commit=None,
            clean_shutdown=True,
            request_spec=request_spec,
        )


def _may_stay(req: Request, server: dict[str, Any], cell: Cell, action: str) -> bool:
    """Whether the scheduler may choose the host a server is on: as configured, for migrate only where the host can."""
    if action == "resize":
        return bool(req.services.conf.allow_resize_to_same_host)
    nodes = cell.db.read(hosts.find_node, server["host"], server["node"])
    try:
        return bool(nodes) and _SAME_HOST in req.services.clients.placement.traits(nodes[0]["uuid"])
    except errors.NotFound:
        return False

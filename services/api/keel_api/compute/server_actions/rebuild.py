"""rebuild: the same server with a fresh root disk (nova 34.0.0 flows 5, microversions 2.19 to 2.94)."""

from __future__ import annotations

from typing import Any

from keel_api.compute.server_actions import begin, spec
from keel_api.compute.server_actions.rebuild_order import CERTS, Order, order_of
from keel_api.compute.servers import views
from keel_api.compute.servers.birth import text_of
from keel_api.compute.servers.show import locate_for_view, shown
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_common.db import Cell
from keel_common.db.stores.nova import instances_save
from keel_common.wire import server as wire
from keel_common.wire.image import image_meta
from keel_contract.nova.interfaces import COMPUTE_TASK

_RULE = "os_compute_api:servers:rebuild"
_OWNER = ("project_id", "user_id")


@handles("POST /servers/{id}/action #rebuild")
def rebuild(req: Request) -> Response:
    """Begin the rebuild; answers the server as it is then, with its new password."""
    uuid = req.path["id"]
    server, cell = begin.server_for(req, uuid, _RULE, _OWNER)
    asked = req.args
    if CERTS in asked:
        req.must(f"{_RULE}:trusted_certs", {name: server[name] for name in _OWNER})
    guard = begin.check(req, server, "rebuild", "rebuild", cell)
    home = begin.in_cell(server, cell)
    order = order_of(req, server, home)
    old_system = dict(server["system_metadata"])
    begun = begin.begin(
        req,
        server,
        home,
        guard,
        "rebuild",
        order.values,
        also=lambda conn: instances_save.save_parts(conn, uuid, _changes(server, order)),
    )
    begun |= {"metadata": order.metadata_of(server), "system_metadata": order.system_metadata}
    if order.certs_given:
        begun["trusted_certs"] = order.certs
    with begin.reverting(home, server, guard.sets):
        _send(req, begun, order, old_system)
    return _answer(req, uuid, order, home)


def _changes(server: dict[str, Any], order: Order) -> instances_save.Changes:
    """What changes beside the server's own row."""
    extra: dict[str, str | None] = {}
    if order.certs_given:
        extra["trusted_certs"] = text_of(order.certs_object()) if order.certs else None
    if order.key_given:
        extra["keypairs"] = text_of(order.keypairs())
    return instances_save.Changes(
        extra=extra, metadata=order.metadata_of(server), system_metadata=order.system_metadata
    )


def _send(req: Request, server: dict[str, Any], order: Order, old_system: dict[str, Any]) -> None:
    """Tell the conductor; with another image the scheduler has to say whether the host can take it."""
    request_spec, host = spec.of(req, server), server["host"]
    if order.new_image:
        request_spec.image = image_meta(order.image)
        spec.keep(req, server, image=request_spec.image)
        if request_spec.is_set("id"):
            del request_spec.id  # so that nobody stores what only this scheduling is about
        hints = request_spec.get("scheduler_hints") or {}
        request_spec.scheduler_hints = {**hints, "_nova_check_type": ["rebuild"]}
        request_spec.force_hosts, request_spec.force_nodes = [server["host"]], [server["node"]]
        host = None
    req.services.rpc(COMPUTE_TASK).send(
        req.context,
        "rebuild_instance",
        instance=wire.instance(server),
        new_pass=order.password,
        injected_files=[list(file) for file in order.files],
        image_ref=order.image_ref,
        orig_image_ref=order.old_image_ref,
        orig_sys_metadata=old_system,
        bdms=wire.devices(order.devices),
        recreate=False,
        on_shared_storage=False,
        preserve_ephemeral=order.preserve_ephemeral,
        host=host,
        request_spec=request_spec,
        reimage_boot_volume=order.reimage,
        target_state=None,
    )


def _answer(req: Request, uuid: str, order: Order, cell: Cell) -> Response:
    server = shown(req, locate_for_view(req, uuid), views.REBUILT)
    if req.services.conf.api.enable_instance_password:
        server["adminPass"] = order.password
    if req.at_least(2, 54):
        server["key_name"] = order.values.get("key_name", order.key_name)
    if req.at_least(2, 57):
        server["user_data"] = order.values.get("user_data", order.user_data)
    return Response({"server": server}, headers={"Location": req.url("servers", uuid)})

"""POST /servers: from the request to the records of the API database and the message to the conductor."""

from __future__ import annotations

from typing import Any

from keel_api.compute.servers import asked as wish
from keel_api.compute.servers import birth, devices, networks, quota
from keel_api.compute.servers import image as images
from keel_api.compute.servers.asked import Asked
from keel_api.compute.servers.birth import Birth, Order
from keel_api.compute.servers.placement import place
from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request, Response
from keel_common.db.stores.nova import servers_boot, servers_create
from keel_common.domain.server import block_devices
from keel_common.wire.image import InvalidProperty
from keel_contract.nova import objects
from keel_contract.nova.interfaces import COMPUTE_TASK


@handles("POST /servers")
def create(req: Request) -> Response:
    asked = wish.read(req)
    order = _order(req, asked)
    made = _record(req, order)
    _hand_on(req, order, made)
    return _answer(req, order, made)


def _order(req: Request, asked: Asked) -> Order:
    """Look everything up and check it; nothing is changed yet."""
    flavor = _flavor(req, asked.flavor)
    allowed = quota.limits(req)
    quota.check_sizes(asked, allowed)
    named = images.show(req, asked.image) if asked.image is not None else None
    chosen = devices.combined(req, asked, flavor, named["properties"] if named else {})
    image = _image(req, asked, named, chosen)
    devices.check_sources(req, chosen, asked.max_count)
    images.check(req, image, flavor, chosen)
    key = _key(req, asked.key_name)
    where = place(req, asked, allowed)
    wanted = networks.requested(req, asked)
    groups = networks.security_groups(req, asked.security_groups)
    count = quota.servers_allowed(req, allowed, flavor, asked.min_count, asked.max_count)
    return Order(asked, flavor, image, chosen, wanted, groups, key, where, count, birth.reservation_id())


def _flavor(req: Request, flavorid: str) -> dict[str, Any]:
    context = req.context
    found = req.services.cells.api.read(servers_boot.flavor, flavorid, context.project_id, context.is_admin)
    if found is None:
        raise Fault(400, f"Flavor {flavorid} could not be found.")
    return found


def _image(req: Request, asked: Asked, named: dict[str, Any] | None, chosen: list[dict[str, Any]]) -> dict[str, Any]:
    """The image the server is described by: the one named, else the one behind the root device."""
    root = block_devices.root_of(chosen)
    if named is not None:
        image = named
    elif root is not None and root["source_type"] == "image":
        image = images.show(req, root["image_id"])
    else:
        image = images.of_root_volume(req, root or {"source_type": "blank"})
    if asked.disk_config and str((image.get("properties") or {}).get("auto_disk_config", "")).lower() == "disabled":
        raise Fault(400, f"Requested image {image.get('id')} has automatic disk resize disabled.")
    return image


def _key(req: Request, name: str | None) -> dict[str, Any] | None:
    if name is None:
        return None
    found = req.services.cells.api.read(servers_boot.keypair, req.context.user_id, name)
    if found is None:
        raise Fault(400, "Invalid key_name provided.")
    return found


def _record(req: Request, order: Order) -> list[Birth]:
    """Reserve volumes and write the records, one transaction a server; takes everything back when one fails."""
    made: list[Birth] = []
    try:
        for index in range(order.count):
            uuid = birth.new_uuid()
            mine = devices.of_server(order.devices, uuid)
            try:
                one = birth.birth(req, order, index, mine, uuid)
            except InvalidProperty as error:
                raise Fault(400, str(error)) from None
            devices.reserve(req, mine)
            one.stored.devices = birth.text_of(mine)
            made.append(one)
            req.services.cells.api.run(servers_create.record, one.stored)
            birth.recorded(one, order.networks)
    except Exception:
        _take_back(req, made)
        raise
    return made


def _hand_on(req: Request, order: Order, made: list[Birth]) -> None:
    """Tell the conductor; without it nothing would ever happen to these servers, so a failure takes them back."""
    try:
        req.services.rpc(COMPUTE_TASK).send(
            req.context,
            "schedule_and_build_instances",
            build_requests=[one.build for one in made],
            request_specs=[one.spec for one in made],
            image=order.image,
            admin_password=order.asked.password,
            injected_files=[list(file) for file in order.asked.files],
            requested_networks=order.networks,
            block_device_mapping=devices.shared(order.devices, [one.devices for one in made]),
            tags=made[0].tags if order.asked.tags else objects.TagList(objects=[]),
        )
    except Exception:
        _take_back(req, made)
        raise


def _take_back(req: Request, made: list[Birth]) -> None:
    for one in made:
        devices.release(req, one.devices)
    if made:
        req.services.cells.api.run(servers_create.forget, [one.stored.uuid for one in made])


def _answer(req: Request, order: Order, made: list[Birth]) -> Response:
    if order.asked.by_reservation:
        return Response({"reservation_id": order.reservation})
    uuid = made[0].stored.uuid
    groups = order.asked.security_groups or ["default"]
    server = {
        "id": uuid,
        "links": req.links.pair("servers", uuid),
        "OS-DCF:diskConfig": "AUTO" if birth.disk_config(order) else "MANUAL",
        "security_groups": [{"name": name} for name in groups],
    }
    if req.services.conf.api.enable_instance_password:
        server["adminPass"] = order.asked.password
    return Response({"server": server}, headers={"Location": req.url("servers", uuid)})

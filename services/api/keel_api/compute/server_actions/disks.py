"""The block devices of a server as its actions look at them: is the root disk a volume, are the volumes in use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.clients import errors
from keel_common.db import Cell
from keel_common.db.stores.nova import bdms
from keel_common.domain.server import block_devices

Device = Mapping[str, Any]


def of(cell: Cell | None, server: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The block devices of a server, by id."""
    return cell.db.read(bdms.of_servers, [server["uuid"]]) if cell is not None else []


def is_volume_backed(server: Mapping[str, Any], devices: Iterable[Device]) -> bool:
    """Whether the root disk is a volume; without a root device a server without an image counts as one."""
    root = block_devices.root_of(devices)
    return root["destination_type"] == "volume" if root is not None else not server["image_ref"]


def check_in_use(req: Request, devices: Iterable[Device], code: int) -> None:
    """Refuse with `code` when a volume of the server is not in use, as the volume service sees it."""
    for device in devices:
        if not device["volume_id"]:
            continue
        try:
            volume = req.services.clients.cinder.show_volume(req.context, device["volume_id"])
        except errors.NotFound:
            raise Fault(code, f"Volume {device['volume_id']} could not be found.") from None
        if volume["status"] != "in-use":
            raise Fault(
                code,
                f"Invalid volume: volume '{volume['id']}' status must be 'in-use'. Currently in '{volume['status']}'",
            )

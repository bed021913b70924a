"""GET /os-availability-zone: the zones of the volume services, available when one of their rows is enabled."""

from __future__ import annotations

from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_common.db.stores.cinder import services


@handles("GET /os-availability-zone")
def index(req: Request) -> dict[str, Any]:
    """Every zone with its state."""
    zones = req.services.db.read(services.zones)
    return {
        "availabilityZoneInfo": [
            {"zoneName": name, "zoneState": {"available": available}} for name, available in zones.items()
        ]
    }

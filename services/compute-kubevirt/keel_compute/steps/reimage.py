"""A new image on the boot volume of a server that is being rebuilt (nova 34.0.0 flow rebuild, 2.93).

Cinder writes it while the volume is only reserved by the server, and tells when it is there: volume-reimaged. The
volume may lie on another claim afterwards, so what the server knows of its connection is asked for anew.
"""

from __future__ import annotations

import time
from typing import Any

from keel_common.clients import errors as peers
from keel_compute.errors import BuildAbort
from keel_compute.scope import Scope
from keel_compute.steps import volumes

_LOOK_EVERY = 0.5


def boot_volume(scope: Scope) -> Any:
    """The mapping of the volume that the server boots from. Raises BuildAbort when it boots from a local disk."""
    for mapping in scope.mappings:
        if mapping.boot_index == 0 and mapping.destination_type == "volume":
            return mapping
    raise BuildAbort("The server does not boot from a volume")


def write_over(scope: Scope, mapping: Any, image: str) -> None:
    """Have Cinder write the image and wait for it, [DEFAULT]reimage_timeout_per_gb seconds a GiB. Raises BuildAbort."""
    cinder, volume = scope.site.clients.cinder, mapping.volume_id
    key = f"volume-reimaged-{volume}"
    try:
        _reserve(scope, mapping)
        size = cinder.show_volume(scope.asker, volume)["size"]
        with scope.site.arrivals.expect(scope.server, [key]) as (arrived,):
            cinder.reimage_volume(scope.asker, volume, image)
            deadline = time.monotonic() + scope.site.conf.reimage_timeout_per_gb * size
            while not arrived.wait(_LOOK_EVERY):
                scope.flight.check()
                status = cinder.show_volume(scope.asker, volume)["status"]
                if status.startswith("error") or time.monotonic() > deadline:
                    raise BuildAbort(f"The image was not written over volume {volume}; its status is {status}")
            if scope.site.arrivals.failed(scope.server, [key]):
                raise BuildAbort(f"The image was not written over volume {volume}")
    except peers.ClientError as refused:
        raise BuildAbort(f"The image cannot be written over volume {volume}: {refused.message}") from refused
    volumes.save_connection(scope, mapping, volumes.connect(scope, mapping))


def _reserve(scope: Scope, mapping: Any) -> None:
    """Keep the volume for the server without being connected: a new attachment first, then the old one goes."""
    cinder, old = scope.site.clients.cinder, mapping.attachment_id
    fresh = cinder.create_attachment(scope.asker, mapping.volume_id, scope.server)["id"]
    scope.site.records.save_mapping(scope.context, mapping, attachment_id=fresh)
    if old:
        cinder.delete_attachment(scope.asker, old)

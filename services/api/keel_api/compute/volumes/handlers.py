"""``os-volumes`` and ``os-snapshots``, up to 2.35: what Cinder has, passed on."""

from __future__ import annotations

from typing import Any

from keel_api.compute.peers import cut, own_project, refusing
from keel_api.compute.volumes.views import SNAPSHOT, VOLUME
from keel_api.http import Request, handles
from keel_common.domain.server.block_devices import truth

_RULE = "os_compute_api:os-volumes"


@handles("GET /os-volumes")
def index(req: Request) -> dict[str, Any]:
    """The caller's volumes."""
    return _volumes(req, "list")


@handles("GET /os-volumes/detail")
def detail(req: Request) -> dict[str, Any]:
    """The same: both lists tell everything."""
    return _volumes(req, "detail")


def _volumes(req: Request, rule: str) -> dict[str, Any]:
    req.must(f"{_RULE}:{rule}", own_project(req))
    rows = cut(req, req.services.clients.cinder.list_volumes(req.context))
    return {"volumes": VOLUME.render(req.version, (), rows)}


@handles("GET /os-volumes/{id}")
def show(req: Request) -> dict[str, Any]:
    """One volume."""
    req.must(f"{_RULE}:show", own_project(req))
    key = req.path["id"]
    with refusing({404: 404}, f"Volume {key} could not be found."):
        row = req.services.clients.cinder.show_volume(req.context, key)
    return {"volume": VOLUME.one(req.version, (), row)}


@handles("POST /os-volumes")
def create(req: Request) -> dict[str, Any]:
    """Ask for a volume, empty or of a snapshot."""
    req.must(f"{_RULE}:create", own_project(req))
    asked = req.body["volume"]
    snapshot = asked.get("snapshot_id")
    cinder = req.services.clients.cinder
    if snapshot is not None:
        with refusing({404: 404}, f"Snapshot {snapshot} could not be found."):
            cinder.show_snapshot(req.context, snapshot)
    values = {
        "size": int(asked["size"]),
        "name": asked.get("display_name"),
        "description": asked.get("display_description"),
        "volume_type": asked.get("volume_type"),
        "metadata": asked.get("metadata") or {},
        "availability_zone": asked.get("availability_zone"),
        "snapshot_id": snapshot,
    }
    with refusing({400: 400, 403: 403, 404: 404, 413: 403}):
        row = cinder.create_volume(req.context, values)
    return {"volume": VOLUME.one(req.version, (), row)}


@handles("DELETE /os-volumes/{id}")
def delete(req: Request) -> None:
    """Ask for the deletion of a volume."""
    req.must(f"{_RULE}:delete", own_project(req))
    key = req.path["id"]
    with refusing({404: 404}, f"Volume {key} could not be found."), refusing({400: 400}):
        req.services.clients.cinder.delete_volume(req.context, key)


@handles("GET /os-snapshots")
def snapshots(req: Request) -> dict[str, Any]:
    """The caller's snapshots of volumes."""
    return _snapshots(req, "list")


@handles("GET /os-snapshots/detail")
def snapshots_detail(req: Request) -> dict[str, Any]:
    """The same: both lists tell everything."""
    return _snapshots(req, "detail")


def _snapshots(req: Request, rule: str) -> dict[str, Any]:
    req.must(f"{_RULE}:snapshots:{rule}", own_project(req))
    rows = cut(req, req.services.clients.cinder.list_snapshots(req.context))
    return {"snapshots": SNAPSHOT.render(req.version, (), rows)}


@handles("GET /os-snapshots/{id}")
def show_snapshot(req: Request) -> dict[str, Any]:
    """One snapshot."""
    req.must(f"{_RULE}:snapshots:show", own_project(req))
    key = req.path["id"]
    with refusing({404: 404}, f"Snapshot {key} could not be found."):
        row = req.services.clients.cinder.show_snapshot(req.context, key)
    return {"snapshot": SNAPSHOT.one(req.version, (), row)}


@handles("POST /os-snapshots")
def create_snapshot(req: Request) -> dict[str, Any]:
    """Ask for a snapshot; ``force`` allows one of a volume in use."""
    req.must(f"{_RULE}:snapshots:create", own_project(req))
    asked = req.body["snapshot"]
    values = {
        "volume_id": asked["volume_id"],
        "name": asked.get("display_name"),
        "description": asked.get("display_description"),
        "force": truth(asked.get("force", False)),
    }
    with refusing({400: 400, 403: 403, 404: 400, 413: 403}):
        row = req.services.clients.cinder.create_snapshot(req.context, values)
    return {"snapshot": SNAPSHOT.one(req.version, (), row)}


@handles("DELETE /os-snapshots/{id}")
def delete_snapshot(req: Request) -> None:
    """Ask for the deletion of a snapshot."""
    req.must(f"{_RULE}:snapshots:delete", own_project(req))
    key = req.path["id"]
    with refusing({404: 404}, f"Snapshot {key} could not be found."), refusing({400: 400}):
        req.services.clients.cinder.delete_snapshot(req.context, key)

"""POST /workers/cleanup: have the work of services that died cleaned up (3.24; source: cinder 29.0.0 flows 18.5)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import faults, lists, process_rpc
from keel_common.db.stores.cinder import workers
from keel_contract.errors import RemoteFault

Row = dict[str, Any]
_TYPES = ("Volume", "Snapshot")
_BOOLEANS = ("disabled", "is_up")
_SHOWN = ("id", "host", "binary", "cluster_name")


@handles("POST /workers/cleanup")
def cleanup(req: Request) -> Row:
    """Which services clean up, and which would have to but do not run: 202."""
    req.must("workers:cleanup")
    asked = _wanted(req)
    if asked.get("resource_id") and not (asked.get("service_id") and asked.get("resource_type")):
        asked.update(_holder(req, asked["resource_id"], asked.get("resource_type")))
    try:
        cleaning, unavailable = process_rpc.work_cleanup(req, asked)
    except RemoteFault as error:
        raise faults.of_peer(error) from None
    return {"cleaning": [_shown(one) for one in cleaning], "unavailable": [_shown(one) for one in unavailable]}


def _wanted(req: Request) -> Row:
    asked = {key: value for key, value in req.body.items() if value is not None}
    for key in _BOOLEANS:
        if key in asked:
            asked[key] = lists.boolean(key, asked[key])
    if asked.get("service_id") is not None:
        asked["service_id"] = int(asked["service_id"])
    if asked.get("resource_type"):
        asked["resource_type"] = str(asked["resource_type"]).title()
        if asked["resource_type"] not in _TYPES:
            raise faults.invalid_input(
                f"Resource type {asked['resource_type']} not valid, must be {' or '.join(_TYPES)}"
            )
    return {**asked, "until": datetime.now(UTC)}


def _holder(req: Request, resource_id: str, resource_type: str | None) -> Row:
    """The service that works on a resource, and what the resource is; a 400 when nobody does."""
    row = req.services.db.read(workers.of_resource, resource_id, resource_type)
    if row is None:
        raise faults.invalid_input(f"There is no resource with UUID {resource_id} pending cleanup.")
    return {"service_id": row["service_id"], "resource_type": row["resource_type"]}


def _shown(one: Any) -> Row:
    return {name: one.get(name, None) for name in _SHOWN}

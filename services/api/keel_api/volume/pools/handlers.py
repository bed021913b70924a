"""GET /scheduler-stats/get_pools: what the scheduler knows of the pools (source: cinder 29.0.0)."""

from __future__ import annotations

from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import lists, rpc, settings


@handles("GET /scheduler-stats/get_pools")
def get_pools(req: Request) -> dict[str, Any]:
    """Names of the pools; with detail=true what each can do."""
    req.must("scheduler_extension:scheduler_stats:get_pools", {})
    detail = lists.boolean("detail", req.query.get("detail", "false"))
    pools = rpc.get_pools(req, _filters(req)) or []
    if not detail:
        return {"pools": [{"name": pool["name"]} for pool in pools]}
    return {"pools": [{"name": pool["name"], "capabilities": _capabilities(pool)} for pool in pools]}


def _filters(req: Request) -> dict[str, Any]:
    """Filters from 3.28; from 3.31 only those of the filter file, for administrators as well; types from 3.35."""
    if not req.at_least(3, 28):
        return {}
    asked = {key: value for key, value in req.query.items() if key != "detail"}
    if not req.at_least(3, 35):
        asked.pop("volume_type", None)
    if req.at_least(3, 31):
        declared = settings.filters(req, "pool")
        wrong = sorted(key for key in asked if key not in declared)
        if wrong:
            raise Fault(400, f"Invalid filters {', '.join(wrong)} are found in query options.")
    return asked


def _capabilities(pool: dict[str, Any]) -> dict[str, Any]:
    """The capabilities; of several protocols the first one stands for all."""
    shown = dict(pool["capabilities"])
    protocol = shown.get("storage_protocol")
    if isinstance(protocol, list):
        shown["storage_protocol"] = protocol[0] if protocol else None
    return shown

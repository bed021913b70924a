"""What the API says of itself: extensions and, from 3.33, the filters of the lists (source: cinder 29.0.0)."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.ops import handles
from keel_api.http.request import Request
from keel_api.volume import settings


@cache
def _extensions() -> dict[str, dict[str, Any]]:
    """alias -> the extension as shown. The list is fixed: extensions cannot be added."""
    rows = json.loads(resources.files("keel_api.volume").joinpath("data", "extensions.json").read_bytes())
    return {
        alias: {"name": name, "alias": alias, "description": description, "updated": updated, "links": []}
        for name, alias, description, updated in rows
    }


@handles("GET /extensions")
def index(req: Request) -> dict[str, Any]:
    """Every extension."""
    return {"extensions": list(_extensions().values())}


@handles("GET /extensions/{id}")
def show(req: Request) -> dict[str, Any]:
    """One extension by its alias."""
    found = _extensions().get(req.path["id"])
    if found is None:
        raise Fault(404)
    return {"extension": found}


@handles("GET /resource_filters")
def resource_filters(req: Request) -> dict[str, Any]:
    """Which filters members may use, by resource; `resource` names one."""
    path = req.services.conf.resource_query_filters_file
    wanted = req.query.get("resource")
    return {
        "resource_filters": [
            {"resource": resource, "filters": keys}
            for resource, keys in settings.filter_file(path).items()
            if wanted is None or resource == wanted
        ]
    }

"""``images/{id}/metadata``, up to 2.38: the properties that people wrote on an image of Glance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.compute.peers import refusing
from keel_api.http import Fault, Request, handles
from keel_common.wire.image import user_properties

_ALL = "/images/{image_id}/metadata"
_ONE = "/images/{image_id}/metadata/{id}"


@handles(f"GET {_ALL}")
def index(req: Request) -> dict[str, Any]:
    """Every property."""
    return {"metadata": _properties(req)}


@handles(f"GET {_ONE}")
def show(req: Request) -> dict[str, Any]:
    """One property."""
    key, found = req.path["id"], _properties(req)
    if key not in found:
        raise Fault(404)
    return {"meta": {key: found[key]}}


@handles(f"POST {_ALL}")
def create(req: Request) -> dict[str, Any]:
    """Add properties, those with the same name change."""
    before = _properties(req)
    return {"metadata": _written(req, before, {**before, **(req.body["metadata"] or {})})}


@handles(f"PUT {_ALL}")
def replace(req: Request) -> dict[str, Any]:
    """Give an image these properties and no others."""
    return {"metadata": _written(req, _properties(req), req.body["metadata"] or {})}


@handles(f"PUT {_ONE}")
def update(req: Request) -> dict[str, Any]:
    """Write one property."""
    key, meta = req.path["id"], req.body["meta"]
    if key not in meta:
        raise Fault(400, "Request body and URI mismatch")
    before = _properties(req)
    _written(req, before, {**before, key: meta[key]})
    return {"meta": meta}


@handles(f"DELETE {_ONE}")
def delete(req: Request) -> None:
    """Take one property away."""
    key, before = req.path["id"], _properties(req)
    if key not in before:
        raise Fault(404, "Invalid metadata key")
    _written(req, before, {name: value for name, value in before.items() if name != key})


def _properties(req: Request) -> dict[str, str | None]:
    with refusing({404: 404}, "Image not found."):
        return user_properties(req.services.clients.glance.show(req.context, req.path["image_id"]))


def _written(req: Request, before: Mapping[str, str | None], after: Mapping[str, str | None]) -> dict[str, str | None]:
    most = req.services.conf.quota.metadata_items
    if 0 <= most < len(after):
        raise Fault(403, f"An image may have {most} properties at most.")
    image = req.path["image_id"]
    changes = [
        {"op": "replace" if key in before else "add", "path": _pointer(key), "value": value}
        for key, value in after.items()
        if before.get(key) != value
    ]
    changes += [{"op": "remove", "path": _pointer(key)} for key in before if key not in after]
    if changes:
        gone, foreign = "Image not found.", f"Not authorized for image {image}."
        with refusing({404: 404}, gone), refusing({403: 403}, foreign), refusing({400: 400, 409: 400, 413: 403}):
            req.services.clients.glance.change(req.context, image, changes)
    return dict(after)


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")

"""``images``, up to 2.35: what Glance has, passed on."""

from __future__ import annotations

from typing import Any

from keel_api.compute.images.views import DETAIL, IMAGE
from keel_api.compute.peers import refusing
from keel_api.http import Request, View, handles
from keel_api.http.paging import page, with_next

# filter of this API -> filter of Glance; a filter not named here is passed on when it begins with "property-"
_FILTERS = {"name": "name", "minRam": "min_ram", "minDisk": "min_disk", "type": "image_type"}


@handles("GET /images")
def index(req: Request) -> dict[str, Any]:
    """The images the caller sees, by name."""
    return _images(req, IMAGE)


@handles("GET /images/detail")
def detail(req: Request) -> dict[str, Any]:
    """The images the caller sees, with everything known of them."""
    return _images(req, DETAIL, "detail")


@handles("GET /images/{id}")
def show(req: Request) -> dict[str, Any]:
    """One image."""
    with refusing({404: 404}, "Image not found."):
        row = req.services.clients.glance.show(req.context, req.path["id"])
    return {"image": DETAIL.one(req.version, (), row, req)}


@handles("DELETE /images/{id}")
def delete(req: Request) -> None:
    """Delete an image; one that is protected or another's is refused."""
    with refusing({404: 404}, "Image not found."), refusing({403: 403}, "You are not allowed to delete the image."):
        req.services.clients.glance.delete(req.context, req.path["id"])


def _images(req: Request, view: View, *path: str) -> dict[str, Any]:
    asked = page(req, req.services.conf.api.max_limit)
    with refusing({400: 400}):
        rows = req.services.clients.glance.page(req.context, _filters(req), asked.limit, asked.marker)
    body = {"images": view.render(req.version, (), rows, req)}
    return with_next(req, body, "images", rows, asked, rows[-1]["id"] if rows else "", "images", *path)


def _filters(req: Request) -> dict[str, str]:
    found = {}
    for key, value in req.query.items():
        if key in _FILTERS:
            found[_FILTERS[key]] = value
        elif key.startswith("property-"):
            found[key.removeprefix("property-")] = value
        elif key == "status":
            found["status"] = value.lower()
        elif key == "changes-since":
            found["updated_at"] = f"gte:{value}"
        elif key == "server":
            found["instance_uuid"] = value.rsplit("/", 1)[-1]
    return found

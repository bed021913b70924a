"""Client of Glance (image API v2)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import orjson

from keel_common.clients.session import Service

Images = list[dict[str, Any]]
_CHUNK = 1 << 20
_PATCH = {"Content-Type": "application/openstack-images-v2.1-json-patch"}


class Glance:
    """Requests to the image API as the caller (so that visibility holds) or as our service user."""

    def __init__(self, service: Service):
        self._service = service

    def show(self, context: Any, image_id: str) -> dict:
        """One image with all its properties at the top level, as Glance has it; NotFound."""
        return self._service.json("GET", f"/v2/images/{image_id}", context=context)

    def list(self, context: Any, **filters: Any) -> list[dict]:
        """Images that match, all pages."""
        found: list[dict] = []
        path = "/v2/images" + (f"?{urlencode(filters)}" if filters else "")
        while path:
            page = self._service.json("GET", path, context=context)
            found += page["images"]
            path = page.get("next")
        return found

    def page(self, context: Any, filters: dict[str, Any], limit: int, marker: str | None = None) -> Images:
        """At most ``limit`` images after ``marker``; BadRequest for a marker or filter it does not know."""
        found: Images = []
        query = urlencode([*filters.items(), ("limit", limit), *([("marker", marker)] if marker else [])])
        path = f"/v2/images?{query}"
        while path and len(found) < limit:
            answer = self._service.json("GET", path, context=context)
            found += answer["images"]
            path = answer.get("next")
        return found[:limit]

    def change(self, context: Any, image_id: str, changes: Images) -> dict:
        """Change properties of an image by a JSON patch; NotFound, Forbidden, OverQuota."""
        return self._service.json(
            "PATCH", f"/v2/images/{image_id}", context=context, data=orjson.dumps(changes), headers=_PATCH
        )

    def address(self, image_id: str) -> str:
        """The address of an image without a version, as links of other services have it."""
        return f"{self._service.endpoint()}/images/{image_id}"

    def download(self, context: Any, image_id: str) -> Iterator[bytes]:
        """The image's data, in pieces of at most 1 MiB, asked for with the first; close it when not all is read."""
        response = self._service.request("GET", f"/v2/images/{image_id}/file", context=context, stream=True)
        with contextlib.closing(response):
            yield from response.iter_content(_CHUNK)

    def create(self, context: Any, image: dict) -> dict:
        """A queued image without data."""
        return self._service.json("POST", "/v2/images", context=context, json=image)

    def upload(self, context: Any, image_id: str, data: Any) -> None:
        """Give an image its data (an iterable of bytes or a file)."""
        headers = {"Content-Type": "application/octet-stream"}
        self._service.request("PUT", f"/v2/images/{image_id}/file", context=context, data=data, headers=headers)

    def delete(self, context: Any, image_id: str) -> None:
        """Delete an image; NotFound."""
        self._service.request("DELETE", f"/v2/images/{image_id}", context=context)

    def file_url(self, image_id: str) -> str:
        """Where the data can be fetched with an X-Auth-Token header."""
        return f"{self._service.endpoint()}/v2/images/{image_id}/file"

    def token(self) -> str:
        """Our service user's token, for a program that fetches :meth:`file_url`."""
        return self._service.token()

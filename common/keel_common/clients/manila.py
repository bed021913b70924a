"""Client of Manila: shared file systems, asked as our service user."""

from __future__ import annotations

from typing import Any

from keel_common.clients.session import Service

_VERSION = "2.82"


class Manila:
    """Requests to the shared file systems API v2."""

    def __init__(self, service: Service):
        self._service = service

    def show_share(self, share_id: str) -> dict[str, Any]:
        """One share; NotFound."""
        return self._service.json("GET", f"/shares/{share_id}", microversion=_VERSION)["share"]

    def export_locations(self, share_id: str) -> list[dict[str, Any]]:
        """Where a share can be mounted from."""
        path = f"/shares/{share_id}/export_locations"
        return self._service.json("GET", path, microversion=_VERSION)["export_locations"]

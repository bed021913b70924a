"""Client of Nova, as Cinder needs it: external events and the attachments of a server."""

from __future__ import annotations

from typing import Any

from keel_common.clients.session import Service


class Nova:
    """Requests to the compute API."""

    def __init__(self, service: Service):
        self._service = service

    def external_events(self, events: list[dict], microversion: str = "2.51") -> list[dict]:
        """Send events ({"name", "server_uuid", "tag"?, "status"?}) as our service user; the answer has a code each."""
        answer = self._service.json(
            "POST", "/os-server-external-events", json={"events": events}, microversion=microversion
        )
        return answer["events"]

    def volume_attachment(self, context: Any, server_id: str, volume_id: str) -> dict:
        """The server's own record of an attachment (2.89: with attachment_id); NotFound."""
        return self._service.json(
            "GET", f"/servers/{server_id}/os-volume_attachments/{volume_id}", context=context, microversion="2.89"
        )["volumeAttachment"]

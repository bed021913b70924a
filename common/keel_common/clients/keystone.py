"""Client of Keystone: does a project exist."""

from __future__ import annotations

from typing import Any

from keel_common.clients import errors
from keel_common.clients.session import Service


class Keystone:
    """Look-ups in the identity API v3."""

    def __init__(self, service: Service):
        self._service = service

    def project_exists(self, project_id: str, context: Any = None) -> bool:
        """Whether Keystone knows a project. What Keystone will not tell counts as existing (nova 34.0.0 identity)."""
        base = "" if self._service.endpoint().endswith("/v3") else "/v3"
        try:
            self._service.request("GET", f"{base}/projects/{project_id}", context=context)
        except errors.NotFound:
            return False
        except errors.Forbidden:
            return True
        return True

"""baseapi: what every Nova service answers beside its own methods (nova 34.0.0 rpc_server, baseapi 1.1)."""

from __future__ import annotations

from typing import Any

from keel_contract.context import Context


class BaseEndpoint:
    """The endpoint of ``interfaces.BASE``. ``service`` is the topic it says it answers for."""

    def __init__(self, service: str) -> None:
        self._service = service

    def ping(self, context: Context, arg: Any) -> dict[str, Any]:
        """Proof of life; the argument comes back."""
        return {"service": self._service, "arg": arg}

    def get_backdoor_port(self, context: Context) -> None:
        """There is no debugging backdoor."""
        return

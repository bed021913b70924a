"""A bus whose casts wait: what a request started has ended when its answer leaves, as in the recording."""

from __future__ import annotations

import logging
from typing import Any

from keel_contract.bus import Bus, Client
from keel_contract.errors import BusError
from keel_contract.interface import Level, Method

LOG = logging.getLogger(__name__)


class WaitingClient(Client):
    """Sends casts as calls. What the peer raises is lost, as it is with a cast."""

    def send(self, context: Any, method: str, /, **arguments: Any) -> Any:
        declared = self.interface.method(method)
        level = self.interface.level(declared, self.pin.rpc)
        if super()._mode(declared, level, arguments.get("how")) == "call" or declared.fanout:
            return super().send(context, method, **arguments)
        try:
            super().send(context, method, **arguments)
        except BusError as lost:
            LOG.info("%s failed: %s", method, lost)
        return None

    def _mode(self, method: Method, level: Level, how: str | None) -> str:
        asked = super()._mode(method, level, how)
        return asked if method.fanout else "call"


class WaitingBus(Bus):
    """As Bus, with clients that wait."""

    def client(self, interface: Any, pin: Any = None) -> Client:
        return WaitingClient(self, interface, super().client(interface, pin)._kept)

"""The computes beside this one, as the conductor knows them, and what may be sent to peers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from keel_common.runtime import CannotStart
from keel_contract.context import Context
from keel_contract.nova.remote import RemoteObjects
from keel_contract.pins import Lowest, NovaPins, refusal_of_old_computes
from keel_contract.releases import SERVICE_VERSION, name_of_service_version

LOG = logging.getLogger(__name__)

BINARY = "nova-compute"


class Fleet:
    """A Part: refuses the start beside computes that this release does not work with; a compute has no database, so it
    sees those of its own cell (nova 34.0.0 rpc_client startup_check). After SIGHUP pins are found out anew.

    :ivar pins: ``pins.of(interface)`` for the clients of the process
    """

    name = "fleet"

    def __init__(self, conf: Any, remote: Callable[[], RemoteObjects]) -> None:
        self._conf, self._remote = conf, remote
        self.pins = NovaPins(conf, self.oldest)

    def start(self) -> None:
        """Ask the conductor, which must answer by now. Raises CannotStart."""
        refusal = self._refusal()
        if refusal is None:
            return
        if not self._conf.workarounds.disable_compute_service_check_for_ffu:
            raise CannotStart(refusal)
        LOG.warning("%s", refusal)

    def stop(self, deadline: float) -> None:
        """Nothing is held."""

    def checks(self) -> Mapping[str, Callable[[], None]]:
        return {}

    def reload(self) -> None:
        """Find pins out anew when they are needed next."""
        self.pins.forget()

    def oldest(self) -> Lowest:
        """The oldest nova-compute of the cell, with its host."""
        version = self._lowest_version()
        return Lowest(version, self._host_of(version)) if version else Lowest(0)

    def _refusal(self) -> str | None:
        version = self._lowest_version()
        if version > SERVICE_VERSION:
            raise CannotStart(
                f"every other {BINARY} is newer: the oldest reports service version {version} "
                f"({name_of_service_version(version)}), this one is {SERVICE_VERSION}. Start a service of their release"
            )
        if refusal_of_old_computes(Lowest(version)) is None:
            return None
        return refusal_of_old_computes(Lowest(version, self._host_of(version)))

    def _lowest_version(self) -> int:
        return self._remote().class_action(Context.admin("nova"), "Service", "get_minimum_version", BINARY) or 0

    def _host_of(self, version: int) -> str:
        context = Context.admin("nova")
        listed = self._remote().class_action(context, "ServiceList", "get_by_binary", BINARY, include_disabled=True)
        hosts = [one.host for one in listed.objects if one.get("version") == version and not one.get("forced_down")]
        return hosts[0] if hosts else "a host that is gone by now"

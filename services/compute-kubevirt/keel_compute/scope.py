"""What a flow knows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from keel_common.kube import names
from keel_compute.flights import Flight
from keel_compute.kubevirt.disks import Disk
from keel_compute.site import Site
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Place:
    """A Nova host: the Kubernetes node of that name. `compute_id` and `uuid` are its compute_nodes row."""

    name: str
    label: str
    compute_id: int
    uuid: str


@dataclass
class Scope:
    """An operation on one server at one host.

    `vifs` is the network info cache as a list, `mappings` the block device mappings, `disks` what the machine gets.
    `uids` are the objects this flow made or found, by name: a cache may still show earlier ones of the same name.
    """

    site: Site
    place: Place
    context: Context
    instance: Any
    flight: Flight
    image: dict[str, Any] = field(default_factory=dict)
    mappings: list[Any] = field(default_factory=list)
    vifs: list[dict] = field(default_factory=list)
    disks: list[Disk] = field(default_factory=list)
    uids: dict[str, str] = field(default_factory=dict)

    @property
    def server(self) -> str:
        """uuid of the server."""
        return self.instance.uuid

    @property
    def asker(self) -> Context | None:
        """Who asks peers: the user where a token came with the request, else (after a restart) our service user."""
        return self.context if self.context.auth_token else None

    @property
    def machine(self) -> str:
        """Name of the VirtualMachine and of its instance."""
        return names.vm(self.instance.uuid)

    @property
    def labels(self) -> dict[str, str]:
        """Labels of what is made for the server."""
        return names.labels(names.COMPUTE, self.instance.project_id, server=self.server)

    @property
    def properties(self) -> dict[str, Any]:
        """Image properties as the instance keeps them (system_metadata image_*), base fields included."""
        kept = self.instance.get("system_metadata") or {}
        return {key[6:]: value for key, value in kept.items() if key.startswith("image_")}


def run(scope: Scope, phases: Sequence[Callable[[Scope], None]]) -> None:
    """The phases in order; a deletion that comes meanwhile stops the flow between two of them (Gone)."""
    for phase in phases:
        scope.flight.check()
        LOG.debug("%s: %s", scope.server, phase.__name__)
        phase(scope)

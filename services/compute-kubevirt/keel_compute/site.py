"""What every host, endpoint and flow of one process shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from keel_common.clients import Clients
from keel_common.kube import Informer, Kind, Kube, names
from keel_compute.flights import Arrivals, Flights
from keel_compute.kubevirt.storage import Storage
from keel_compute.records import Records


@dataclass
class Site:
    """The peers and caches of a process.

    `conductor`, `scheduler` and `computes` are bus clients (compute_task, scheduler, compute);
    `records` is the cell through the conductor.
    """

    conf: Any
    kube: Kube
    clients: Clients
    records: Records
    remote: Any
    conductor: Any
    scheduler: Any
    computes: Any
    machines: Informer
    instances: Informer
    volumes: Informer
    flights: Flights = field(default_factory=Flights)
    arrivals: Arrivals = field(default_factory=Arrivals)

    @property
    def namespace(self) -> str:
        """Namespace of everything this service makes."""
        return self.conf.kubevirt.namespace

    @property
    def storage(self) -> Storage:
        """What claims of local disks are made of."""
        group = self.conf.kubevirt
        return Storage(group.storage_class, group.local_disk_access_mode, group.local_disk_volume_mode)

    def connector(self, host: str) -> dict[str, Any]:
        """What Cinder is told about the side that attaches."""
        return {
            "host": host,
            "platform": "kubevirt",
            "cluster": self.conf.keel.cluster,
            "namespace": self.namespace,
        }


def cache(kube: Kube, kind: Kind, namespace: str) -> Informer:
    """A cache of the objects of one kind that this service made, not started."""
    return Informer(kube, kind, namespace, {names.MANAGED_BY: names.COMPUTE})

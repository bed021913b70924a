"""The ways in which the suite is run: which processes the cloud has, and what its back ends can do.

A way is named by its compute and its volume service. Whatever they are, the APIs, conductors and schedulers are ours.
"""

from dataclasses import dataclass

from keel_dev.cloud import Mixture
from keel_dev.console import CloudError

#: Half of the services that a cloud of the profile `services` has twice: the tests are slow enough.
SECONDS = ("keel-conductor-2", "keel-compute-scheduler-2")

#: Flags of Tempest's section [compute-feature-enabled] that our own compute cannot do yet.
NOT_ON_KUBEVIRT = (
    "change_password",
    "shelve",
    "snapshot",
    "suspend",
    "volume_backed_live_migration",
    "volume_multiattach",
    "vnc_console",
)


@dataclass(frozen=True)
class Way:
    """One way to run the suite."""

    compute: str
    backend: str
    mixture: Mixture
    #: Flags of [compute-feature-enabled] that are off here and on with Nova's fake driver.
    without: tuple[str, ...] = ()
    #: Values of volume_backend_name; tests of several back ends need two.
    backends: tuple[str, ...] = ("csi",)

    @property
    def hypervisor(self) -> str:
        """What hosts say they run."""
        return HYPERVISORS[self.compute]

    @property
    def storage(self) -> tuple[str, str]:
        """(storage protocol, vendor) that pools say they have."""
        return STORAGE[self.backend]

    @property
    def name(self) -> str:
        """As the list of known failures calls it."""
        return f"{self.compute}+{self.backend}"


HYPERVISORS = {"kubevirt": "kubevirt", "nova": "fake"}
STORAGE = {"csi": ("csi", "OpenKeel"), "cinder": ("local", "openkeel")}
COMPUTES = {"kubevirt": (), "nova": ("nova-compute", "nova-compute-b")}
BACKENDS = {"csi": (), "cinder": ("cinder-volume",)}


def way(compute: str, backend: str) -> Way:
    """The way with a compute (kubevirt, nova) and a volume service (csi, cinder); CloudError for another."""
    if compute not in COMPUTES or backend not in BACKENDS:
        raise CloudError(f"COMPUTE is one of {', '.join(COMPUTES)}, BACKEND one of {', '.join(BACKENDS)}")
    real = (*COMPUTES[compute], *BACKENDS[backend])
    without = NOT_ON_KUBEVIRT if compute == "kubevirt" else ()
    return Way(compute, backend, Mixture(real=real, without=SECONDS), without)

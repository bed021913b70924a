"""The matrix: which service of which release stands where.

A cell is a cloud with one choice for each place. A choice is OURS or the number of a release of the real suite. All
cells share the companions, the cluster and the databases; going from one cell to the next changes processes alone.
"""

from dataclasses import dataclass

from keel_dev.cloud import Mixture
from keel_dev.real_services import COUNTERPARTS

OURS = "ours"
#: The releases that the environment `reference` holds: their services are named without a number.
CURRENT = {"nova": "34", "cinder": "29"}
NOVA, CINDER = CURRENT["nova"], CURRENT["cinder"]
#: Those of our processes that a cloud of the profile `services` has twice; one of each is enough here.
SECONDS = ("keel-conductor-2", "keel-compute-scheduler-2", "keel-compute-kubevirt-2")

BASELINE = "all of one kind"
FOREIGN_COMPUTE = "a real nova-compute under our control plane"
OUR_COMPUTE = "our compute under the real control plane"
BOTH_COMPUTES = "both kinds of compute in one cell"
OURS_AMONG_REAL = "one of our services in a real deployment"
REAL_AMONG_OURS = "one real service in our deployment"
OURS_AMONG_REAL_CINDER = "one of our volume services in a real Cinder"
OTHER_SUITE = "one suite of ours with the real other one"


@dataclass(frozen=True)
class Cell:
    """One cell of the matrix."""

    name: str
    row: str
    api: str = OURS
    conductor: str = OURS
    scheduler: str = OURS
    computes: tuple[str, ...] = (OURS,)
    volume_api: str = OURS
    volume_scheduler: str = OURS
    #: Our volume service has the volume type `csi`, a real cinder-volume the type `files`.
    backends: tuple[str, ...] = (OURS, CINDER)

    @property
    def processes(self) -> list[tuple[str, str]]:
        """(real program, choice) for every process of the cell."""
        single = {
            "nova-api": self.api,
            "nova-conductor": self.conductor,
            "nova-scheduler": self.scheduler,
            "cinder-api": self.volume_api,
            "cinder-scheduler": self.volume_scheduler,
        }
        several = {"nova-compute": self.computes, "cinder-volume": self.backends}
        return [*single.items(), *((program, choice) for program in several for choice in several[program])]

    @property
    def mixture(self) -> Mixture:
        """The processes of the cell as the supervisor takes them."""
        ours = {COUNTERPARTS[program] for program, choice in self.processes if choice == OURS}
        without = [name for name in COUNTERPARTS.values() if name not in ours]
        without += [name for name in SECONDS if name.rpartition("-")[0] in ours]
        without.append("keel-volume-backup")  # No cell is about backups: a real cinder-backup cannot read ours.
        beside = [process_name(program, choice) for program, choice in self.processes if choice != OURS]
        return Mixture(beside=tuple(beside), without=tuple(without))


def process_name(program: str, choice: str) -> str:
    """The name of a real service in the supervisor, which is also the host that a nova-compute reports.

    `choice` is a release, with a letter behind it where a cell has several of it: 34 and 34-b.
    """
    release, _, letter = choice.partition("-")
    older = "" if release == CURRENT[program.partition("-")[0]] else release
    return "-".join(filter(None, (program, older, letter)))


def volume_type(compute: str) -> str:
    """The volume type whose volumes a kind of compute can attach."""
    return "csi" if compute == OURS else "files"


def _real(name: str, row: str, **choices: object) -> Cell:
    """A cell of real services, but for the choices."""
    real = dict.fromkeys(("api", "conductor", "scheduler"), NOVA) | {"computes": (NOVA,)}
    return Cell(name, row, **(real | dict.fromkeys(("volume_api", "volume_scheduler"), CINDER) | choices))  # type: ignore[arg-type]


#: In an order in which neighbours differ little.
MATRIX = (
    _real("all-real", BASELINE, backends=(CINDER,)),
    _real("our-api-in-real", OURS_AMONG_REAL, api=OURS),
    _real("our-scheduler-in-real", OURS_AMONG_REAL, scheduler=OURS),
    _real("our-conductor-in-real", OURS_AMONG_REAL, conductor=OURS),
    _real("both-computes-in-real", BOTH_COMPUTES, computes=(OURS, NOVA)),
    _real("our-compute-in-real", OUR_COMPUTE, computes=(OURS,)),
    Cell("all-ours", BASELINE),
    Cell("real-api-in-ours", REAL_AMONG_OURS, api=NOVA),
    Cell("real-scheduler-in-ours", REAL_AMONG_OURS, scheduler=NOVA),
    Cell("real-conductor-in-ours", REAL_AMONG_OURS, conductor=NOVA),
    Cell("both-computes-in-ours", BOTH_COMPUTES, computes=(OURS, NOVA)),
    Cell("real-compute-34-in-ours", FOREIGN_COMPUTE, computes=("34",)),
    Cell("real-compute-33-in-ours", FOREIGN_COMPUTE, computes=("33",)),
    _real("our-cinder-for-real-nova", OTHER_SUITE, volume_api=OURS, volume_scheduler=OURS, backends=(CINDER,)),
    _real("our-volume-api-in-real", OURS_AMONG_REAL_CINDER, volume_api=OURS, backends=(CINDER,)),
    _real("our-volume-scheduler-in-real", OURS_AMONG_REAL_CINDER, volume_scheduler=OURS, backends=(CINDER,)),
)

"""Releases and what each speaks: RPC versions, service versions, object versions.

Nova: nova 34.0.0 rpc_client (service_versions, version_aliases) and rpc_by_release.
Cinder: cinder 29.0.0 pinning and objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from keel_contract import versions

SERVICE_VERSION = 74  # what a service of this contract writes into services.version
OLDEST_COMPUTE = 72  # a lower nova-compute keeps the others from starting


@dataclass(frozen=True, slots=True)
class Release:
    """One release of Nova.

    :ivar rpc: interface -> version its servers accept
    :ivar objects: objects whose version is below this contract's
    """

    number: int
    name: str
    series: str
    service_version: int
    oldest_compute: int
    rpc: Mapping[str, str]
    objects: Mapping[str, str] = field(default_factory=dict)


NOVA = (
    Release(
        31,
        "Epoxy",
        "2025.1",
        68,
        66,
        {
            "baseapi": "1.1",
            "compute": "6.4",
            "compute_task": "1.25",
            "compute_v5": "5.13",
            "conductor": "3.0",
            "scheduler": "4.5",
        },
        {"ImageMetaProps": "1.39", "LibvirtLiveMigrateData": "1.13", "ShareMappingList": "1.0"},
    ),
    Release(
        32,
        "Flamingo",
        "2025.2",
        70,
        68,
        {
            "baseapi": "1.1",
            "compute": "6.4",
            "compute_task": "1.25",
            "compute_v5": "5.13",
            "conductor": "3.0",
            "scheduler": "4.5",
        },
        {"ImageMetaProps": "1.42", "LibvirtLiveMigrateData": "1.13", "ShareMappingList": "1.0"},
    ),
    Release(
        33,
        "Gazpacho",
        "2026.1",
        72,
        68,
        {
            "baseapi": "1.1",
            "compute": "6.5",
            "compute_task": "1.26",
            "compute_v5": "5.13",
            "conductor": "3.0",
            "scheduler": "4.5",
        },
        {"ImageMetaProps": "1.42", "ShareMappingList": "1.0"},
    ),
    Release(
        34,
        "Hibiscus",
        "2026.2",
        74,
        72,
        {
            "baseapi": "1.1",
            "compute": "6.5",
            "compute_task": "1.26",
            "compute_v5": "5.13",
            "conductor": "3.0",
            "scheduler": "4.5",
        },
        {},
    ),
)

# First service version of each release; releases that share one stand together.
SERVICE_VERSIONS = (
    (52, "Victoria"),
    (54, "Wallaby"),
    (57, "Xena"),
    (61, "Yoga"),
    (64, "Zed"),
    (66, "Antelope, Bobcat, Caracal"),
    (67, "Dalmatian"),
    (68, "Epoxy"),
    (70, "Flamingo"),
    (72, "Gazpacho"),
    (74, "Hibiscus"),
)

# Values of [upgrade_levels] that are names of releases. The table is Nova's own, oddities included: caracal is 6.3
# though a compute of that release answers 6.2.
NOVA_ALIASES: Mapping[str, Mapping[str, str]] = {
    "compute": {
        "antelope": "6.2",
        "bobcat": "6.2",
        "caracal": "6.3",
        "dalmatian": "6.3",
        "epoxy": "6.4",
        "flamingo": "6.4",
        "gazpacho": "6.5",
        "hibiscus": "6.5",
        "icehouse": "3.23",
        "juno": "3.35",
        "kilo": "4.0",
        "liberty": "4.5",
        "mitaka": "4.11",
        "newton": "4.13",
        "ocata": "4.13",
        "pike": "4.17",
        "queens": "5.0",
        "rocky": "5.0",
        "stein": "5.1",
        "train": "5.3",
        "ussuri": "5.11",
        "victoria": "5.12",
        "wallaby": "6.0",
        "xena": "6.0",
        "yoga": "6.0",
        "zed": "6.1",
    },
    "conductor": {
        "grizzly": "1.48",
        "havana": "1.58",
        "icehouse": "2.0",
        "juno": "2.0",
        "kilo": "2.1",
        "liberty": "3.0",
        "mitaka": "3.0",
        "newton": "3.0",
        "ocata": "3.0",
    },
    "scheduler": {
        "grizzly": "2.6",
        "havana": "2.9",
        "icehouse": "3.0",
        "juno": "3.0",
        "kilo": "4.2",
        "liberty": "4.2",
        "mitaka": "4.3",
        "newton": "4.3",
        "ocata": "4.3",
        "pike": "4.4",
    },
    "base": {},
}

# First service version that speaks each version of the compute interface.
COMPUTE_HISTORY = (
    (0, "4.0"),
    (1, "4.4"),
    (2, "4.5"),
    (3, "4.6"),
    (5, "4.7"),
    (6, "4.8"),
    (7, "4.9"),
    (8, "4.10"),
    (9, "4.11"),
    (11, "4.12"),
    (13, "4.13"),
    (18, "4.14"),
    (19, "4.15"),
    (20, "4.16"),
    (21, "4.17"),
    (23, "4.18"),
    (26, "4.19"),
    (27, "4.20"),
    (28, "4.21"),
    (29, "4.22"),
    (30, "5.0"),
    (37, "5.1"),
    (39, "5.2"),
    (40, "5.3"),
    (41, "5.4"),
    (42, "5.5"),
    (43, "5.6"),
    (44, "5.7"),
    (45, "5.8"),
    (46, "5.9"),
    (47, "5.10"),
    (50, "5.11"),
    (53, "5.12"),
    (54, "5.13"),
    (56, "6.0"),
    (64, "6.1"),
    (66, "6.2"),
    (67, "6.3"),
    (68, "6.4"),
    (71, "6.5"),
)

# Cinder: manifest -> object versions that differ from this contract's.
CINDER_MANIFESTS: Mapping[str, Mapping[str, str]] = {"1.38": {"Snapshot": "1.5", "Volume": "1.8"}, "1.39": {}}


@dataclass(frozen=True, slots=True)
class CinderRelease:
    """One release of Cinder.

    :ivar rpc: interface -> version its servers accept, which they write into services.rpc_current_version
    :ivar objects: what they write into services.object_current_version
    """

    number: int
    name: str
    series: str
    rpc: Mapping[str, str]
    objects: str


_CINDER_RPC = {"volume": "3.20", "scheduler": "3.12", "backup": "2.4"}
CINDER = (
    CinderRelease(27, "Flamingo", "2025.2", _CINDER_RPC, "1.39"),
    CinderRelease(28, "Gazpacho", "2026.1", _CINDER_RPC, "1.39"),
    CinderRelease(29, "Hibiscus", "2026.2", _CINDER_RPC, "1.39"),
)


def current(suite: str) -> str:
    """The release that this contract is the one of, such as "34 (Hibiscus)"."""
    release: Release | CinderRelease = NOVA[-1] if suite == "nova" else CINDER[-1]
    return f"{release.number} ({release.name})"


def name_of_service_version(version: int) -> str:
    """The release, or releases, of a service version of Nova, in words."""
    if version > SERVICE_VERSION:
        return f"newer than {SERVICE_VERSIONS[-1][1]}"
    names = [name for first, name in SERVICE_VERSIONS if first <= version]
    return names[-1] if names else f"older than {SERVICE_VERSIONS[0][1]}"


def of_service_version(version: int) -> str:
    """The first release of Nova with this service version or a higher one, in words."""
    for first, names in SERVICE_VERSIONS:
        if first >= version:
            return _in_words("nova", names.partition(",")[0], NOVA)
    return f"a release after {SERVICE_VERSIONS[-1][1]}"


def first_with(suite: str, interface: str, version: str) -> str:
    """The first release known here whose servers of an interface understand ``version``, in words.

    For compute that is exact (each version has a service version); for the others releases before the recorded ones may
    understand it too.
    """
    if suite == "nova" and interface == "compute":
        speaking = [first for first, rpc in COMPUTE_HISTORY if versions.understands(rpc, version)]
        return of_service_version(speaking[0]) if speaking else f"no release known here (compute {version})"
    known: tuple[Release, ...] | tuple[CinderRelease, ...] = NOVA if suite == "nova" else CINDER
    for release in known:
        if versions.understands(release.rpc.get(interface, release.rpc.get("baseapi", "0.0")), version):
            return _in_words(suite, release.name, known)
    return f"no release known here ({interface} {version})"


def _in_words(suite: str, name: str, known: tuple[Release, ...] | tuple[CinderRelease, ...]) -> str:
    """Such as "Gazpacho (2026.1, nova 33)"; the name alone for one that is older than the recorded ones."""
    for release in known:
        if release.name == name:
            return f"{name} ({release.series}, {suite} {release.number})"
    return name


def first_objects(number: str) -> str:
    """The first recorded release of Cinder that writes a version of the set of objects, in words."""
    for release in CINDER:
        if not versions.older(release.objects, number):
            return _in_words("cinder", release.name, CINDER)
    return f"no release known here (objects {number})"

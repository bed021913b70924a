"""What the peers of an interface understand, and why.

Nova pins by ``[upgrade_levels]``: nothing, a version, a release name, or "auto", which looks at the services' versions
(nova 34.0.0 rpc_client pin). Cinder always pins to the lowest version any service of the binary has written down
(cinder 29.0.0 pinning).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from keel_contract import errors, releases, versions
from keel_contract.cinder.objects import REGISTRY as CINDER_OBJECTS
from keel_contract.interface import Interface

# compute_task has no pin in Nova: conductors are upgraded first.
_NOT_PINNABLE = {"compute_task"}


@dataclass(frozen=True, slots=True)
class Pin:
    """The limits of a client.

    :ivar rpc: highest RPC version the peers take, None: the newest
    :ivar objects: object versions by name the peers read, None: the newest
    :ivar why: one sentence for an operator: what holds the pin where it is
    """

    rpc: str | None = None
    objects: Mapping[str, str] | None = None
    why: str = "newest version"


@dataclass(frozen=True, slots=True)
class Lowest:
    """The oldest service of a kind: its ``services.version`` and the host that reports it; version 0: there is none."""

    version: int
    host: str = ""


def nova(conf: Any, interface: Interface, lowest: Callable[[], Lowest] | None = None) -> Pin:
    """The pin of a Nova interface from ``[upgrade_levels]``.

    :param lowest: asked for the oldest nova-compute when the level is "auto"
    :raises PeerTooOld: a compute is newer than this contract knows
    :raises ValueError: the level is neither a version, nor a release, nor "auto"
    """
    if interface.name in _NOT_PINNABLE:
        return Pin(why=f"{interface.name} cannot be pinned")
    option = "baseapi" if interface.name == "base" else interface.name
    level = getattr(getattr(conf, "upgrade_levels", None), option, None)
    if not level:
        return Pin()
    where = f"[upgrade_levels]{option} = {level}"
    if level == "auto":
        if interface.name != "compute" or lowest is None:
            raise ValueError(f"{where}: only compute can be found out")
        return _automatic(lowest(), where)
    alias = releases.NOVA_ALIASES[interface.name].get(level.lower())
    if alias is not None:
        return Pin(alias, why=f"{where}, which is {alias}")
    versions.parse(level)
    return Pin(level, why=where)


def _automatic(oldest: Lowest, where: str) -> Pin:
    if oldest.version == 0:
        return Pin(compute_version(releases.SERVICE_VERSION), why=f"{where}, and no compute has reported yet")
    if oldest.version > releases.SERVICE_VERSION:
        raise errors.PeerTooOld(
            f"{oldest.host} reports service version {oldest.version}, newer than {releases.SERVICE_VERSION} here"
        )
    pinned = compute_version(oldest.version)
    return Pin(pinned, why=f"{where}: {oldest.host} reports service version {oldest.version}, which speaks {pinned}")


def compute_version(service_version: int) -> str:
    """The version of the compute interface that a service version speaks."""
    return [rpc for first, rpc in releases.COMPUTE_HISTORY if first <= service_version][-1]


def cinder(interface: Interface, rows: Iterable[Mapping[str, Any]]) -> Pin:
    """The pin of a Cinder interface.

    :param rows: the not deleted rows of ``services`` of the binary the interface talks to (``host``,
        ``rpc_current_version``, ``object_current_version``); down and disabled ones count
    :raises PeerTooOld: a row without versions (a service before pinning), or versions nobody knows
    """
    rows = list(rows)
    if not rows:
        return Pin(interface.version, why=f"no {interface.name} service has reported yet")
    for row in rows:
        if not row["rpc_current_version"] or not row["object_current_version"]:
            raise errors.PeerTooOld(f"{row['host']} has no versions in the services table")
    rpc = min(rows, key=lambda row: versions.parse(row["rpc_current_version"]))
    objects = min(rows, key=lambda row: versions.parse(row["object_current_version"]))["object_current_version"]
    if objects not in releases.CINDER_MANIFESTS:
        raise errors.PeerTooOld(f"object manifest {objects} is not known here")
    return Pin(
        rpc["rpc_current_version"],
        cinder_manifest(objects),
        f"{rpc['host']} reports {rpc['rpc_current_version']}, the oldest objects are {objects}",
    )


def cinder_manifest(number: str) -> dict[str, str] | None:
    """Every object's version in Cinder's object manifest ``number``; None for the current one: nothing to backport."""
    differing = releases.CINDER_MANIFESTS[number]
    if not differing:
        return None
    return {name: cls.VERSION for name, cls in CINDER_OBJECTS.classes.items()} | dict(differing)

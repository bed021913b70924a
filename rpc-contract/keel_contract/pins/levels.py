"""Pins of Nova (nova 34.0.0 rpc_client pin), and the computes that are too old to start beside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from keel_contract import errors, releases, versions
from keel_contract.interface import Interface
from keel_contract.nova.objects import REGISTRY as NOVA_OBJECTS
from keel_contract.pins.pin import Holder, Lowest, Pin

COMPUTE = "nova-compute"
CONDUCTOR = "nova-conductor"
# compute_task has no pin in Nova: conductors are upgraded first.
_NOT_PINNABLE = {"compute_task"}


def setting(conf: Any, interface: Interface) -> tuple[str, str | None]:
    """The option that pins an interface, as "[upgrade_levels]compute", and its value; ("", None) without an option."""
    if interface.name in _NOT_PINNABLE:
        return "", None
    option = "baseapi" if interface.name == "base" else interface.name
    level = getattr(getattr(conf, "upgrade_levels", None), option, None)
    return f"[upgrade_levels]{option}", level or None


def nova(conf: Any, interface: Interface, lowest: Callable[[], Lowest] | None = None) -> Pin:
    """The pin of a Nova interface from ``[upgrade_levels]``.

    :param lowest: asked for the oldest nova-compute when the level is "auto"
    :raises PeerTooNew: a compute is newer than this contract knows
    :raises UnknownLevel: the level is neither a version, nor a release, nor an "auto" that can be found out
    """
    option, level = setting(conf, interface)
    if level is None:
        return Pin(why="newest version" if option else f"{interface.name} cannot be pinned")
    where = f"{option} = {level}"
    if level == "auto":
        if interface.name != "compute" or lowest is None:
            raise errors.UnknownLevel(f"{where}: only compute can be found out")
        return _automatic(lowest(), where)
    alias = releases.NOVA_ALIASES[interface.name].get(level.lower())
    if alias is not None:
        return Pin(alias, why=f"{where}, which is {alias}")
    try:
        versions.parse(level)
    except ValueError:
        raise errors.UnknownLevel(f"{where}: neither a version such as {interface.version} nor a release") from None
    return Pin(level, why=where)


def _automatic(oldest: Lowest, where: str) -> Pin:
    if oldest.version == 0:
        newest = compute_version(releases.SERVICE_VERSION)
        return Pin(newest, why=f"{where}, and no compute has reported yet", settled=False)
    if oldest.version > releases.SERVICE_VERSION:
        raise errors.PeerTooNew(
            f"{COMPUTE} on {oldest.host} reports service version {oldest.version}, and no compute an older one; "
            f"{releases.SERVICE_VERSION} is the newest that is known here: upgrade this service"
        )
    pinned = compute_version(oldest.version)
    return Pin(
        pinned,
        why=f"{where}: {COMPUTE} on {oldest.host} reports service version {oldest.version}, which speaks {pinned}",
        holder=Holder(oldest.host, COMPUTE, str(oldest.version)),
    )


def compute_version(service_version: int) -> str:
    """The version of the compute interface that a service version speaks."""
    return [rpc for first, rpc in releases.COMPUTE_HISTORY if first <= service_version][-1]


def with_objects_of(conductor: Lowest, pin: Pin) -> Pin:
    """The pin with the objects of the oldest conductor's release, where they differ from those known here."""
    older = [release for release in releases.NOVA if release.service_version <= conductor.version]
    if not older or not older[-1].objects:
        return pin
    objects = {name: cls.VERSION for name, cls in NOVA_OBJECTS.classes.items()} | dict(older[-1].objects)
    why = f"{pin.why}; {CONDUCTOR} on {conductor.host} reads objects of {older[-1].name}"
    return replace(
        pin, objects=objects, why=why, holder=pin.holder or Holder(conductor.host, CONDUCTOR, str(conductor.version))
    )


def refusal_of_old_computes(oldest: Lowest) -> str | None:
    """Why a service of this release must not start beside the oldest compute; None when it may (nova 34.0.0 rpc_client
    startup_check)."""
    if oldest.version == 0 or oldest.version >= releases.OLDEST_COMPUTE:
        return None
    needed = releases.of_service_version(releases.OLDEST_COMPUTE)
    return (
        f"{COMPUTE} on {oldest.host} reports service version {oldest.version} "
        f"({releases.name_of_service_version(oldest.version)}); this release works with {releases.OLDEST_COMPUTE} "
        f"({needed}) and newer. Upgrade it to {needed}, delete its service when it is gone for good, or set "
        "[workarounds]disable_compute_service_check_for_ffu while every compute is down for the upgrade"
    )

"""Pins of Cinder: the lowest versions any service has written down (cinder 29.0.0 pinning)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keel_contract import errors, releases, versions
from keel_contract.cinder import OBJECT_VERSION
from keel_contract.cinder.objects import REGISTRY
from keel_contract.interface import Interface
from keel_contract.pins.pin import Holder, Pin

Row = Mapping[str, Any]
RPC, OBJECTS = "rpc_current_version", "object_current_version"


def binary(interface: Interface) -> str:
    """The binary whose rows limit an interface: what listens on its topic."""
    return interface.topics[0]


def cinder(interface: Interface, rows: Iterable[Row]) -> Pin:
    """The pin of a Cinder interface.

    :param rows: the not deleted rows of ``services`` of the binary the interface talks to (``host``,
        ``rpc_current_version``, ``object_current_version``); down and disabled ones count
    :raises PeerTooOld: a row without versions (a service before pinning)
    :raises PeerTooNew: versions nobody knows
    """
    found = list(rows)
    if not found:
        return Pin(interface.version, why=f"no {binary(interface)} has reported yet", settled=False)
    rpc, objects = _lowest(found, RPC, binary(interface)), _lowest(found, OBJECTS, binary(interface))
    why = f"{rpc} reports RPC {rpc.version}, {objects} objects {objects.version}"
    return Pin(rpc.version, cinder_manifest(objects), why, rpc)


def everybody(rows: Iterable[Row]) -> Pin:
    """The limits of what a server answers: the objects that the services of every binary read.

    :param rows: the not deleted rows of ``services``, with their ``binary``
    :raises PeerTooOld, PeerTooNew: as for `cinder`
    """
    found = list(rows)
    if not found:
        return Pin(why="no service has reported yet", settled=False)
    oldest = _lowest(found, OBJECTS, "")
    return Pin(None, cinder_manifest(oldest), f"{oldest} reports objects {oldest.version}", oldest)


def _lowest(rows: list[Row], column: str, name: str) -> Holder:
    for row in rows:
        if not row[column]:
            raise errors.PeerTooOld(
                f"{row.get('binary', name)} on {row['host']} has no {column} in the table of services: its release is "
                "older than versions are written there. Upgrade it, or delete its row when it is gone for good"
            )
    oldest = min(rows, key=lambda row: versions.parse(row[column]))
    return Holder(oldest["host"], oldest.get("binary", name), oldest[column])


def cinder_manifest(holder: Holder | str) -> dict[str, str] | None:
    """Every object's version in the set of objects that a service reports (or of a number such as "1.38"); None for the
    current one: nothing to backport.

    :raises PeerTooNew: the number is not known
    """
    number = holder if isinstance(holder, str) else holder.version
    if number not in releases.CINDER_MANIFESTS:
        who = "" if isinstance(holder, str) else f"{holder} reports "
        known = ", ".join(sorted(releases.CINDER_MANIFESTS))
        raise errors.PeerTooNew(
            f"{who}objects {number}, which are not known here ({known}): this service, which writes "
            f"{OBJECT_VERSION}, cannot run beside it. Delete the row when that service is gone for good"
        )
    differing = releases.CINDER_MANIFESTS[number]
    if not differing:
        return None
    return {name: cls.VERSION for name, cls in REGISTRY.classes.items()} | dict(differing)

"""What differs between the two suites on the bus: exchange and object registry."""

from __future__ import annotations

from dataclasses import dataclass

from keel_contract import objects
from keel_contract.cinder import objects as cinder_objects
from keel_contract.nova import objects as nova_objects


@dataclass(frozen=True, slots=True)
class Suite:
    """One of "nova" and "cinder".

    :ivar exchange: default of ``[DEFAULT]control_exchange`` (cinder keeps the one of oslo.messaging)
    """

    name: str
    exchange: str
    registry: objects.Registry


SUITES = {
    "nova": Suite("nova", "nova", nova_objects.REGISTRY),
    "cinder": Suite("cinder", "openstack", cinder_objects.REGISTRY),
}


def from_primitive(suite: str, primitive: dict) -> objects.VersionedObject:
    """The object of a wire form of ``suite``.

    :raises IncompatibleVersion: the wire version is newer than this contract's
    """
    return SUITES[suite].registry.from_primitive(primitive)

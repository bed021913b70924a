"""A pin: the limits of a client, and who set them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Holder:
    """A service that holds a pin where it is.

    :ivar version: what it wrote into the table of services: a service version (nova), an RPC version or the version of
        the set of objects (cinder)
    """

    host: str
    binary: str
    version: str

    def __str__(self) -> str:
        return f"{self.binary} on {self.host}"


@dataclass(frozen=True, slots=True)
class Pin:
    """The limits of a client.

    :ivar rpc: highest RPC version the peers take, None: the newest
    :ivar objects: object versions by name the peers read, None: the newest
    :ivar why: one sentence for an operator: what holds the pin where it is
    :ivar holder: the service that does, None where it is a setting or nothing
    :ivar settled: False when no service was there to look at: not worth remembering
    """

    rpc: str | None = None
    objects: Mapping[str, str] | None = None
    why: str = "newest version"
    holder: Holder | None = None
    settled: bool = True


@dataclass(frozen=True, slots=True)
class Lowest:
    """The oldest service of a kind: its ``services.version`` and the host that reports it; version 0: there is none."""

    version: int
    host: str = ""

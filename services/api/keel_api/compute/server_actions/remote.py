"""How a recorded exception of a host or the conductor becomes the answer of the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from keel_api.http.fault import Fault
from keel_contract.errors import RemoteFault

# what every host may say to a request that waits for it
GENERAL = {
    "InstanceNotFound": 404,
    "InstanceNotReady": 409,
    "NotImplementedError": 501,
    "UnsupportedVersion": 501,
    "NoSuchMethod": 501,
}


@contextmanager
def answering(codes: Mapping[str, int], message: str | None = None) -> Iterator[None]:
    """Answer the exceptions of a peer named in `codes` with the code given there; all others pass through.

    `message` replaces the peer's own words.
    """
    try:
        yield
    except RemoteFault as fault:
        if fault.class_name not in codes:
            raise
        raise Fault(codes[fault.class_name], message or fault.message) from None

"""One stream to read: what came of the link of an export, checked for being whole."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import urllib3

CHUNK = 1 << 20
_TOKEN_HEADER = "x-kubevirt-export-token"


class Interrupted(Exception):
    """A stream that broke. It can be begun again, from its start."""


class Unreadable(Exception):
    """The cluster will never give these bytes: to ask again is no use."""


class Reading:
    """``size`` bytes in pieces of at most 1 MiB, each iteration from the start. Raises Interrupted when less came.

    ``check`` is asked before each piece and raises what is to end the stream.
    """

    def __init__(self, size: int, begin: Callable[[], Iterator[bytes]], check: Callable[[], None]):
        self.size = size
        self._begin, self._check = begin, check

    def __iter__(self) -> Iterator[bytes]:
        came = 0
        for piece in self._begin():
            self._check()
            came += len(piece)
            yield piece
        if came != self.size:
            raise Interrupted(f"the stream ended after {came} of {self.size} bytes")


class Zeros(Reading):
    """What a claim that was never used holds."""

    def __init__(self, size: int, check: Callable[[], None]):
        empty = bytes(CHUNK)

        def begin() -> Iterator[bytes]:
            return (empty[: min(CHUNK, size - start)] for start in range(0, size, CHUNK))

        super().__init__(size, begin, check)


@contextmanager
def open_link(export: Mapping[str, Any], side: str, token: str, check: Callable[[], None]) -> Iterator[Reading]:
    """The raw disk behind a ready export, by its "internal" or "external" links. Raises Interrupted, and Unreadable
    when there is no such link."""
    url, authority = _link(export, side)
    context = ssl.create_default_context(cadata=authority)
    pool = urllib3.PoolManager(ssl_context=context, retries=False, timeout=urllib3.Timeout(connect=10, read=120))
    begun = [_ask(pool, url, token)]
    length = begun[0].headers.get("Content-Length")
    if length is None:
        raise Unreadable("the export does not tell how long the disk is")
    try:
        yield Reading(int(length), lambda: _pieces(begun.pop() if begun else _ask(pool, url, token)), check)
    finally:
        pool.clear()


def _ask(pool: urllib3.PoolManager, url: str, token: str) -> urllib3.BaseHTTPResponse:
    try:
        answer = pool.request("GET", url, headers={_TOKEN_HEADER: token}, preload_content=False)
    except (urllib3.exceptions.HTTPError, OSError) as problem:
        raise Interrupted(f"the export cannot be reached: {problem}") from problem
    if answer.status != 200:
        raise Interrupted(f"the export answered {answer.status}")
    return answer


def _pieces(answer: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    try:
        yield from answer.stream(CHUNK, decode_content=False)
    except (urllib3.exceptions.HTTPError, OSError) as problem:
        raise Interrupted(f"the stream of the export broke: {problem}") from problem
    finally:
        answer.close()


def _link(export: Mapping[str, Any], wanted: str) -> tuple[str, str]:
    """URL of the raw disk and the certificate of who serves it."""
    links = export["status"].get("links") or {}
    side = links.get(wanted)
    if side is None:
        raise Unreadable(f"the export has no {wanted} links, only {', '.join(links) or 'none'}")
    for volume in side["volumes"]:
        for found in volume.get("formats") or ():
            if found["format"] == "raw":
                return found["url"], side["cert"]
    raise Unreadable("the export gives no raw disk of this claim")

"""A client that sends one request after the other over one connection, and what they cost the server."""

from __future__ import annotations

import http.client
import json
import statistics
import time
from dataclasses import dataclass
from typing import Any

from bench.sides import Side
from keel_dev.settings import HOST


@dataclass(frozen=True)
class Asked:
    """A request that is measured. `body` of a POST; `number` sends after one to warm up."""

    name: str
    path: str
    version: str
    number: int
    body: dict[str, Any] | None = None
    admin: bool = False


@dataclass(frozen=True)
class Cost:
    """Of one request: CPU of the server's process tree and waiting of the client, ms; bytes of the answer."""

    cpu: float
    median: float
    size: int


class Client:
    """A caller with a token. Raises RuntimeError for an answer that is no success."""

    def __init__(self, side: Side, token: str):
        self._side, self._token = side, token
        self._connection = http.client.HTTPConnection(HOST, side.port, timeout=600)

    def ask(self, asked: Asked) -> Any:
        """One request; its answer."""
        return json.loads(self._content(asked))

    def send(self, asked: Asked) -> int:
        """One request; the bytes of its answer."""
        return len(self._content(asked))

    def _content(self, asked: Asked) -> bytes:
        service = "compute" if self._side.suite == "compute" else "volume"
        headers = {"X-Auth-Token": self._token, "OpenStack-API-Version": f"{service} {asked.version}"}
        body = None
        if asked.body is not None:
            body, headers["Content-Type"] = json.dumps(asked.body), "application/json"
        root = "/v2.1" if self._side.suite == "compute" else "/v3"
        self._connection.request("POST" if body else "GET", root + asked.path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{self._side.kind}: {asked.name}: {answer.status} {content[:300]!r}")
        return content


def measure(side: Side, client: Client, asked: Asked) -> Cost:
    """What a request costs, on average over `asked.number`."""
    size = client.send(asked)
    begun, waited = side.cpu(), []
    for _ in range(asked.number):
        start = time.perf_counter()
        client.send(asked)
        waited.append((time.perf_counter() - start) * 1000)
    spent = (side.cpu() - begun) * 1000 / asked.number
    return Cost(spent, statistics.median(waited), size)


def table(sides: dict[str, Side], tokens: dict[bool, str], requests: list[Asked]) -> list[str]:
    """A line for each request: both sides and the ratio of their CPU; the sides take turns request by request."""
    head = f"{'request':<46}{'real CPU':>10}{'our CPU':>10}{'ratio':>8}{'real wait':>11}{'our wait':>10}{'kB':>8}"
    lines = [head, f"{'':<46}{'ms':>10}{'ms':>10}{'':>8}{'ms':>11}{'ms':>10}"]
    for asked in requests:
        cost = {kind: measure(side, Client(side, tokens[asked.admin]), asked) for kind, side in sides.items()}
        real, ours = cost["real"], cost["ours"]
        ratio = f"{real.cpu / ours.cpu:.1f}" if ours.cpu else "-"
        lines.append(
            f"{asked.name:<46}{real.cpu:>10.1f}{ours.cpu:>10.1f}{ratio:>8}{real.median:>11.1f}{ours.median:>10.1f}"
            f"{ours.size / 1000:>8.1f}"
        )
    memory = {kind: side.memory() for kind, side in sides.items()}
    lines.append(f"a worker afterwards: real {memory['real']:.0f} MiB, ours {memory['ours']:.0f} MiB")
    return lines

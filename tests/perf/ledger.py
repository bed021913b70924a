"""Writes down what an operation asks of databases, bus, cluster and peers, one line for each request.

    with Ledger.open(sim=..., peers=...) as ledger:
        ledger.reset(); ...; ledger.settle()
        ledger.compare("boot")          # with tests/perf/expected/boot.txt

A line names who, what and on what, without values: `sql conductor cell1 UPDATE instances`. KEEL_COUNTS=write writes the
expected files anew; read the difference before you commit it.
"""

from __future__ import annotations

import difflib
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from keel_contract.inprocess import count_messages

EXPECTED = Path(__file__).parent / "expected"
PATIENCE, QUIET = 30.0, 0.3
_TABLES = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)")
_NAMED = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


class Ledger:
    """Lines in the order in which they came; several threads write."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: list[tuple[str, str]] = []
        self._messages: list[Any] = []
        self._ignored: tuple[re.Pattern[str], ...] = ()

    @classmethod
    @contextmanager
    def open(cls, sim: Any = None, peers: Any = None, ignore: tuple[str, ...] = ()) -> Iterator[Ledger]:
        """Listen to every database and the in-process bus, to `sim` (a KubeSim) and to `peers` (`Counted` objects).

        `ignore`: patterns of lines that the operation does not cause.
        """
        ledger = cls()
        ledger._ignored = tuple(re.compile(pattern) for pattern in ignore)
        event.listen(Engine, "before_cursor_execute", ledger._statement)
        event.listen(Engine, "begin", ledger._transaction)
        for peer in peers or ():
            peer.told = ledger.add
        if sim is not None:
            sim.cluster.api.watchers.append(ledger._kube)
        try:
            with count_messages() as ledger._messages:
                yield ledger
        finally:
            event.remove(Engine, "before_cursor_execute", ledger._statement)
            event.remove(Engine, "begin", ledger._transaction)
            if sim is not None:
                sim.cluster.api.watchers.remove(ledger._kube)

    def add(self, line: str, detail: str = "") -> None:
        with self._lock:
            self._lines.append((line, detail))

    def reset(self) -> None:
        """Forget what came so far."""
        with self._lock:
            self._lines.clear()
            self._messages.clear()

    def lines(self) -> list[str]:
        """Every line so far, those of the bus last."""
        with self._lock:
            found = [line for line, _ in self._lines] + [_message(*each) for each in list(self._messages)]
        return [line for line in found if not any(pattern.search(line) for pattern in self._ignored)]

    def count(self, pattern: str) -> int:
        """How many lines begin with a pattern."""
        return sum(1 for line in self.lines() if re.match(pattern, line))

    def settle(self, done: Callable[[], Any] = lambda: True) -> None:
        """Wait until `done`, and then until nothing more is written for a moment."""
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end, f"did not end within {PATIENCE} s; so far:\n" + "\n".join(self.lines())
            time.sleep(0.02)
        seen, since = len(self.lines()), time.monotonic()
        while time.monotonic() - since < QUIET:
            time.sleep(0.02)
            if len(self.lines()) != seen:
                seen, since = len(self.lines()), time.monotonic()

    def compare(self, name: str) -> None:
        """Fail with the difference when the lines are not those of the expected file `name`."""
        path, found = EXPECTED / f"{name}.txt", _summary(self.lines())
        if os.environ.get("KEEL_COUNTS") == "write":
            path.write_text("\n".join(found) + "\n")
        expected = path.read_text().splitlines()
        if found != expected:
            changes = "\n".join(difflib.unified_diff(expected, found, "expected", "found", lineterm="", n=0))
            raise AssertionError(f"the cost of {name} has changed:\n{changes}\n\n{self._texts(expected, found)}")

    def _texts(self, expected: list[str], found: list[str]) -> str:
        """The whole statements behind lines that are new."""
        new = {line.partition(" x ")[2] for line in found if line not in expected}
        with self._lock:
            return "\n".join(f"{line}\n    {detail}" for line, detail in self._lines if line in new and detail)

    def _statement(self, connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        verb, tables = statement.split(None, 1)[0], sorted(set(_TABLES.findall(statement)))
        self.add(f"sql {_place(connection.engine.url)} {verb} {' '.join(tables)}", " ".join(statement.split())[:1000])

    def _transaction(self, connection: Any) -> None:
        if connection.get_execution_options().get("keel_writes", True):
            self.add(f"transaction {_place(connection.engine.url)}")

    def _kube(self, request: Any) -> None:
        if not request.query.get("watch"):
            path = _NAMED.sub("*", re.sub(r"^/apis?/|/v[0-9][a-z0-9]*(?=/)|namespaces/[a-z0-9-]+/", "", request.path))
            self.add(f"kube {request.method} {path}")


def _place(url: Any) -> str:
    """Service and database of an engine; the worlds write the service into the URL."""
    return f"{url.query.get('who', '-')} {Path(url.database or '-').stem}"


def _message(target: Any, mode: str, message: dict[str, Any]) -> str:
    method, args = message["method"], message["args"]
    if method == "object_action":
        method = f"{args['objinst']['nova_object.name']}.{args['objmethod']}"
    elif method == "object_class_action_versions":
        method = f"{args['objname']}.{args['objmethod']}"
    return f"rpc {mode} {target.topic.partition('.')[0]} {method}"


def _summary(lines: list[str]) -> list[str]:
    """The lines sorted with their numbers, and above them the sums by their first words."""
    sums = Counter(" ".join(line.split()[:2]) for line in lines)
    each = [f"{number:3} x {line}" for line, number in sorted(Counter(lines).items())]
    return [f"{number:3} in all: {what}" for what, number in sorted(sums.items())] + each

"""``keel-contract tap``: the arguments, and the loop from the broker to the screen."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

from oslo_config import cfg
from rich.console import Console

from keel_contract.tap import options as arguments
from keel_contract.tap import summary
from keel_contract.tap.addresses import address
from keel_contract.tap.corpus import Corpus
from keel_contract.tap.judge import Violation, judge
from keel_contract.tap.lines import Json, Lines
from keel_contract.tap.mirror import Copy, Mirror, NothingToSee
from keel_contract.tap.screen import Screen
from keel_contract.tap.senders import Senders
from keel_contract.tap.tally import Tally
from keel_contract.tap.wire import Message, Notification, Reply, Undecodable, decode

_WIDTH = 140  # of the summary where there is no terminal


class Tap:
    """Takes in copies one by one: decodes, judges, counts, keeps, shows."""

    def __init__(self, view: Any, corpus: Corpus | None = None) -> None:
        self.tally = Tally()
        self.senders = Senders()
        self.view = view
        self._corpus = corpus

    def take(self, copy: Copy) -> None:
        """One message, whatever it is."""
        to = address(copy.exchange, copy.routing_key)
        try:
            seen = decode(copy.body, to)
        except Undecodable as problem:
            self.tally.add_undecodable(to, str(problem), len(copy.body))
            self.view.undecodable(to, str(problem))
            if self._corpus:
                at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
                self._corpus.add_undecodable(at, to, str(problem), len(copy.body))
            return
        sender = ""
        violations: list[Violation] = []
        if isinstance(seen, Reply):
            self.view.reply(seen, self.tally.add_reply(seen))
        elif isinstance(seen, Notification):
            self.tally.add_notification(seen)
            self.view.notification(seen)
            sender = seen.publisher
        else:
            sender, violations = self._request(seen)
        if self._corpus:
            self._corpus.add(seen, to, sender, violations)

    def _request(self, message: Message) -> tuple[str, list[Violation]]:
        who = self.senders.of(message)
        violations = judge(message)
        self.tally.add(message, who, violations)
        self.view.message(message, who, violations)
        return str(who), violations


def main(argv: list[str]) -> int:
    """Watch until the end that was asked for, or Ctrl-C.

    The exit code: 0, 1 when there is nothing to watch, 3 when ``--strict`` was given and there were violations.
    """
    options = arguments.parser().parse_args(argv)
    try:
        url = arguments.transport(options)
        mirror = Mirror(
            arguments.amqp_url(url),
            tuple(options.exchange or ("nova", "openstack")),
            arguments.limits(options),
            options.replies,
            arguments.tls(options),
        )
        corpus = Corpus(options.record) if options.record else None
    except (arguments.WrongUrl, cfg.Error, OSError) as problem:
        print(f"keel-contract tap: {problem}", file=sys.stderr)
        return 1
    view = _view(options, mirror, arguments.hosts(url))
    tap = Tap(view, corpus)
    began = time.monotonic()
    try:
        with _interruptible(mirror):
            _watch(mirror, tap, options, began)
    except NothingToSee as problem:
        print(f"keel-contract tap: {problem}", file=sys.stderr)
        return 1
    finally:
        if corpus:
            corpus.close()
        view.close(lambda: _ending(options, tap, mirror, corpus, time.monotonic() - began))
    return 3 if options.strict and tap.tally.violations else 0


def _watch(mirror: Mirror, tap: Tap, options: argparse.Namespace, began: float) -> None:
    for copy in mirror.copies():
        if copy is not None:
            tap.take(copy)
        tap.view.tick(tap.tally)
        if options.seconds and time.monotonic() - began >= options.seconds:
            mirror.stop()
        if options.messages and tap.tally.messages >= options.messages:
            return


@contextlib.contextmanager
def _interruptible(mirror: Mirror) -> Iterator[None]:
    """SIGINT and SIGTERM end the watch with its summary."""
    before = {number: signal.signal(number, lambda *_: mirror.stop()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _view(options: argparse.Namespace, mirror: Mirror, where: str) -> Lines | Screen:
    if options.json:
        return Json(quiet=options.quiet)
    console = Console()
    if options.plain or options.quiet or not console.is_terminal or console.is_dumb_terminal:
        return Lines(quiet=options.quiet)

    def state() -> str:
        behind = f"  {mirror.waiting} waiting" if mirror.waiting else ""
        lost = "  SOME WERE LOST" if mirror.overflows else ""
        return f"{len(mirror.bound)} exchanges{behind}{lost}"

    return Screen(console, where, state)


def _ending(options: argparse.Namespace, tap: Tap, mirror: Mirror, corpus: Corpus | None, seconds: float) -> str:
    reports = tap.senders.reports.values()
    if options.json:
        return json.dumps(summary.as_json(tap.tally, reports))
    notes = []
    if mirror.overflows:
        notes.append(f"The queue of the tap was full {mirror.overflows} times: some messages are not in these counts.")
    if mirror.reconnects:
        notes.append(f"The broker went away {mirror.reconnects} times.")
    if not tap.tally.messages:
        notes.append(f"Exchanges that were watched: {', '.join(sorted(mirror.bound)) or 'none'}.")
    if corpus:
        notes.append(f"{corpus.lines} messages are in {options.record}, secrets masked.")
    out = io.StringIO()
    here = Console()
    terminal = here.is_terminal and not options.plain
    console = Console(file=out, width=here.width if terminal else _WIDTH, force_terminal=terminal, highlight=False)
    console.print(summary.render(tap.tally, reports, seconds, notes))
    return out.getvalue().rstrip()

"""The tap on a terminal: a page that is drawn anew a few times a second."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from rich.console import Console, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from keel_contract.tap import summary
from keel_contract.tap.addresses import Address
from keel_contract.tap.judge import Violation
from keel_contract.tap.lines import clock, spoken
from keel_contract.tap.senders import Sender
from keel_contract.tap.tally import Tally
from keel_contract.tap.wire import Message, Notification, Reply

_REDRAW = 0.25  # seconds
_RATE = 10  # seconds over which the rate is told
_KEPT = 60  # last lines
_COLOURS = {"call": "cyan", "cast": "magenta", "fanout": "blue"}


class Screen:
    """Conversations above, the last messages below, a bar that tells where the tap is and how it fares."""

    def __init__(self, console: Console, where: str, state: Callable[[], str]) -> None:
        self._console = console
        self._where = where
        self._state = state
        self._lines: deque[Text] = deque(maxlen=_KEPT)
        self._moments: deque[float] = deque()
        self._tally = Tally()
        self._drawn = 0.0
        self._live = Live(self._page(), console=console, screen=True, auto_refresh=False)
        self._live.start()

    def message(self, message: Message, sender: Sender, violations: Sequence[Violation]) -> None:
        """A line for the message, a red one for what is wrong with it."""
        line = Text(f"{clock(message)} ", style="dim")
        line.append(f"{message.mode:<6} ", style=_COLOURS[message.mode])
        line.append(str(sender), style="bold").append(" > ").append(f"{message.to}  ", style="bold")
        line.append(spoken(message), style="red" if violations else "")
        self._add(line)
        for violation in violations:
            self._add(Text(f"             ! {violation}", style="red"))

    def reply(self, reply: Reply, method: str | None) -> None:
        """Answers that are a failure."""
        if reply.failure:
            self._add(Text(f"{clock(reply)} reply  {method or '?'} failed with {reply.failure}", style="yellow"))

    def notification(self, seen: Notification) -> None:
        """The event."""
        self._add(Text(f"{clock(seen)} event  {seen.publisher} {seen.event}", style="dim"))

    def undecodable(self, to: Address, why: str) -> None:
        """What is no message."""
        self._add(Text(f"             ! unreadable message to {to}: {why}", style="red"))

    def tick(self, tally: Tally) -> None:
        """Draw, if it is time."""
        self._tally = tally
        now = time.monotonic()
        if now - self._drawn >= _REDRAW:
            self._drawn = now
            self._live.update(self._page(), refresh=True)

    def close(self, text: Callable[[], str]) -> None:
        """Back to the terminal as it was, with the summary on it."""
        self._live.stop()
        self._console.print(Text.from_ansi(text()))

    def _add(self, line: Text) -> None:
        line.no_wrap, line.overflow = True, "ellipsis"
        self._lines.append(line)
        self._moments.append(time.monotonic())

    def _page(self) -> RenderableType:
        height = self._console.size.height
        upper = max(6, height // 2 - 2)
        page = Layout()
        page.split_column(Layout(self._bar(), size=1), Layout(name="upper", size=upper), Layout(name="lower"))
        page["upper"].update(summary.conversations(self._tally, limit=upper - 4))
        shown = list(self._lines)[-max(1, height - upper - 3) :]
        body = Text("\n").join(shown) if shown else Text("waiting for messages ...", style="dim")
        body.no_wrap, body.overflow = True, "ellipsis"
        wrong = self._tally.violations.total()
        title = f"last messages, {wrong} violations" if wrong else "last messages, no violation"
        page["lower"].update(Panel(body, title=title, border_style="red" if wrong else "green"))
        return page

    def _bar(self) -> Text:
        now = time.monotonic()
        while self._moments and now - self._moments[0] > _RATE:
            self._moments.popleft()
        rate = len(self._moments) / _RATE
        told = f" keel-contract tap  {self._where}  {self._tally.messages} messages, {rate:.1f}/s  {self._state()}"
        return Text(told, style="reverse", no_wrap=True, overflow="ellipsis")

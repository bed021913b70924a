"""A bus that records instead of sending."""

from __future__ import annotations

from typing import Any


class RecordingBus:
    """`sent`: (method, arguments with `server` where given) in order. `answers`: method -> value or function of the
    arguments; an exception as a value is raised. A method without an answer returns None."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Any] = {}

    def client(self, interface: Any, pin: Any = None) -> RecordingClient:
        return RecordingClient(self, interface)

    def methods(self) -> list[str]:
        return [method for method, _ in self.sent]


class RecordingClient:
    def __init__(self, bus: RecordingBus, interface: Any):
        self._bus, self.interface = bus, interface

    def send(self, context: Any, method: str, server: str | None = None, **arguments: Any) -> Any:
        self._bus.sent.append((method, {**arguments, **({"server": server} if server else {})}))
        answer = self._bus.answers.get(method)
        if isinstance(answer, Exception):
            raise answer
        return answer(**arguments) if callable(answer) else answer

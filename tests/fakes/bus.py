"""A bus that records instead of sending; what the contract does not declare is refused as on the real one."""

from __future__ import annotations

from typing import Any

from keel_contract.interface import outgoing


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

    def send(
        self, context: Any, method: str, server: str | None = None, how: str | None = None, **arguments: Any
    ) -> Any:
        declared = self.interface.method(method)
        outgoing(declared, self.interface.level(declared, self.interface.version), arguments)
        assert how is None or how in declared.modes, f"{method} is no {how}"
        if how:
            arguments["how"] = how
        self._bus.sent.append((method, {**arguments, **({"server": server} if server else {})}))
        answer = self._bus.answers.get(method)
        if isinstance(answer, Exception):
            raise answer
        arguments.pop("how", None)
        return answer(**arguments) if callable(answer) else answer

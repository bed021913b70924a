"""Hostile messages through RabbitMQ to every running service: refused as the real services refuse them, and it goes on.

The table and what the real services answered: tests/fakes/hostile.py, tests/contract/data/hostile_answers.json.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import hostile
from fakes.hostile_accepted import DIFFERENT, matches
from fakes.rawbus import RawPeer, outcome

from keel_dev.cloud import Cloud
from keel_dev.settings import HOST, PASSWORD, Settings
from tests.e2e.waiting import wait_for

RECORDED = json.loads((Path(__file__).parents[1] / "contract" / "data" / "hostile_answers.json").read_text())
#: Process whose log tells what became of a message, for each service.
PROCESSES = {
    "conductor": "keel-conductor-1",
    "compute": "keel-compute-kubevirt",
    "compute-scheduler": "keel-compute-scheduler-1",
    "volume-scheduler": "keel-volume-scheduler",
    "volume": "keel-volume-csi",
}
SILENT_SECONDS = 0.3
ANSWER_SECONDS = 30.0


@pytest.fixture(scope="module")
def peer(settings: Settings, supervisor: Cloud) -> Iterator[RawPeer]:
    """Somebody with access to the bus."""
    if not settings.uses_servers:
        pytest.skip("the embedded profile has no broker")
    made = RawPeer(f"amqp://{settings.prefix}:{PASSWORD}@{HOST}:5672/{settings.prefix}")
    yield made
    made.close()


def server_of(settings: Settings, name: str) -> str:
    """The server that answers for a service."""
    return {
        "compute": "node-1",
        "volume-scheduler": settings.prefix,
        "volume": f"{settings.prefix}@cluster",
    }.get(name, PROCESSES[name])


class Attacks:
    """Attacks on one service; `lines` are what its processes have logged since."""

    def __init__(self, peer: RawPeer, settings: Settings, supervisor: Cloud, name: str) -> None:
        self.peer, self.basis, self.server = peer, hostile.BASES[name], server_of(settings, name)
        self.queue = f"{self.basis.topic}.{self.server}"
        names = [known for known in supervisor.services if known.startswith(PROCESSES[name])]
        self._logs = [supervisor.book.log_path(known) for known in names]
        self._sizes = [path.stat().st_size for path in self._logs]
        self.pids = {known: supervisor.book.pid(known) for known in names}

    def send(self, body: bytes, ident: str, kind: tuple[str, str], seconds: float) -> str:
        """What became of it. The next good call must be answered, and nothing may wait in the queue."""
        self.peer.publish(self.basis.exchange, self.queue, body, *kind)
        alive = self.peer.call(self.basis, self.server, self.basis.message(), ANSWER_SECONDS)
        assert outcome(alive) == "result"
        reply = self.peer.wait(ident, SILENT_SECONDS if seconds <= 5 else seconds)
        wait_for(f"empty {self.queue}", lambda: self.peer.depth(self.queue) == 0, 10.0)
        return outcome(reply)

    def lines(self) -> str:
        """Logged since the beginning."""
        found = []
        for path, size in zip(self._logs, self._sizes, strict=True):
            with path.open("rb") as file:
                file.seek(size)
                found.append(file.read().decode(errors="replace"))
        return "".join(found)


@pytest.mark.parametrize("name", list(hostile.BASES))
def test_a_service_refuses_every_hostile_message_and_goes_on(
    peer: RawPeer, settings: Settings, supervisor: Cloud, name: str
) -> None:
    attacks = Attacks(peer, settings, supervisor, name)
    wrong = []
    for row in hostile.MESSAGES:
        whole, ident = peer.addressed(hostile.message(attacks.basis, row))
        found = attacks.send(hostile.wrap(whole), ident, ("application/json", "utf-8"), row.seconds)
        wrong += differences(name, row.name, found)
    for envelope in hostile.ENVELOPES:
        whole, ident = peer.addressed(attacks.basis.message())
        kind = (envelope.content_type, envelope.content_encoding)
        wrong += differences(name, envelope.name, attacks.send(envelope.make(whole), ident, kind, 5.0))
    assert wrong == []
    logged = attacks.lines()
    assert "Refused no_such_method" in logged
    assert hostile.SECRET not in logged
    assert "keel_contract/" not in logged, "a traceback of ours"
    assert attacks.pids == {known: supervisor.book.pid(known) for known in attacks.pids}


def differences(name: str, row: str, found: str) -> list[str]:
    """[] when the outcome is the recorded or the accepted one."""
    wanted = DIFFERENT.get((name, row)) or DIFFERENT.get((None, row)) or RECORDED[name][row]
    return [] if matches(found, wanted) else [f"{row}: {found}, not {wanted}"]


@pytest.mark.parametrize("name", list(hostile.BASES))
def test_a_flood_of_hostile_casts_leaves_the_service_as_fast_as_before(
    peer: RawPeer, settings: Settings, supervisor: Cloud, name: str
) -> None:
    attacks = Attacks(peer, settings, supervisor, name)
    for _ in range(20):
        for row in (hostile.METHODS[0], hostile.VERSIONS[2], hostile.ARGUMENTS[0], hostile.OBJECTS[0]):
            whole, _ident = peer.addressed(hostile.message(attacks.basis, row), call=False)
            peer.publish(attacks.basis.exchange, attacks.queue, hostile.wrap(whole))
    assert outcome(peer.call(attacks.basis, attacks.server, attacks.basis.message(), 10.0)) == "result"
    wait_for("refusal of each", lambda: attacks.lines().count("Refused ") >= 80, 20.0)

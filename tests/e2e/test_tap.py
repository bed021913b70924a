"""The tap on the broker of the running cloud: it sees what travels, takes nothing away and leaves nothing behind."""

import json
import subprocess
from collections.abc import Iterator

import pytest
from amqp.exceptions import NotFound
from fakes import hostile
from fakes.rawbus import RawPeer, outcome

from keel_contract.tap.mirror import Limits, Mirror, NothingToSee
from keel_dev.cloud import Cloud
from keel_dev.settings import HOST, PASSWORD, Settings

CONDUCTOR = "keel-conductor-1"
BASIS = hostile.BASES["conductor"]


@pytest.fixture(scope="module")
def url(settings: Settings, supervisor: Cloud) -> str:
    """The broker as kombu writes it."""
    if not settings.uses_servers:
        pytest.skip("the embedded profile has no broker")
    return f"amqp://{settings.prefix}:{PASSWORD}@{HOST}:5672/{settings.prefix}"


@pytest.fixture
def peer(url: str) -> Iterator[RawPeer]:
    """Somebody else on the bus."""
    made = RawPeer(url)
    yield made
    made.close()


def test_a_message_is_seen_and_still_arrives(url: str, peer: RawPeer) -> None:
    mirror = Mirror(url, ("nova", "openstack"))
    copies = mirror.copies()
    next(copies)
    assert {"nova", "conductor_fanout", "compute_fanout", "cinder-scheduler_fanout"} <= mirror.bound
    whole, ident = peer.addressed(BASIS.message())
    peer.publish("nova", f"conductor.{CONDUCTOR}", hostile.wrap(whole))
    for copy in copies:
        if copy is not None and ident.encode() in copy.body:
            mirror.stop()
    assert outcome(peer.wait(ident, 20)) == "result"


def test_its_queue_is_bounded_and_goes_with_it(url: str, peer: RawPeer) -> None:
    mirror = Mirror(url, ("nova",), Limits(messages=5, prefetch=1))
    copies = mirror.copies()
    next(copies)
    for _ in range(50):
        peer.publish("nova", "tap.test.nobody", b"{}")
    assert peer.depth(peer.reply_queue) == 0  # the broker has answered, so it has taken all that stands before
    found = []
    for copy in copies:
        if copy is None:
            mirror.stop()
        elif copy.routing_key == "tap.test.nobody":
            found.append(copy)
    assert 1 <= len(found) <= 6, "five in the queue, one on its way"
    with pytest.raises(NotFound):
        peer.depth(mirror.queue)


def test_what_is_not_there_is_not_made(url: str, peer: RawPeer) -> None:
    mirror = Mirror(url, ("tap.test.no-such-exchange",))
    copies = mirror.copies()
    next(copies)
    assert "tap.test.no-such-exchange" not in mirror.bound
    mirror.stop()
    list(copies)
    with pytest.raises(NotFound):
        peer.publish("tap.test.no-such-exchange", "x", b"{}")
        peer.depth(peer.reply_queue)


def test_a_broker_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(NothingToSee):
        next(Mirror(f"amqp://nobody:x@{HOST}:1/x", ("nova",)).copies())


def test_the_command_watches_and_summarizes(settings: Settings, supervisor: Cloud, url: str) -> None:
    """A cloud at rest has heartbeats: every host tells its version within ten seconds."""
    argv = [settings.program("keel-contract", "project"), "tap", "--transport-url", settings.transport_url]
    done = subprocess.run([*argv, "--seconds", "14", "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *messages, last = (json.loads(line) for line in done.stdout.splitlines())
    summary = last["summary"]
    assert summary["messages"] == len(messages)
    assert summary["violations"] == []
    assert {entry["host"] for entry in summary["services"]} >= {"node-1", "node-2", "node-3", "node-4"}
    assert {pin["state"] for pin in summary["pins"]} == {"newest"}
    assert PASSWORD not in done.stdout

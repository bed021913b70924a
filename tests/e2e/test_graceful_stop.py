"""A service that is asked to end finishes what it has taken and takes nothing more."""

import threading
import time
from collections.abc import Callable

import pytest

from keel_common import config
from keel_contract.bus import Bus
from keel_contract.context import Context
from keel_contract.errors import BusError
from keel_contract.nova.interfaces import CONDUCTOR
from keel_dev.cloud import Cloud
from keel_dev.settings import Settings

SENDERS = 6
SECONDS = 12.0
PATIENCE = 8


@pytest.fixture
def ask(settings: Settings) -> Callable[[], object]:
    """A call that any conductor answers."""
    if not settings.uses_servers:
        pytest.skip("one process has nobody to take over")
    bus = Bus(config.load("compute", []), "nova", settings.transport_url)
    client = bus.client(CONDUCTOR)
    context = Context.admin("nova")
    question = {"objname": "Service", "objmethod": "get_minimum_version", "object_versions": {"Service": "1.22"}}
    yield lambda: client.send(
        context, "object_class_action_versions", args=["nova-compute"], kwargs={}, timeout=PATIENCE, **question
    )
    bus.close()


def test_no_request_is_lost_when_a_conductor_ends(supervisor: Cloud, ask: Callable[[], object]) -> None:
    """Two conductors, a crowd of callers, one conductor ends and comes back: every call is answered."""
    answered, failed, until = [], [], time.monotonic() + SECONDS

    def sender() -> None:
        while time.monotonic() < until:
            try:
                answered.append(ask())
            except BusError as error:
                failed.append(error)

    threads = [threading.Thread(target=sender) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    supervisor.book.stop(["keel-conductor-2"])
    for thread in threads:
        thread.join()
    supervisor.start(["keel-conductor-2"])
    assert not failed and len(answered) > 100, f"{len(failed)} of {len(failed) + len(answered)} failed: {failed[:1]}"

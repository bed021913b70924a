"""The queue of volumes and snapshots that are due."""

import threading
import time
from types import SimpleNamespace

import pytest

from keel_volume.reconcile import Reconciler


class Db:
    """Remembers which volumes were looked at; none of them is ours, so that nothing follows."""

    def __init__(self):
        self.seen = {}

    def read(self, statement, *arguments):
        if statement.__name__ == "volume":
            self.event(arguments[0]).set()
            return {"host": "other@backend#pool", "status": "available"}
        return ([], []) if statement.__name__ == "unfinished" else set()

    def event(self, volume_id):
        return self.seen.setdefault(volume_id, threading.Event())


@pytest.fixture
def db():
    return Db()


@pytest.fixture
def reconciler(db):
    made = Reconciler(threads=1, audit_seconds=3600)
    caches = SimpleNamespace(**{name: SimpleNamespace(items=list) for name in ("claims", "imports", "snapshots")})
    made.serve(SimpleNamespace(name="our@backend", db=db, caches=caches))
    yield made
    made.stop(0)


def test_a_message_that_waits_for_a_volume_does_not_hold_up_others(reconciler, db):
    inside, leave = threading.Event(), threading.Event()

    def handle():
        with reconciler.alone("volume", "held"):
            inside.set()
            leave.wait(20)

    first = threading.Thread(target=handle)
    first.start()
    assert inside.wait(10)
    second = threading.Thread(target=handle)
    second.start()
    time.sleep(0.1)  # The message waits; the thread that works comes to wait behind it.
    reconciler.start()
    time.sleep(0.1)
    try:
        reconciler.soon("volume", "other")
        assert db.event("other").wait(2), "the look at another volume waits for the one that is held"
    finally:
        leave.set()
        first.join(10)
        second.join(10)


def test_what_becomes_due_while_a_message_is_handled_is_looked_at_afterwards(reconciler, db):
    reconciler.start()
    with reconciler.alone("volume", "one"):
        reconciler.soon("volume", "one")
        assert not db.event("one").wait(0.3)
    assert db.event("one").wait(10)

"""A backup service whose store is away is not ready, and says why once."""

import logging

import pytest

from keel_volume.backup.main import Health
from keel_volume.backup.store import StoreError


class Store:
    """At the edge: it answers or does not."""

    problem = None

    def check(self):
        if self.problem:
            raise StoreError(self.problem)


def test_service_is_as_ready_as_its_store_and_says_each_change_once(caplog):
    caplog.set_level(logging.INFO, "keel_volume.backup.main")
    store = Store()
    health = Health(store)
    (check,) = health.checks().values()
    with pytest.raises(RuntimeError, match="not looked at yet"):
        check()
    health.start()
    check()
    assert health.works
    store.problem = "the bucket is gone"
    health.look()
    health.look()
    with pytest.raises(RuntimeError, match="the bucket is gone"):
        check()
    assert not health.works
    store.problem = None
    health.look()
    check()
    said = [record.getMessage().removeprefix("the store of backups: ") for record in caplog.records]
    assert said == ["answers", "the bucket is gone", "answers"]

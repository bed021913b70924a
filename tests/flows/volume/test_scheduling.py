"""The scheduler's side: a start with requests in the queue, wishes nobody foresaw, what is tidied up."""

import threading
from datetime import timedelta

import pytest

from keel_common.db.stores.cinder import messages, quotas
from keel_common.db.stores.cinder.rows import TABLES
from keel_common.db.stores.cinder.rows import now as moment
from keel_scheduler.volume import upkeep
from keel_scheduler.volume.main import FirstReports

from .conftest import PROJECT


@pytest.mark.parametrize("spec", ["<range-in> a b", ">= many", "<or>", "<in>", "s<", "💥"])
def test_a_strange_wish_is_an_error_and_not_a_volume_that_waits_for_ever(suite, spec):
    volume = suite.create(kind=suite.kind(free_capacity_gb=spec))
    suite.reach(volume, "error")
    assert suite.worker(volume) is None


def test_a_strange_wish_to_grow_leaves_the_volume_as_it_was(suite):
    kind = suite.kind()
    volume = suite.create(kind=kind)
    suite.reach(volume, "available")
    suite.db.run(lambda conn: conn.execute(_reports_away(volume)))
    suite.extend(volume, 2)
    assert suite.reach(volume, "available")["size"] == 1
    assert suite.drift()[1] == []


def _reports_away(volume_id):
    """The volume lies in a pool that does not report."""
    table = TABLES["volumes"]
    return table.update().where(table.c.id == volume_id).values(host="host1@cluster#nowhere")


def test_a_request_in_the_queue_waits_for_the_first_reports():
    missing, asked = {"host1@cluster"}, []
    reports = FirstReports(lambda: asked.append(1), lambda: set(missing), patience=30)
    reports.start()
    thread = threading.Thread(target=reports.wait)
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    missing.clear()
    thread.join(5)
    assert not thread.is_alive()
    assert asked == [1]


def test_a_backend_that_never_reports_is_not_waited_for_longer_than_the_patience():
    reports = FirstReports(lambda: None, lambda: {"dead@backend"}, patience=0.2)
    reports.start()
    reports.wait()


def test_a_volume_that_nobody_places_ends_in_error(suite):
    old, _ = suite.new_row()
    young, _ = suite.new_row()
    past = moment() - timedelta(seconds=suite.conf.keel.build_deadline + 1)
    suite.set_status(old["id"], created_at=past, updated_at=None)
    upkeep.end_lost(suite.conf, suite.db)
    assert suite.row(old["id"])["status"] == "error"
    assert suite.worker(old["id"]) is None
    assert len(suite.messages(old["id"])) == 1
    assert suite.row(young["id"])["status"] == "creating"


def test_promises_and_messages_expire(suite):
    settings = quotas.Settings.of(suite.conf)
    suite.db.run(quotas.reserve, settings, PROJECT, {"gigabytes": 3}, {})
    suite.db.run(messages.create, PROJECT, "", "EXTEND_VOLUME", ttl_seconds=-5, resource_uuid="gone", detail=None)
    held = TABLES["reservations"]
    past = moment() - timedelta(seconds=1)
    suite.db.run(lambda conn: conn.execute(held.update().where(held.c.delta == 3).values(expire=past)))
    parts = {part.name: part for part in upkeep.parts(suite.conf, suite.db)}
    assert set(parts) == {"expired-reservations", "expired-messages", "lost-volumes", "lost-backups"}
    suite.db.run(quotas.expire)
    suite.db.run(messages.reap)
    assert suite.drift()[1] == []
    assert suite.messages("gone") == []

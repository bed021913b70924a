"""Volumes that nobody places, and requests that come before the first reports."""

import time
from datetime import timedelta

from keel_common.db.stores.cinder.rows import now
from keel_scheduler.volume import upkeep
from keel_scheduler.volume.main import FirstReports


def test_a_volume_nobody_places_ends_in_error_with_a_message(suite):
    waiting, _ = suite.new_row()
    lost, _ = suite.new_row()
    placed, _ = suite.new_row()
    long_ago = now() - timedelta(seconds=suite.conf.keel.build_deadline + 5)
    suite.set_status(lost["id"], created_at=long_ago, updated_at=None)
    suite.set_status(placed["id"], created_at=long_ago, updated_at=None, host="elsewhere@cluster#standard")
    upkeep.end_lost(suite.conf, suite.db)
    assert [suite.row(one["id"])["status"] for one in (waiting, lost, placed)] == ["creating", "error", "creating"]
    assert suite.messages(lost["id"]) == ["VOLUME_VOLUME_001_003"]
    upkeep.end_lost(suite.conf, suite.db)
    assert len(suite.messages(lost["id"])) == 1


def test_requests_wait_for_the_first_reports_and_not_for_ever():
    missing = [{"host1@cluster"}, {"host1@cluster"}, set()]
    reports = FirstReports(lambda: None, lambda: missing.pop(0), 60)
    reports.start()
    reports.wait()
    assert missing == []
    reports.wait()  # Once complete nobody is asked again: the list is empty.
    silent = FirstReports(lambda: None, lambda: {"host1@cluster"}, 0.3)
    silent.start()
    began = time.monotonic()
    silent.wait()
    assert 0.2 < time.monotonic() - began < 5

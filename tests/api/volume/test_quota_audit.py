"""keel-manage quota check and sync."""

import argparse

from fakes.api import PROJECT

from keel_common.db.stores.cinder import quota_audit, quotas
from keel_common.db.stores.cinder.rows import TABLES, update
from keel_common.manage import volume as verbs


def spoil(conn, resource, **values):
    table = TABLES["quota_usages"]
    update(conn, table, [table.c.project_id == PROJECT, table.c.resource == resource], values)


def test_counters_that_are_wrong_are_found_and_set_right(volume, made):
    made(3)
    assert volume.db.run(quota_audit.differences, True) == []
    volume.db.run(spoil, "gigabytes", in_use=9)
    volume.db.run(spoil, "volumes", reserved=2)
    found = volume.db.run(quota_audit.correct, True)
    assert {(one.resource, one.column, one.kept, one.real) for one in found} == {
        ("gigabytes", "in_use", 9, 3),
        ("volumes", "reserved", 2, 0),
    }
    assert volume.db.run(quota_audit.differences, True) == []


def test_what_is_promised_counts_as_reserved(volume, made):
    made(1)
    volume.db.run(quotas.reserve, quotas.Settings.of(volume.conf), PROJECT, {"gigabytes": 5}, {})
    assert volume.db.run(quota_audit.differences, True) == []
    volume.db.run(spoil, "gigabytes", reserved=0)
    (one,) = volume.db.run(quota_audit.differences, True, PROJECT)
    assert (one.column, one.kept, one.real) == ("reserved", 0, 5)
    assert volume.db.run(quota_audit.differences, True, "another") == []


def test_the_verbs_tell_it_by_their_exit_codes(volume, made, monkeypatch, capsys):
    made(1)
    monkeypatch.setattr(verbs, "database", lambda conf: volume.db)
    everybody = argparse.Namespace(project_id=None)
    assert verbs.quota_check(volume.conf, everybody) == 0
    volume.db.run(spoil, "volumes", in_use=7)
    assert verbs.quota_check(volume.conf, everybody) == 1
    assert verbs.quota_sync(volume.conf, everybody) == 0
    assert verbs.quota_check(volume.conf, everybody) == 0
    assert "volumes in_use is 7, there are 1" in capsys.readouterr().out

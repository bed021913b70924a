"""Groups and group snapshots: with the volumes in them, of one moment where that is promised, resumed, refused."""

import contextlib
import time

import pytest

from keel_common.db.stores.cinder import (
    backend_groups,
    group_snapshots,
    group_types,
    groups,
    quotas,
    snapshots,
    transitions,
    types,
    volumes,
)
from keel_common.domain.volume.quotas import create_group, create_snapshot, with_type
from keel_common.domain.volume.states import TRANSITIONS
from keel_common.kube import GROUP_SNAPSHOT, GROUP_SNAPSHOT_CLASS, PVC, SNAPSHOT, names
from keel_common.wire import group as wire

from .conftest import PROJECT, _update

CONSISTENT = {"consistent_group_snapshot_enabled": "<is> True"}


class Grouped:
    """What the API writes and sends about groups."""

    def __init__(self, suite):
        self.suite, self.db = suite, suite.db
        self.kind = suite.kind(pool_name="standard")

    def type(self, specs):
        def write(conn):
            row = group_types.create(conn, f"gt-{time.monotonic_ns()}", None, True, specs)
            return group_types.get(conn, row["id"])

        return self.db.run(write)

    def create(self, specs):
        kind = self.type(specs)

        def write(conn):
            quotas.take(conn, quotas.Settings.of(self.suite.conf), PROJECT, create_group(), {})
            values = {
                "group_type_id": kind["id"],
                "project_id": PROJECT,
                "user_id": "u",
                "name": "g",
                "description": "",
            }
            return groups.create(conn, values, [self.kind["id"]])

        row = self.db.run(write)
        full = self.db.read(groups.get, row["id"])
        self.suite.scheduler.send(
            self.suite.context,
            "create_group",
            group=wire.group(full),
            group_spec=wire.group_spec({**full, "availability_zone": None}, kind),
            request_spec_list=[wire.member_spec({**full, "availability_zone": None}, self.kind, None)],
            group_filter_properties={},
            filter_properties_list=[{}],
        )
        return row["id"]

    def row(self, group_id):
        return self.db.read(backend_groups.group, group_id)

    def cut_row(self, cut):
        return self.db.read(backend_groups.cut, cut)

    def reach(self, read, one, status):
        def there():
            row = read(one)
            return row if row and row["status"] == status else None

        return self.suite.until(there, f"{one} in status {status}")

    def send(self, method, group_id, **args):
        host = self.row(group_id)["host"]
        self.suite.volume_service.send(self.suite.context, method, server=host, **args)

    def update(self, group_id, add=(), remove=()):
        self.db.run(transitions.apply, TRANSITIONS["group update"], group_id)
        group = wire.group(self.db.read(groups.get, group_id))
        self.send("update_group", group_id, group=group, add_volumes=",".join(add), remove_volumes=",".join(remove))

    def filled(self, specs, count=2):
        group = self.create(specs)
        self.reach(self.row, group, "available")
        members = [self.suite.create(kind=self.kind) for _ in range(count)]
        for member in members:
            self.suite.reach(member, "available")
        self.update(group, add=members)
        self.reach(self.row, group, "available")
        return group, members

    def record_cut(self, group_id):
        def write(conn):
            group = groups.get(conn, group_id)
            values = {"group_id": group_id, "group_type_id": group["group_type_id"], "project_id": PROJECT}
            row = group_snapshots.create(conn, {**values, "user_id": "u", "name": "c"})
            for member in groups.volumes(conn, group_id):
                kind = types.get(conn, member["volume_type_id"])["name"]
                quotas.take(conn, quotas.Settings.of(self.suite.conf), PROJECT, create_snapshot(1, kind, True), {})
                one = {
                    "volume_id": member["id"],
                    "group_snapshot_id": row["id"],
                    "status": "creating",
                    "volume_size": member["size"],
                    "volume_type_id": member["volume_type_id"],
                    "project_id": PROJECT,
                    "user_id": "u",
                    "use_quota": True,
                }
                snapshots.create(conn, one, {})
            return row

        return self.db.run(write)

    def cut(self, group_id):
        row = self.record_cut(group_id)
        self.send("create_group_snapshot", group_id, group_snapshot=wire.group_snapshot(row))
        return row["id"]

    def delete_cut(self, cut):
        row = self.cut_row(cut)

        def write(conn):
            transitions.apply(conn, TRANSITIONS["group snapshot delete"], cut)
            group_snapshots.mark_snapshots(conn, cut, "deleting")

        self.db.run(write)
        row = self.db.read(group_snapshots.get, cut)
        self.send("delete_group_snapshot", row["group_id"], group_snapshot=wire.group_snapshot(row))

    def cut_gone(self, cut):
        self.suite.until(lambda: self.cut_row(cut) is None, "the group snapshot is gone")

    def delete(self, group_id, tell=True):
        def write(conn):
            conn.execute(_update("groups", group_id, {"status": "deleting"}))
            for member in groups.volumes(conn, group_id):
                conn.execute(_update("volumes", member["id"], {"status": "deleting"}))

        self.db.run(write)
        if tell:
            self.send("delete_group", group_id, group=wire.group(self.db.read(groups.get, group_id)))

    def gone(self, group_id):
        self.suite.until(lambda: self.row(group_id) is None, "the group is gone")

    def copy(self, cut=None, source=None):
        origin = self.db.read(groups.get, source or self.cut_row(cut)["group_id"])

        def write(conn):
            settings = quotas.Settings.of(self.suite.conf)
            quotas.take(conn, settings, PROJECT, create_group(), {})
            values = {
                "group_type_id": origin["group_type_id"],
                "project_id": PROJECT,
                "user_id": "u",
                "host": origin["host"],
                "group_snapshot_id": cut,
                "source_group_id": source,
            }
            row = groups.create(conn, values, origin["volume_type_ids"])
            made = []
            for member in groups.volumes(conn, origin["id"]):
                quotas.take(conn, settings, PROJECT, with_type({"volumes": 1, "gigabytes": 1}, self.kind["name"]), {})
                made.append(member)
            cuts = group_snapshots.snapshots(conn, cut) if cut else [None] * len(made)
            for member, one in zip(made, cuts, strict=True):
                volumes.create(
                    conn,
                    {
                        **{key: member[key] for key in ("size", "volume_type_id", "host", "multiattach")},
                        "project_id": PROJECT,
                        "user_id": "u",
                        "status": "creating",
                        "attach_status": "detached",
                        "group_id": row["id"],
                        "snapshot_id": one["id"] if one else None,
                        "source_volid": None if one else member["id"],
                    },
                )
            return row

        row = self.db.run(write)
        group = wire.group(self.db.read(groups.get, row["id"]))
        self.send("create_group_from_src", row["id"], group=group, group_snapshot=None, source_group=None)
        return row["id"]

    def members(self, group_id):
        return self.db.read(backend_groups.volumes, group_id)


@pytest.fixture
def grouped(suite):
    return Grouped(suite)


@pytest.fixture(autouse=True)
def nothing_left(suite):
    yield
    assert suite.drift() == ({}, [])
    assert suite.kube.list(GROUP_SNAPSHOT, suite.namespace) == []


def claim_labels(suite):
    return {label for item in suite.kube.list(PVC, suite.namespace) for label in item["metadata"].get("labels") or {}}


@pytest.mark.parametrize("specs", [{}, CONSISTENT], ids=["each by itself", "of one moment"])
def test_a_group_its_snapshot_and_a_copy_of_it(suite, grouped, specs):
    group, members = grouped.filled(specs)
    cut = grouped.cut(group)
    grouped.reach(grouped.cut_row, cut, "available")
    rows = suite.db.read(backend_groups.snapshots, cut)
    assert {row["status"] for row in rows} == {"available"}
    assert {row["volume_id"] for row in rows} == set(members)
    together = suite.kube.list(GROUP_SNAPSHOT, suite.namespace)
    assert [item["metadata"]["name"] for item in together] == ([names.group_snapshot(cut)] if specs else [])
    assert not any("group-snapshot-" in label for label in claim_labels(suite)), "no mark stays on a claim"

    copy = grouped.copy(cut=cut)
    grouped.reach(grouped.row, copy, "available")
    assert {row["status"] for row in grouped.members(copy)} == {"available"}
    sources = {
        suite.kube.get(PVC, names.claim(row["id"]), suite.namespace)["spec"]["dataSource"]["name"]
        for row in grouped.members(copy)
    }
    assert sources == {row["provider_location"] or names.snapshot(row["id"]) for row in rows}

    grouped.delete(copy)
    grouped.gone(copy)
    grouped.delete_cut(cut)
    grouped.cut_gone(cut)
    assert suite.kube.list(SNAPSHOT, suite.namespace) == []
    grouped.delete(group)
    grouped.gone(group)
    for member in members:
        assert suite.row(member) is None


def test_volumes_come_and_go(suite, grouped):
    group, members = grouped.filled({})
    grouped.update(group, remove=members[:1])
    grouped.reach(grouped.row, group, "available")
    assert [row["id"] for row in grouped.members(group)] == members[1:]
    grouped.delete(group)
    grouped.gone(group)
    assert suite.row(members[0])["status"] == "available"
    suite.delete(members[0])
    suite.gone(members[0])


def test_a_volume_taken_meanwhile_leaves_the_group_in_error_and_unchanged(suite, grouped):
    group, members = grouped.filled({}, count=1)
    elsewhere, others = grouped.filled({}, count=1)
    grouped.update(group, add=others, remove=members)
    grouped.reach(grouped.row, group, "error")
    assert [row["id"] for row in grouped.members(group)] == members
    assert [row["id"] for row in grouped.members(elsewhere)] == others
    for one in (group, elsewhere):
        grouped.delete(one)
        grouped.gone(one)


def test_a_copy_of_a_group(suite, grouped):
    group, members = grouped.filled({})
    copy = grouped.copy(source=group)
    grouped.reach(grouped.row, copy, "available")
    for one in (copy, group):
        grouped.delete(one)
        grouped.gone(one)


def test_a_consistent_copy_without_a_group_snapshot_is_refused(suite, grouped):
    group, _ = grouped.filled(CONSISTENT, count=1)
    copy = grouped.copy(source=group)
    grouped.reach(grouped.row, copy, "error")
    assert {row["status"] for row in grouped.members(copy)} == {"error"}
    for one in (copy, group):
        grouped.delete(one)
        grouped.gone(one)


def test_one_moment_is_not_promised_where_the_cluster_cannot_keep_it(suite, grouped):
    group, _ = grouped.filled(CONSISTENT, count=1)
    with without_class(suite):
        cut = grouped.cut(group)
        grouped.reach(grouped.cut_row, cut, "error")
        assert {row["status"] for row in suite.db.read(backend_groups.snapshots, cut)} == {"error"}
        assert suite.kube.list(SNAPSHOT, suite.namespace) == []
        suite.until(lambda: not _cut_together(suite), "the pools say so")
        refused = grouped.create(CONSISTENT)
        grouped.reach(grouped.row, refused, "error")
        plain = grouped.create({})
        grouped.reach(grouped.row, plain, "available")
    suite.until(lambda: _cut_together(suite), "the pools say so")
    grouped.delete_cut(cut)
    grouped.cut_gone(cut)
    for one in (group, plain):
        grouped.delete(one)
        grouped.gone(one)
    suite.db.run(_forget, suite, refused)


def test_a_snapshot_the_storage_refuses_ends_in_error_and_leaves_nothing(suite, grouped):
    group, _ = grouped.filled(CONSISTENT)
    knobs = suite.sim.cluster.knobs
    knobs.set_behaviour("provisioners", "*", {"snapshot": "fails"})
    try:
        cut = grouped.cut(group)
        grouped.reach(grouped.cut_row, cut, "error")
    finally:
        knobs.set_behaviour("provisioners", "*", {"snapshot": "works"})
    assert not any("group-snapshot-" in label for label in claim_labels(suite))
    suite.until(lambda: not suite.kube.list(GROUP_SNAPSHOT, suite.namespace), "it is taken away")
    grouped.delete_cut(cut)
    grouped.cut_gone(cut)
    grouped.delete(group)
    grouped.gone(group)


@pytest.mark.parametrize("specs", [{}, CONSISTENT], ids=["each by itself", "of one moment"])
def test_what_was_asked_goes_on_without_its_messages(suite, grouped, specs):
    group, _ = grouped.filled(specs)
    cut = grouped.record_cut(group)["id"]
    grouped.reach(grouped.cut_row, cut, "available")
    grouped.delete_cut(cut)
    grouped.cut_gone(cut)
    grouped.delete(group, tell=False)
    grouped.gone(group)


def test_a_lost_change_leaves_the_group_as_it_was(suite, grouped):
    group, members = grouped.filled({}, count=1)
    suite.db.run(transitions.apply, TRANSITIONS["group update"], group)
    grouped.reach(grouped.row, group, "available")
    assert [row["id"] for row in grouped.members(group)] == members
    grouped.delete(group)
    grouped.gone(group)


def test_replication_is_refused_as_recorded(suite, grouped):
    group, _ = grouped.filled({}, count=1)
    full = wire.group(suite.db.read(groups.get, group))
    host = grouped.row(group)["host"]
    found = suite.volume_service.send(suite.context, "list_replication_targets", server=host, group=full)
    assert found == {"replication_targets": []}
    grouped.send("enable_replication", group, group=full)
    assert grouped.reach(grouped.row, group, "error")["replication_status"] == "error"
    grouped.delete(group)
    grouped.gone(group)


@contextlib.contextmanager
def without_class(suite):
    """The cluster has no VolumeGroupSnapshotClass as long as the block runs."""
    held = suite.kube.get(GROUP_SNAPSHOT_CLASS, "standard")
    suite.kube.delete(GROUP_SNAPSHOT_CLASS, "standard")
    try:
        yield
    finally:
        kept = {key: held["metadata"][key] for key in ("name", "annotations")}
        suite.kube.create(GROUP_SNAPSHOT_CLASS, {**held, "metadata": kept})


def _cut_together(suite):
    pools = suite.scheduler.send(suite.context, "get_pools")
    return any(pool["capabilities"].get("consistent_group_snapshot_enabled") for pool in pools)


def _forget(conn, suite, group_id):
    """A group that never had a host goes with the API alone."""
    quotas.give_back(conn, quotas.Settings.of(suite.conf), PROJECT, {"groups": -1})
    groups.destroy(conn, group_id)

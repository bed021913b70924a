"""os-migrateLive and evacuate by microversion."""

import pytest

from keel_common.db.stores.nova import faults
from keel_contract.errors import RemoteFault, RpcTimeout

from .moves import act, actions, migrations, node, only, row, share


@pytest.mark.parametrize(
    ("version", "args", "method", "expected"),
    [
        ("2.1", {"block_migration": False, "disk_over_commit": "true"}, "migrate_server", (False, True)),
        ("2.25", {"block_migration": "auto"}, "migrate_server", (None, None)),
        ("2.33", {"block_migration": "yes"}, "migrate_server", (True, None)),
        ("2.34", {"block_migration": "auto"}, "live_migrate_instance", (None, None)),
        ("2.104", {"block_migration": False}, "live_migrate_instance", (False, None)),
    ],
)
def test_a_live_migration_is_waited_for_below_2_34(cloud, admin, version, args, method, expected):
    uuid = cloud.server()
    assert act(cloud, uuid, "os-migrateLive", {"host": None, **args}, version, who=admin).status == 202
    name, sent = only(cloud)
    assert (name, (sent["block_migration"], sent["disk_over_commit"])) == (method, expected)
    assert sent["scheduler_hint"] == {"host": None} and sent["instance"].task_state == "migrating"
    assert method == "live_migrate_instance" or (sent["how"], sent["live"], sent["flavor"]) == ("call", True, None)
    assert row(cloud, uuid, "task_state") == "migrating" and actions(cloud) == ["live-migration"]


@pytest.mark.parametrize(
    ("version", "force", "destination"),
    [
        ("2.29", None, None),
        ("2.30", None, "node-2"),
        ("2.30", True, None),
        ("2.67", "false", "node-2"),
        ("2.68", None, "node-2"),
    ],
)
def test_the_scheduler_checks_a_host_unless_it_is_forced(cloud, admin, version, force, destination):
    node(cloud, "node-2")
    args = {"host": "node-2", "block_migration": "auto"} | ({} if force is None else {"force": force})
    assert act(cloud, cloud.server(), "os-migrateLive", args, version, who=admin).status == 202
    sent = only(cloud)[1]
    target = sent["request_spec"].requested_destination
    assert sent["scheduler_hint"] == {"host": "node-2"} and (target and target.host) == destination


@pytest.mark.parametrize(
    ("version", "args", "code"),
    [
        ("2.30", {"host": None, "force": True}, 400),
        ("2.34", {"host": "nowhere"}, 400),
        ("2.68", {"host": "node-2", "force": True}, 400),
    ],
)
def test_wrong_live_migrations_are_refused_before_anything_changes(cloud, admin, version, args, code):
    uuid = cloud.server()
    assert act(cloud, uuid, "os-migrateLive", {"block_migration": "auto", **args}, version, who=admin).status == code
    assert row(cloud, uuid, "task_state") is None and actions(cloud) == []


def test_managers_migrate_live_without_a_host(cloud, manager):
    uuid = cloud.server()
    args = {"host": "node-2", "block_migration": "auto"}
    assert act(cloud, uuid, "os-migrateLive", args, who=manager).status == 403
    assert act(cloud, uuid, "os-migrateLive", {**args, "host": None}, who=manager).status == 202


def test_what_the_conductor_refuses_is_400_below_2_34(cloud, admin):
    cloud.api.bus.answers["migrate_server"] = RemoteFault("NoValidHost", "none left", "")
    uuid = cloud.server()
    args = {"host": None, "block_migration": "auto"}
    reply = act(cloud, uuid, "os-migrateLive", args, "2.33", who=admin)
    assert (reply.status, reply.message) == (400, "none left")


def test_a_conductor_that_does_not_answer_leaves_a_fault(cloud, admin):
    cloud.api.bus.answers["migrate_server"] = RpcTimeout("no answer")
    uuid = cloud.server()
    assert (
        act(cloud, uuid, "os-migrateLive", {"host": None, "block_migration": "auto"}, "2.33", who=admin).status >= 500
    )
    assert cloud.cell.read(faults.latest, uuid)["message"] == "no answer"
    assert row(cloud, uuid, "task_state") == "migrating"  # it may be under way


def evacuated(cloud, args, version="2.104", who=None, **values):
    cloud.service("node-1", forced_down=True)
    uuid = cloud.server(**values)
    return uuid, act(cloud, uuid, "evacuate", args, version, who=who)


@pytest.mark.parametrize(
    ("version", "args", "expected"),
    [
        ("2.13", {"onSharedStorage": False, "adminPass": "p"}, {"on_shared_storage": False, "new_pass": "p"}),
        ("2.13", {"onSharedStorage": True}, {"on_shared_storage": True, "new_pass": None}),
        ("2.14", {"adminPass": "p"}, {"on_shared_storage": None, "new_pass": "p"}),
        ("2.94", {}, {"target_state": None}),
        ("2.95", {}, {"target_state": "stopped", "recreate": True, "bdms": None, "image_ref": None}),
    ],
)
def test_an_evacuation_rebuilds_elsewhere(cloud, admin, version, args, expected):
    uuid, reply = evacuated(cloud, args, version, admin)
    assert reply.status == 200
    assert version != "2.13" or reply.body == {"adminPass": expected["new_pass"]}
    assert version == "2.13" or reply.raw == b""
    method, sent = only(cloud)
    assert method == "rebuild_instance" and expected.items() <= sent.items()
    assert version == "2.13" or sent["new_pass"]
    (made,) = migrations(cloud)
    assert (made["migration_type"], made["status"], made["source_compute"]) == ("evacuation", "accepted", "node-1")
    assert row(cloud, uuid, "task_state") == "rebuilding" and actions(cloud) == ["evacuate"]


@pytest.mark.parametrize(
    ("version", "force", "host", "destination"),
    [
        ("2.28", None, "node-2", None),
        ("2.29", None, None, "node-2"),
        ("2.29", True, "node-2", None),
        ("2.68", None, None, "node-2"),
    ],
)
def test_the_scheduler_checks_the_host_of_an_evacuation_unless_forced(cloud, admin, version, force, host, destination):
    node(cloud, "node-2")
    args = {"host": "node-2"} | ({} if force is None else {"force": force})
    _, reply = evacuated(cloud, args, version, admin)
    assert reply.status == 200
    sent = only(cloud)[1]
    target = sent["request_spec"].requested_destination
    assert sent["host"] == host and (target and target.host) == destination
    assert migrations(cloud)[0]["dest_compute"] == "node-2"


@pytest.mark.parametrize(
    ("version", "args", "code"),
    [
        ("2.13", {"onSharedStorage": True, "adminPass": "p"}, 400),
        ("2.29", {"force": True}, 400),
        ("2.104", {"host": "node-1"}, 400),
        ("2.104", {"host": "nowhere"}, 404),
    ],
)
def test_wrong_evacuations_are_refused(cloud, admin, version, args, code):
    uuid, reply = evacuated(cloud, args, version, admin)
    assert reply.status == code and migrations(cloud) == [] and row(cloud, uuid, "task_state") is None


def test_old_computes_cannot_leave_an_evacuated_server_stopped(cloud, admin):
    cloud.service("old", version=61)
    assert evacuated(cloud, {}, "2.95", admin)[1].status == 400


def test_an_evacuation_nobody_heard_of_ends_in_error(cloud, admin):
    cloud.api.bus.answers["rebuild_instance"] = ConnectionError("no broker")
    uuid, reply = evacuated(cloud, {}, who=admin, task_state="powering-off")
    assert reply.status == 500 and row(cloud, uuid, "task_state") == "powering-off"
    assert migrations(cloud)[0]["status"] == "error"


@pytest.mark.parametrize(
    ("action", "args"),
    [
        ("evacuate", {}),
        ("os-migrateLive", {"host": None, "block_migration": "auto"}),
        ("shelve", None),
    ],
)
def test_servers_with_shares_stay(cloud, admin, action, args):
    cloud.service("node-1", forced_down=action == "evacuate")
    uuid = cloud.server()
    share(cloud, uuid)
    assert act(cloud, uuid, action, args, who=admin).status == 409

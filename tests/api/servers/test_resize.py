"""resize, migrate, confirmResize, revertResize and the deletion of a resized server."""

import pytest

from keel_common.db import schema

from .moves import LARGE, act, actions, created, flavor, flavors_of, migration, migrations, node, only, row, share
from .rows import FLAVOR


@pytest.fixture
def large(cloud):
    flavor(cloud, LARGE)
    cloud.service()
    return cloud


def test_a_resize_goes_to_the_conductor_with_the_new_flavor(large):
    uuid = large.server()
    assert act(large, uuid, "resize", {"flavorRef": "large", "OS-DCF:diskConfig": "AUTO"}).status == 202
    method, sent = only(large)
    assert (method, sent["how"], sent["live"], sent["flavor"].flavorid) == ("migrate_server", "cast", False, "large")
    assert sent["scheduler_hint"] == {"filter_properties": {"ignore_hosts": ["node-1"]}}
    spec = sent["request_spec"]
    assert spec.ignore_hosts == ["node-1"] and spec.requested_destination.allow_cross_cell_move is False
    assert sent["instance"].task_state == "resize_prep" and sent["instance"].flavor.flavorid == "small"
    assert row(large, uuid, "task_state", "progress", "auto_disk_config") == ("resize_prep", 0, True)
    assert actions(large) == ["resize"]


def test_the_same_host_may_be_chosen_when_the_operator_says_so(large):
    large.api.set("allow_resize_to_same_host", True)
    act(large, large.server(), "resize", {"flavorRef": "large"})
    assert only(large)[1]["request_spec"].ignore_hosts == []


def test_a_stored_request_spec_is_the_one_that_is_sent(large, wish):
    uuid = created(large, wish(availability_zone="nova"))
    assert act(large, uuid, "resize", {"flavorRef": "large"}).status == 202
    assert only(large)[1]["request_spec"].availability_zone == "nova"


@pytest.mark.parametrize(
    ("change", "code", "text"),
    [
        ({"flavorid": "small"}, 400, "must change flavor"),
        ({"flavorid": "unknown"}, 400, "could not be found"),
        ({"disabled": True}, 400, "could not be found"),
        ({"root_gb": 0}, 400, "zero disk"),
        ({"extra_specs": {"accel:device_profile": "p"}}, 400, "accelerators"),
        ({"vcpus": 21}, 403, "Quota exceeded for cores"),
    ],
)
def test_a_flavor_that_does_not_go_is_refused(cloud, change, code, text):
    cloud.service()
    wanted = {**LARGE, **change}
    if wanted["flavorid"] == "large":
        flavor(cloud, wanted)
    reply = act(cloud, cloud.server(), "resize", {"flavorRef": wanted["flavorid"]})
    assert reply.status == code and text in reply.message
    assert cloud.api.bus.sent == [] and actions(cloud) == []


def test_a_private_flavor_of_another_project_can_be_resized_to(cloud):
    """As recorded: resize looks at no access list."""
    cloud.service()
    flavor(cloud, {**LARGE, "is_public": False})
    assert act(cloud, cloud.server(), "resize", {"flavorRef": "large"}).status == 202


@pytest.mark.parametrize("action", ["resize", "migrate"])
def test_shares_move_only_when_every_compute_can(cloud, admin, action):
    flavor(cloud, LARGE)
    cloud.service(version=73)
    uuid = cloud.server()
    share(cloud, uuid)
    args = {"flavorRef": "large"} if action == "resize" else None
    assert act(cloud, uuid, action, args, who=admin).status == 409
    services = schema.nova_cell.tables["services"]
    cloud.cell.run(lambda conn: conn.execute(services.update().values(version=74)))
    assert act(cloud, uuid, action, args, who=admin).status == 202


def test_a_migration_to_a_host_names_its_node(large, admin):
    node(large, "node-2")
    uuid = large.server()
    assert act(large, uuid, "migrate", {"host": "node-1"}, who=admin).status == 400
    assert act(large, uuid, "migrate", {"host": "nowhere"}, who=admin).status == 400
    assert act(large, uuid, "migrate", {"host": "node-2"}, who=admin).status == 202
    method, sent = only(large)
    target = sent["request_spec"].requested_destination
    assert (method, target.host, target.node) == ("migrate_server", "node-2", "node-2.local")
    assert sent["flavor"].flavorid == "small" and actions(large) == ["migrate"]


def test_managers_migrate_and_only_administrators_name_the_host(large, manager):
    uuid = large.server()
    assert act(large, uuid, "migrate", {"host": "node-2"}, who=manager).status == 403
    assert act(large, uuid, "migrate", who=manager).status == 202


def test_the_host_of_migrate_is_no_matter_below_2_56(large, admin):
    assert act(large, large.server(), "migrate", {"host": "nowhere"}, who=admin, version="2.55").status == 202
    assert not only(large)[1]["request_spec"].requested_destination.is_set("host")


def resized(cloud, **values):
    uuid = cloud.server(vm_state="resized", host="node-2", node="node-2", **values)
    flavors_of(cloud, uuid, LARGE, FLAVOR)
    migration(cloud, uuid, old_instance_type_id=1, new_instance_type_id=2)
    return uuid


def test_a_confirmation_goes_to_the_source(cloud):
    cloud.service("node-1")
    uuid = resized(cloud)
    reply = act(cloud, uuid, "confirmResize")
    assert (reply.status, reply.raw) == (204, b"")
    method, sent = only(cloud)
    assert (method, sent["server"], sent["how"]) == ("confirm_resize", "node-1", "cast")
    assert sent["migration"].status == "confirming" and sent["instance"].old_flavor.flavorid == "small"
    assert migrations(cloud)[0]["status"] == "confirming"
    assert row(cloud, uuid, "task_state") is None and actions(cloud) == ["confirmResize"]


def test_a_confirmation_that_cannot_leave_is_taken_back(cloud):
    cloud.service("node-1")
    cloud.api.bus.answers["confirm_resize"] = ConnectionError("no broker")
    assert act(cloud, resized(cloud), "confirmResize").status == 500
    assert migrations(cloud)[0]["status"] == "finished"


def test_a_confirmation_needs_the_source(cloud):
    cloud.service("node-1", forced_down=True)
    assert act(cloud, resized(cloud), "confirmResize").status == 409


@pytest.mark.parametrize("action", ["confirmResize", "revertResize"])
def test_without_a_finished_migration_there_is_nothing_to_end(cloud, action):
    cloud.service("node-1")
    uuid = cloud.server(vm_state="resized")
    migration(cloud, uuid, status="confirming")
    assert act(cloud, uuid, action).status == 400
    assert cloud.api.bus.sent == []


def test_a_reversal_goes_to_the_destination_with_the_old_flavor(cloud):
    uuid = resized(cloud, availability_zone="other")
    assert act(cloud, uuid, "revertResize").status == 202
    method, sent = only(cloud)
    assert (method, sent["server"]) == ("revert_resize", "node-2")
    assert sent["migration"].status == "reverting" and sent["request_spec"].flavor.flavorid == "small"
    assert row(cloud, uuid, "task_state", "availability_zone") == ("resize_reverting", "nova")
    assert migrations(cloud)[0]["status"] == "reverting" and actions(cloud) == ["revertResize"]


def test_a_move_between_cells_is_ended_by_the_conductor(cloud):
    cloud.service("node-1")
    for action, method in (
        ("confirmResize", "confirm_snapshot_based_resize"),
        ("revertResize", "revert_snapshot_based_resize"),
    ):
        uuid = cloud.server(vm_state="resized", host="node-2")
        flavors_of(cloud, uuid, LARGE, FLAVOR)
        migration(cloud, uuid, cross_cell_move=True)
        act(cloud, uuid, action)
        assert cloud.api.bus.sent[-1][0] == method


def test_going_back_to_a_larger_flavor_needs_quota(cloud):
    cloud.api.set("cores", 2, "quota")
    uuid = cloud.server(vm_state="resized", vcpus=1)
    flavors_of(cloud, uuid, FLAVOR, {**LARGE, "vcpus": 4})
    migration(cloud, uuid)
    assert act(cloud, uuid, "revertResize").status == 403


def test_the_deletion_of_a_resized_server_confirms_first(cloud):
    cloud.service("node-1")
    cloud.service("node-2")
    uuid = resized(cloud)
    assert cloud.api.delete(f"/servers/{uuid}").status == 204
    assert [(method, sent.get("how")) for method, sent in cloud.api.bus.sent] == [
        ("confirm_resize", "call"),
        ("terminate_instance", None),
    ]
    assert actions(cloud) == ["confirmResize", "delete"]
    assert row(cloud, uuid, "task_state") == "deleting"


def test_a_dead_source_does_not_hold_a_deletion_up(cloud):
    cloud.service("node-2")
    assert cloud.api.delete(f"/servers/{resized(cloud)}").status == 204
    assert cloud.api.bus.methods() == ["terminate_instance"] and actions(cloud) == ["delete"]

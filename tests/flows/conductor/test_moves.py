"""Moves of a server: what is claimed and recorded before a compute is told, and what a failure leaves behind
(nova 34.0.0 flows 5 to 8 and 10)."""

import json
import uuid

import pytest

from keel_common.clients import errors as client_errors
from keel_common.db import add, schema
from keel_common.db.stores.nova import compute_nodes, services
from keel_common.wire.image import image_meta
from keel_conductor.endpoints.compute_task import TaskEndpoint
from keel_contract.bus import Endpoint
from keel_contract.errors import ExpectedFault
from keel_contract.nova import interfaces, objects

IMAGE = "70a599e0-31e7-49b7-b260-868f441e862b"


class Places:
    """Allocations by consumer: provider uuids. `full`: providers that refuse."""

    def __init__(self):
        self.held, self.full = {}, set()

    def claim(self, consumer, request, project, user):
        (provider,) = request["allocations"]
        if provider in self.full:
            return False
        self.held[consumer] = provider
        return True

    def get_allocations(self, consumer):
        held = self.held.get(consumer)
        return {"allocations": {held: {"resources": {"VCPU": 1}}} if held else {}}

    def delete_allocations(self, consumer):
        return self.held.pop(consumer, None) is not None

    def move_allocations(self, source, target):
        if source not in self.held:
            return False
        self.held[target] = self.held.pop(source)
        return True


@pytest.fixture
def world(cloud):
    """A cloud with servers on real rows; Placement writes down what it is told."""
    placement = cloud.placement = cloud.scheduler.placement = Places()
    cloud.peers.clients.placement = placement
    cloud.nodes = {name: node(cloud, name) for name in ("node-1", "node-2")}
    for name in cloud.nodes:
        part = cloud.bus.server("compute-alt", name, [Endpoint(interfaces.COMPUTE, cloud.compute)])
        cloud.parts.append(part)
        part.start()
    cloud.scheduler.providers = {name: row["uuid"] for name, row in cloud.nodes.items()}
    return cloud


def node(cloud, name):
    service = {"host": name, "binary": "nova-compute", "topic": "compute", "report_count": 1}
    cloud.cell.db.run(services.create, service)
    values = {
        "host": name, "hypervisor_hostname": name, "hypervisor_type": "kubevirt", "hypervisor_version": 1000000,
        "vcpus": 8, "memory_mb": 8192, "local_gb": 100, "vcpus_used": 0, "memory_mb_used": 512, "local_gb_used": 0,
        "ram_allocation_ratio": 1.0, "cpu_info": "{}", "uuid": str(uuid.uuid4()),
    }  # fmt: skip
    return cloud.cell.db.run(compute_nodes.create, values)


def server(world, task_state, vm_state="active", host="node-1", **more):
    """A server on a host, as it is when the API casts to the conductor; its spec."""
    requests, specs, devices = world.asked()
    world.build(requests, specs, devices)
    world.until(lambda: world.compute.built)
    instance = world.compute.built.pop()[1]["instance"]
    values = {
        "vm_state": vm_state,
        "task_state": task_state,
        "power_state": 1,
        "host": host,
        "node": host,
        "compute_id": 1,
        **more,
    }
    for name, value in values.items():
        setattr(instance, name, value)
    world.remote.action(world.context(is_admin=True), instance, "save")
    world.placement.held = {instance.uuid: world.nodes["node-1"]["uuid"]}
    world.scheduler.calls.clear()
    return instance, specs[0]


def context_of(world, instance, action):
    context = world.context()
    row = {
        "action": action, "instance_uuid": instance.uuid, "request_id": context.request_id,
        "user_id": context.user_id, "project_id": context.project_id,
    }  # fmt: skip
    world.cell.db.run(add, schema.nova_cell.tables["instance_actions"], row)
    return context


def task(world):
    return TaskEndpoint(world.peers)


def told(world, name):
    world.until(lambda: any(each[0] == name for each in world.compute.told))
    return next(args for each, args in world.compute.told if each == name)


def events(world):
    return {row["event"]: row["result"] for row in world.rows("instance_actions_events")}


def state(world, instance):
    row = world.row("instances", uuid=instance.uuid)
    return row["vm_state"], row["task_state"]


def resize(world, instance, spec, flavor, hint=None, host_list=None):
    context = context_of(world, instance, "resize")
    task(world).migrate_server(
        context, instance, hint, False, False, flavor, None, None, request_spec=spec, host_list=host_list
    )


# -- resize and cold migration


def test_a_resize_claims_the_destination_and_tells_it_to_prepare(world):
    instance, spec = server(world, "resize_prep")
    big = world.flavor(id=2, flavorid="2", memory_mb=1024)
    world.scheduler.hosts = ["node-2", "node-1"]
    resize(world, instance, spec, big)
    args = told(world, "prep_resize")
    (migration,) = world.rows("migrations")
    assert (migration["status"], migration["migration_type"], migration["source_compute"]) == (
        "pre-migrating", "resize", "node-1",
    )  # fmt: skip
    assert (migration["old_instance_type_id"], migration["new_instance_type_id"]) == (1, 2)
    assert (args["migration"].uuid, args["node"], args["flavor"].id) == (migration["uuid"], "node-2", 2)
    assert [each.service_host for each in args["host_list"]] == ["node-1"]
    assert args["filter_properties"]["retry"] == {"num_attempts": 1, "hosts": [["node-2", "node-2"]]}
    assert world.placement.held == {
        instance.uuid: world.nodes["node-2"]["uuid"], migration["uuid"]: world.nodes["node-1"]["uuid"],
    }  # fmt: skip
    asked = world.scheduler.calls[0][0]
    assert asked.flavor.id == 2 and asked.requested_destination.cell.uuid == world.cell_uuid
    kept = json.loads(world.row("request_specs", instance_uuid=instance.uuid)["spec"])
    assert kept["nova_object.data"]["flavor"]["nova_object.data"]["id"] == 2
    assert events(world)["cold_migrate"] == events(world)["conductor_migrate_server"] == "Success"


def test_the_image_of_a_resize_travels_as_a_dict(world):
    instance, spec = server(world, "resize_prep")
    spec.image = image_meta({"id": IMAGE, "min_ram": 0, "properties": {"hw_disk_bus": "virtio"}})
    resize(world, instance, spec, world.flavor(id=2))
    assert told(world, "prep_resize")["image"] == {
        "id": IMAGE, "min_ram": 0, "properties": {"hw_disk_bus": "virtio"},
    }  # fmt: skip


def test_a_resize_that_fits_nowhere_leaves_the_server_as_it_was(world):
    instance, spec = server(world, "resize_prep")
    world.scheduler.refusal = "no host has room"
    with pytest.raises(ExpectedFault) as caught:
        resize(world, instance, spec, world.flavor(id=2))
    assert caught.value.class_name == "NoValidHost"
    assert state(world, instance) == ("active", None)
    assert world.row("migrations")["status"] == "error"
    assert world.placement.held == {instance.uuid: world.nodes["node-1"]["uuid"]}
    assert "no host has room" in world.rows("instance_faults")[-1]["message"]
    assert events(world)["cold_migrate"] == "Error"
    assert not [name for name, _ in world.compute.told if name == "prep_resize"]


def test_a_destination_that_failed_is_followed_by_the_next_that_has_room(world):
    instance, spec = server(world, "resize_prep")
    left = [world.scheduler.selection("node-1"), world.scheduler.selection("node-2")]
    world.placement.full = {world.nodes["node-1"]["uuid"]}
    hint = {"filter_properties": {"retry": {"num_attempts": 1, "hosts": [["node-0", "node-0"]], "exc_reason": "full"}}}
    resize(world, instance, spec, world.flavor(id=2), hint, left)
    args = told(world, "prep_resize")
    assert (args["node"], args["host_list"]) == ("node-2", [])
    assert args["filter_properties"]["retry"]["num_attempts"] == 2
    assert world.scheduler.calls == []


def test_the_record_of_a_first_attempt_is_used_again(world):
    instance, spec = server(world, "resize_prep")
    resize(world, instance, spec, world.flavor(id=2))
    world.placement.held = {instance.uuid: world.nodes["node-1"]["uuid"]}
    resize(world, instance, spec, world.flavor(id=2), host_list=[world.scheduler.selection("node-2")])
    assert len(world.rows("migrations")) == 1


def test_a_host_named_by_the_administrator_has_no_alternates_and_no_retry(world):
    instance, spec = server(world, "resize_prep")
    spec.requested_destination = objects.Destination(host="node-2", node="node-2")
    world.scheduler.hosts = ["node-2"]
    resize(world, instance, spec, instance.flavor)
    args = told(world, "prep_resize")
    assert world.scheduler.calls[0][3] is False
    assert "retry" not in args["filter_properties"]
    assert world.row("migrations")["migration_type"] == "migration"


def test_a_server_deleted_meanwhile_stays_deleted(world):
    instance, spec = server(world, "resize_prep")
    world.scheduler.refusal = "none"
    world.remote.action(world.context(is_admin=True), instance, "destroy")
    with pytest.raises(ExpectedFault):
        resize(world, instance, spec, world.flavor(id=2))
    assert world.row("instances", uuid=instance.uuid)["deleted"] != 0


# -- live migration


def live(world, instance, spec, host=None):
    context = context_of(world, instance, "live-migration")
    hint = {"host": host} if host else {}
    task(world).live_migrate_instance(context, instance, hint, False, False, spec)


def test_a_live_migration_is_checked_bound_and_given_to_the_source(world):
    instance, spec = server(world, "migrating")
    world.scheduler.hosts = ["node-2"]
    live(world, instance, spec)
    args = told(world, "live_migration")
    migration = world.row("migrations")
    assert (migration["migration_type"], migration["status"], migration["dest_compute"], migration["dest_node"]) == (
        "live-migration", "accepted", "node-2", "node-2",
    )  # fmt: skip
    assert (args["dest"], args["migration"].dest_compute, args["migrate_data"].block_migration) == (
        "node-2", "node-2", False,
    )  # fmt: skip
    assert world.scheduler.calls[0][0].ignore_hosts == ["node-1"]
    assert world.placement.held[migration["uuid"]] == world.nodes["node-1"]["uuid"]
    assert events(world)["conductor_live_migrate_instance"] == "Success"


def test_a_destination_that_refuses_is_not_asked_again(world):
    instance, spec = server(world, "migrating")
    world.scheduler.hosts = ["node-2"]
    world.compute.refusals = [ExpectedFault("MigrationPreCheckError", "no shared disk", reason="no")]
    live(world, instance, spec)
    told(world, "live_migration")
    assert world.scheduler.calls[-1][0].ignore_hosts == ["node-1", "node-2"]


@pytest.mark.parametrize(
    ("refusal", "left"),
    [("NoValidHost", ("active", None)), ("Unheard", ("error", None))],
)
def test_what_a_failed_live_migration_leaves(world, refusal, left):
    instance, spec = server(world, "migrating")
    if refusal == "NoValidHost":
        world.scheduler.refusal = "full"
    else:
        world.compute.refusals = [RuntimeError("boom")]
    with pytest.raises(Exception, match="full|RuntimeError|boom"):
        live(world, instance, spec)
    assert state(world, instance) == left
    assert world.row("migrations")["status"] == "error"
    assert world.placement.held == {instance.uuid: world.nodes["node-1"]["uuid"]}


@pytest.mark.parametrize(
    ("prepare", "refusal"),
    [
        (lambda world, instance: setattr(instance, "power_state", 4), "InstanceInvalidState"),
        (lambda world, instance: force_down(world, "node-1"), "ComputeServiceUnavailable"),
        (lambda world, instance: force_down(world, "node-2"), "ComputeServiceUnavailable"),
        (lambda world, instance: setattr(instance, "memory_mb", 8000), "MigrationPreCheckError"),
        (lambda world, instance: world.placement.full.add(world.nodes["node-2"]["uuid"]), "MigrationPreCheckError"),
    ],
)
def test_a_forced_host_is_checked_here(world, prepare, refusal):
    instance, spec = server(world, "migrating")
    prepare(world, instance)
    with pytest.raises(ExpectedFault) as caught:
        live(world, instance, spec, "node-2")
    assert caught.value.class_name == refusal
    assert state(world, instance) == ("active", None)
    assert world.placement.held == {instance.uuid: world.nodes["node-1"]["uuid"]}


def force_down(world, host):
    table = schema.nova_cell.tables["services"]
    change = table.update().where(table.c.host == host).values(forced_down=True)
    world.cell.db.run(lambda conn: conn.execute(change))


def test_a_forced_host_is_claimed_without_the_scheduler(world):
    instance, spec = server(world, "migrating")
    live(world, instance, spec, "node-2")
    assert told(world, "live_migration")["dest"] == "node-2"
    assert world.scheduler.calls == []
    assert world.placement.held[instance.uuid] == world.nodes["node-2"]["uuid"]


# -- rebuild and evacuation


def rebuild(world, instance, spec, **more):
    context = context_of(world, instance, "rebuild")
    args = {
        "orig_image_ref": "old", "image_ref": IMAGE, "injected_files": [], "new_pass": "p", "orig_sys_metadata": {},
        "bdms": None, "request_spec": spec, **more,
    }  # fmt: skip
    task(world).rebuild_instance(context, instance, **args)


def test_the_same_image_is_rebuilt_without_the_scheduler(world):
    instance, spec = server(world, "rebuilding")
    rebuild(world, instance, spec, host="node-1")
    args = told(world, "rebuild_instance")
    assert (args["scheduled_node"], args["migration"], args["recreate"]) == (None, None, False)
    assert world.scheduler.calls == []
    assert events(world)["rebuild_server"] == "Success"


def test_an_image_that_does_not_fit_is_rolled_back(world):
    instance, spec = server(world, "rebuilding")
    world.scheduler.refusal = "the image wants another machine"
    with pytest.raises(Exception, match="another machine"):
        rebuild(world, instance, spec)
    row = world.row("instances", uuid=instance.uuid)
    assert (row["vm_state"], row["task_state"], row["image_ref"]) == ("error", None, "old")


def evacuation(world, instance):
    row = {
        "instance_uuid": instance.uuid, "source_compute": "node-1", "source_node": "node-1", "status": "accepted",
        "migration_type": "evacuation", "uuid": str(uuid.uuid4()), "hidden": False, "cross_cell_move": False,
    }  # fmt: skip
    world.cell.db.run(add, schema.nova_cell.tables["migrations"], row)


def test_an_evacuation_avoids_the_lost_host(world):
    instance, spec = server(world, "rebuilding")
    evacuation(world, instance)
    spec.force_hosts = ["node-1"]
    world.scheduler.hosts = ["node-2"]
    rebuild(world, instance, spec, recreate=True, on_shared_storage=None)
    args = told(world, "rebuild_instance")
    asked = world.scheduler.calls[0][0]
    assert (asked.ignore_hosts, asked.force_hosts) == (["node-1"], None)
    assert (args["scheduled_node"], args["migration"].migration_type) == ("node-2", "evacuation")


def test_an_evacuation_forced_to_a_host_claims_there(world):
    instance, spec = server(world, "rebuilding")
    evacuation(world, instance)
    rebuild(world, instance, spec, recreate=True, host="node-2")
    assert told(world, "rebuild_instance")["scheduled_node"] == "node-2"
    assert world.placement.held[instance.uuid] == world.nodes["node-2"]["uuid"]


def test_an_evacuation_with_nowhere_to_go(world):
    instance, spec = server(world, "rebuilding")
    evacuation(world, instance)
    world.scheduler.refusal = "full"
    with pytest.raises(Exception, match="full"):
        rebuild(world, instance, spec, recreate=True)
    assert state(world, instance) == ("error", None)
    assert world.row("migrations")["status"] == "error"


# -- unshelve


class Glance:
    def __init__(self, *images):
        self.images = images

    def show(self, context, image_id):
        if image_id not in self.images:
            raise client_errors.NotFound(404, "gone", "image")
        return {"id": image_id, "name": "shelved", "status": "active", "min_ram": 0, "min_disk": 0}


def unshelve(world, instance, spec):
    task(world).unshelve_instance(context_of(world, instance, "unshelve"), instance, spec)


def test_a_server_that_kept_its_host_is_started_there(world):
    instance, spec = server(world, "unshelving", "shelved")
    unshelve(world, instance, spec)
    assert told(world, "start_instance")["instance"].uuid == instance.uuid
    assert state(world, instance) == ("shelved", "powering-on")


def test_an_offloaded_server_gets_a_new_host(world):
    instance, spec = server(world, "unshelving", "shelved_offloaded", host=None, system_metadata=shelved())
    world.peers.clients.glance = Glance(IMAGE)
    world.scheduler.hosts = ["node-2"]
    unshelve(world, instance, spec)
    args = told(world, "unshelve_instance")
    assert (args["image"]["id"], args["node"]) == (IMAGE, "node-2")
    assert events(world) == {"get_image_info": "Success", "schedule_instances": "Success"} | build_event(world)


def build_event(world):
    return {
        name: result for name, result in events(world).items() if name not in ("get_image_info", "schedule_instances")
    }


def shelved():
    return {"shelved_image_id": IMAGE, "shelved_at": "2026-12-01T00:00:00", "shelved_host": "node-1"}


def test_an_offloaded_server_with_nowhere_to_go_stays_shelved(world):
    instance, spec = server(world, "unshelving", "shelved_offloaded", host=None, system_metadata=shelved())
    world.peers.clients.glance = Glance(IMAGE)
    world.scheduler.refusal = "full"
    with pytest.raises(Exception, match="full"):
        unshelve(world, instance, spec)
    assert state(world, instance) == ("shelved_offloaded", None)


def test_a_shelved_server_without_its_image_is_in_error(world):
    instance, spec = server(world, "unshelving", "shelved_offloaded", host=None, system_metadata=shelved())
    world.peers.clients.glance = Glance()
    with pytest.raises(ExpectedFault) as caught:
        unshelve(world, instance, spec)
    assert caught.value.class_name == "UnshelveException"
    assert state(world, instance) == ("error", None)

"""Resize and cold migration between two nodes of the cluster, confirmed and reverted."""

import pytest

from keel_common.clients import errors
from keel_common.kube import PVC, VM
from keel_contract.nova import objects


def flavor(number=2, root=1, memory=1024):
    return objects.Flavor(
        id=number,
        name=f"m{number}",
        flavorid=str(number),
        vcpus=2,
        memory_mb=memory,
        root_gb=root,
        ephemeral_gb=0,
        swap=0,
        extra_specs={},
    )


def ask_move(world, server, wanted, dest="node-2", **more):
    """What API and conductor do before the destination is told: task, record, claims."""
    row, peers = world.row(server), world.peers.placement
    migration = world.conductor.add_migration(
        instance_uuid=server, source_compute=row.host, source_node=row.node, new_instance_type_id=wanted.id
    )
    peers.move_allocations(server, migration.uuid)
    peers.allocations[server] = world.conductor.computes[dest].uuid
    world.task(server, "resize_prep")
    asked = {
        "image": {},
        "flavor": wanted,
        "request_spec": None,
        "filter_properties": {},
        "node": dest,
        "clean_shutdown": True,
        "migration": migration.obj_clone(),
        "host_list": None,
    }
    world.compute.send(world.context(), "prep_resize", server=dest, instance=world.row(server), **(asked | more))
    return migration


def resize(world, server, wanted, dest="node-2"):
    migration = ask_move(world, server, wanted, dest)
    world.reach(server, "resized")
    return migration


def confirm(world, server, migration):
    migration.status = "confirming"
    world.compute.send(
        world.context(),
        "confirm_resize",
        server=migration.source_compute,
        instance=world.row(server),
        migration=migration.obj_clone(),
        how="cast",
    )


def revert(world, server, migration):
    migration.status = "reverting"
    world.task(server, "resize_reverting")
    world.compute.send(
        world.context(),
        "revert_resize",
        server=migration.dest_compute,
        instance=world.row(server),
        migration=migration.obj_clone(),
        request_spec=None,
    )


def template(world, server):
    return world.kube.get(VM, f"nova-{server}", "servers")["spec"]["template"]["spec"]


def where(world, server):
    return template(world, server)["nodeSelector"]["kubernetes.io/hostname"]


def holds(world, consumer):
    names = {each.uuid: host for host, each in world.conductor.computes.items()}
    return names.get(world.peers.placement.allocations.get(consumer))


@pytest.fixture
def server(world):
    made = world.boot()
    yield made
    world.delete(made)
    world.nothing_left(made)


@pytest.fixture
def attached(world, server):
    volume = world.volume()
    mapping = world.volume_mapping(server, volume, device_name="/dev/vdb")
    assert world.outcome("attach_volume", server, bdm=mapping.obj_clone()) is None
    return volume


def hosts_of_volume(world, volume):
    return [
        each["connector"]["host"] for each in world.peers.cinder.attachments.values() if each["volume_id"] == volume
    ]


def test_resized_server_runs_elsewhere_with_the_new_flavor_and_all_it_had(world, server, attached):
    migration = resize(world, server, flavor(root=3))
    row = world.row(server)
    assert (row.host, row.node, row.flavor.id, row.memory_mb) == ("node-2", "node-2", 2, 1024)
    assert (row.old_flavor.id, row.new_flavor.id, migration.status) == (1, 2, "finished")
    assert where(world, server) == "node-2"
    assert world.guest(server)["status"]["nodeName"] == "node-2"
    ports = [each for each in world.peers.neutron.ports.values() if each["device_id"] == server]
    assert [each["binding:host_id"] for each in ports] == ["node-2"]
    assert hosts_of_volume(world, attached) == ["node-2"]
    claim = world.kube.get(PVC, f"nova-{server}-root", "servers")
    assert claim["spec"]["resources"]["requests"]["storage"] == "3Gi"
    assert (holds(world, server), holds(world, migration.uuid)) == ("node-2", "node-1")


def test_confirmed_move_gives_the_source_back(world, server):
    migration = resize(world, server, flavor())
    confirm(world, server, migration)
    row = world.reach(server, "active")
    assert (migration.status, row.old_flavor, row.new_flavor, row.migration_context) == ("confirmed", None, None, None)
    assert "old_vm_state" not in row.system_metadata
    assert (holds(world, server), holds(world, migration.uuid)) == ("node-2", None)


def test_reverted_move_brings_everything_back(world, server, attached):
    migration = resize(world, server, flavor())
    revert(world, server, migration)
    row = world.reach(server, "active")
    assert (row.host, row.flavor.id, row.memory_mb, migration.status) == ("node-1", 1, 512, "reverted")
    assert where(world, server) == "node-1"
    assert hosts_of_volume(world, attached) == ["node-1"]
    assert (holds(world, server), holds(world, migration.uuid)) == ("node-1", None)
    assert world.guest(server)["status"]["phase"] == "Running"


@pytest.mark.parametrize("end", [confirm, revert])
def test_stopped_server_is_stopped_after_its_move(world, server, end):
    world.task(server, "powering-off")
    world.ask("stop_instance", server, clean_shutdown=True)
    world.reach(server, "stopped")
    migration = resize(world, server, flavor())
    assert world.guest(server) is None
    end(world, server, migration)
    world.reach(server, "stopped")
    assert world.guest(server) is None


def test_server_can_be_resized_on_its_host(world, server):
    migration = resize(world, server, flavor(), dest="node-1")
    assert world.row(server).flavor.id == 2
    confirm(world, server, migration)
    assert world.reach(server, "active").host == "node-1"


def test_cold_migration_to_the_same_host_is_refused(world, server):
    same = flavor(number=1, memory=512)
    migration = ask_move(world, server, same, dest="node-1")
    world.reach(server, "active")
    assert "to current host" in world.conductor.faults[-1].message
    assert (migration.status, holds(world, server)) == ("error", "node-1")


def test_destination_that_refuses_hands_the_move_on(world, server):
    same = flavor(number=1, memory=512)
    retry = {"retry": {"num_attempts": 1, "hosts": [["node-1", "node-1"]]}}
    ask_move(world, server, same, dest="node-1", filter_properties=retry, host_list=[])
    asked = world.until(lambda: world.conductor.rescheduled, "the conductor is asked for another host")[-1]
    assert "to current host" in asked["scheduler_hint"]["filter_properties"]["retry"]["exc"][0]
    world.task(server, None)


def test_smaller_root_disk_is_refused(world, server):
    migration = ask_move(world, server, flavor(root=0))
    world.reach(server, "active")
    assert "cannot shrink" in world.conductor.faults[-1].message
    assert migration.status == "error"
    assert world.guest(server)["status"]["nodeName"] == "node-1"


def test_server_of_another_hypervisor_cannot_come(world):
    stranger = world.instance(vm_state="active", task_state=None, host="libvirt-1", node="libvirt-1")
    ask_move(world, stranger.uuid, flavor())
    world.until(lambda: world.row(stranger.uuid).task_state is None, "the move ends")
    assert "no VirtualMachine of this cluster" in world.conductor.faults[-1].message
    with world.conductor.lock:
        world.conductor.instances.pop(stranger.uuid)


def test_server_does_not_leave_for_a_host_outside_the_cluster(world, server):
    migration = world.conductor.add_migration(
        instance_uuid=server, source_compute="node-1", source_node="node-1", dest_compute="libvirt-1"
    )
    migration.dest_node = "libvirt-1"
    world.task(server, "resize_prep")
    before = world.guest(server)["metadata"]["uid"]
    world.ask(
        "resize_instance",
        server,
        image={},
        migration=migration.obj_clone(),
        flavor=flavor(),
        clean_shutdown=True,
        request_spec=None,
    )
    world.reach(server, "active")
    assert "no node of this cluster" in world.conductor.faults[-1].message
    assert world.guest(server)["metadata"]["uid"] == before


def test_guest_runs_again_at_its_source_when_a_volume_cannot_go(world, server, attached):
    create = world.peers.cinder.create_attachment

    def refuse(context, volume, server_id):
        world.peers.cinder.create_attachment = create
        raise errors.ClientError(409, "Volume is busy", "cinder")

    world.peers.cinder.create_attachment = refuse
    migration = ask_move(world, server, flavor())
    world.reach(server, "active")
    assert "Volume is busy" in world.conductor.faults[-1].message
    assert (migration.status, where(world, server)) == ("error", "node-1")
    world.until(lambda: world.guest(server), "the guest runs")
    assert holds(world, server) == "node-1"


INTERRUPTED = {
    "resize_prep": ("pre-migrating", "node-1", "active"),
    "resize_migrating": ("migrating", "node-1", "resized"),
    "resize_migrated": ("post-migrating", "node-2", "resized"),
    "resize_finish": ("post-migrating", "node-2", "resized"),
}


@pytest.mark.parametrize("task", INTERRUPTED)
def test_move_goes_on_where_the_process_ended(world, server, task):
    status, host, end = INTERRUPTED[task]
    world.stop_compute()
    migration = half_moved(world, server, status)
    with world.conductor.lock:
        row = world.conductor.instances[server]
        row.task_state, row.host, row.node = task, host, host
        row.new_flavor, row.old_flavor = flavor(), row.flavor
        row.system_metadata = {**row.system_metadata, "old_vm_state": "active"}
        row.obj_reset_changes(recursive=True)
    world.start_compute()
    row = world.reach(server, end)
    assert (row.host, migration.status) == (("node-1", "error") if end == "active" else ("node-2", "finished"))
    assert world.until(lambda: world.guest(server), "the guest runs")["status"].get("nodeName", row.host) == row.host


@pytest.mark.parametrize(("status", "host"), [("reverting", "node-2"), ("reverted", "node-2"), ("reverted", "node-1")])
def test_way_back_goes_on_where_the_process_ended(world, server, status, host):
    migration = resize(world, server, flavor())
    world.stop_compute()
    with world.conductor.lock:
        row = world.conductor.instances[server]
        row.task_state, row.host, row.node = "resize_reverting", host, host
        row.obj_reset_changes()
        migration.status = status
    world.start_compute()
    row = world.reach(server, "active")
    assert (row.host, row.flavor.id, holds(world, server)) == ("node-1", 1, "node-1")


def half_moved(world, server, status):
    computes, placement = world.conductor.computes, world.peers.placement
    migration = world.conductor.add_migration(
        instance_uuid=server,
        source_compute="node-1",
        source_node="node-1",
        dest_compute="node-2",
        dest_node="node-2",
        dest_compute_id=computes["node-2"].id,
        status=status,
    )
    placement.move_allocations(server, migration.uuid)
    placement.allocations[server] = computes["node-2"].uuid
    return migration

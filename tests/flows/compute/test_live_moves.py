"""Live migration between two nodes of the cluster."""

import datetime
import time

import pytest

from keel_common.kube import VM, VMIM
from keel_contract.errors import RemoteFault


@pytest.fixture
def server(world):
    made = world.boot()
    yield made
    world.sim_says(f"guests/nova-{made}", {"migration": "succeeds"})
    world.delete(made)
    world.nothing_left(made)


@pytest.fixture
def attached(world, server):
    """A shared volume: one that only one node reaches would keep the guest where it is."""
    volume = world.volume(access_mode="ReadWriteMany")
    mapping = world.volume_mapping(server, volume, device_name="/dev/vdb")
    assert world.outcome("attach_volume", server, bdm=mapping.obj_clone()) is None
    return volume


def check(world, server, dest="node-2", block_migration=None):
    return world.compute.send(
        world.context(),
        "check_can_live_migrate_destination",
        server=dest,
        instance=world.row(server),
        block_migration=block_migration,
        disk_over_commit=False,
        migration=None,
        limits=None,
    )


def begin(world, server, dest="node-2"):
    """What API and conductor do before the source is told."""
    row, peers = world.row(server), world.peers
    migration = world.conductor.add_migration(
        instance_uuid=server,
        source_compute=row.host,
        source_node=row.node,
        dest_compute=dest,
        dest_node=dest,
        status="accepted",
        migration_type="live-migration",
    )
    peers.placement.move_allocations(server, migration.uuid)
    peers.placement.allocations[server] = world.conductor.computes[dest].uuid
    for port in ports(world, server):
        peers.neutron.create_binding(port["id"], {"host": dest})
    world.task(server, "migrating")
    return migration


def ask(world, server, migration, data):
    world.compute.send(
        world.context(),
        "live_migration",
        server=migration.source_compute,
        dest=migration.dest_compute,
        instance=world.row(server),
        block_migration=False,
        migration=migration.obj_clone(),
        migrate_data=data,
    )


def migrate(world, server):
    data = check(world, server)
    migration = begin(world, server)
    ask(world, server, migration, data)
    return migration


def ports(world, server):
    return [each for each in world.peers.neutron.ports.values() if each["device_id"] == server]


def hosts_of_volume(world, volume):
    attachments = world.peers.cinder.attachments.values()
    return [each["connector"]["host"] for each in attachments if each["volume_id"] == volume]


def place(world, server):
    vm = world.kube.get(VM, f"nova-{server}", "servers")
    selector = vm["spec"]["template"]["spec"]["nodeSelector"]["kubernetes.io/hostname"]
    return selector, world.guest(server)["status"]["nodeName"]


def holds(world, consumer):
    names = {each.uuid: host for host, each in world.conductor.computes.items()}
    return names.get(world.peers.placement.allocations.get(consumer))


def as_before(world, server, migration, status, volume=None):
    world.until(lambda: migration.status == status, f"the migration is {status}, not {migration.status}")
    row = world.reach(server, "active")
    assert row.host == "node-1"
    world.until(lambda: place(world, server) == ("node-1", "node-1"), "the machine is for its node again")
    assert (holds(world, server), holds(world, migration.uuid)) == ("node-1", None)
    assert [each["binding:host_id"] for each in ports(world, server)] == ["node-1"]
    if volume:
        assert hosts_of_volume(world, volume) == ["node-1"]


def test_guest_moves_with_its_volume_and_port_and_is_never_off(world, server, attached):
    before = world.guest(server)["metadata"]["uid"]
    migration = migrate(world, server)
    world.until(lambda: migration.status == "completed", "the migration is completed")
    row = world.reach(server, "active")
    assert (row.host, row.node, row.compute_id) == ("node-2", "node-2", world.conductor.computes["node-2"].id)
    assert world.guest(server)["metadata"]["uid"] == before
    assert place(world, server) == ("node-2", "node-2")
    assert hosts_of_volume(world, attached) == ["node-2"]
    assert [each["binding:host_id"] for each in ports(world, server)] == ["node-2"]
    assert (holds(world, server), holds(world, migration.uuid)) == ("node-2", None)
    labels = world.kube.get(VM, f"nova-{server}", "servers")["metadata"]["labels"]
    assert "node-2" in labels.values()


def test_migration_that_kubevirt_fails_leaves_everything_as_before(world, server, attached):
    world.sim_says(f"guests/nova-{server}", {"migration": "fails"})
    migration = migrate(world, server)
    as_before(world, server, migration, "failed", attached)
    assert "simulated failure" in world.conductor.faults[-1].message


def test_running_migration_can_be_given_up(world, server, attached):
    world.sim_says(f"guests/nova-{server}", {"migration": "stalls"})
    migration = migrate(world, server)
    world.until(lambda: world.kube.find(VMIM, f"nova-mig-{migration.uuid}", "servers"), "KubeVirt is at it")
    world.until(lambda: migration.status == "running", "the migration runs")
    assert world.outcome("live_migration_abort", server, migration_id=migration.id) is None
    as_before(world, server, migration, "cancelled", attached)


def test_guest_with_a_disk_of_one_node_is_refused_before_anything_happens(world, server):
    volume = world.volume()
    mapping = world.volume_mapping(server, volume, device_name="/dev/vdb")
    assert world.outcome("attach_volume", server, bdm=mapping.obj_clone()) is None
    world.until(lambda: not movable(world, server), "KubeVirt has seen the disk")
    with pytest.raises(RemoteFault) as refused:
        check(world, server)
    assert refused.value.class_name == "MigrationPreCheckError"
    assert "not shared" in refused.value.message


def movable(world, server):
    conditions = world.guest(server)["status"]["conditions"]
    return {each["type"]: each["status"] for each in conditions}["LiveMigratable"] == "True"


@pytest.mark.parametrize(
    ("dest", "asked", "name"),
    [("node-1", None, "UnableToMigrateToSelf"), ("node-2", True, "MigrationPreCheckError")],
)
def test_what_cannot_be_is_refused_by_the_checks(world, server, dest, asked, name):
    with pytest.raises(RemoteFault) as refused:
        check(world, server, dest, asked)
    assert refused.value.class_name == name


def test_server_of_another_hypervisor_is_refused_by_the_checks(world):
    stranger = world.instance(vm_state="active", task_state=None, host="libvirt-1", node="libvirt-1")
    with pytest.raises(RemoteFault) as refused:
        check(world, stranger.uuid)
    assert "no VirtualMachine of this cluster" in refused.value.message


def test_force_complete_is_refused_in_words(world, server):
    assert "MigrationPolicy" in world.outcome("live_migration_force_complete", server)


def test_migration_goes_on_when_its_process_ends(world, server, attached):
    world.sim_says(f"guests/nova-{server}", {"migration": "stalls"})
    migration = migrate(world, server)
    world.until(lambda: migration.status == "running", "the migration runs")
    world.stop_compute()
    world.sim_says(f"guests/nova-{server}", {"migration": "succeeds"})
    world.start_compute()
    world.until(lambda: migration.status == "completed", "the migration is completed")
    assert world.reach(server, "active").host == "node-2"
    assert hosts_of_volume(world, attached) == ["node-2"]


def test_migration_that_had_not_begun_is_taken_back_after_a_crash(world, server):
    world.stop_compute()
    migration = begin(world, server)
    migration.status = "preparing"
    world.start_compute()
    as_before(world, server, migration, "error")
    assert "interrupted" in world.conductor.faults[-1].message


def test_migration_that_is_still_the_conductors_is_left_alone(world, server):
    world.stop_compute()
    world.task(server, "migrating")
    world.start_compute()
    time.sleep(2)
    assert world.row(server).task_state == "migrating"
    world.task(server, None)


def test_migration_that_waits_for_its_turn_is_not_taken_for_a_lost_one(world, server):
    other = world.boot()
    world.sim_says(f"guests/nova-{other}", {"migration": "stalls"})
    first = migrate(world, other)
    world.until(lambda: first.status == "running", "the first migration runs")
    second = migrate(world, server)
    world.until(lambda: second.status == "queued", "the second one waits")
    with world.conductor.lock:
        row = world.conductor.instances[server]
        row.updated_at = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
        row.obj_reset_changes()
    time.sleep(3)
    assert second.status == "queued"
    world.sim_says(f"guests/nova-{other}", {"migration": "succeeds"})
    world.until(lambda: second.status == "completed", "the second migration is completed")
    assert world.reach(server, "active").host == world.reach(other, "active").host == "node-2"
    world.delete(other)
    world.nothing_left(other)

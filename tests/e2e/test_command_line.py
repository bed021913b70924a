"""What a person types: the ordinary `openstack` client and kubectl."""

import re
import shutil

import pytest

from keel_common.kube import SECRET, VM, names
from tests.e2e.commands import Commands, Failed
from tests.e2e.world import NAMESPACE, World


def test_main_job(world: World, member: Commands) -> None:
    """A server, a volume, the one attached to the other, and back again; the cluster shows the same."""
    server_name, volume_name = world.name("server"), world.name("volume")
    boot = ("--image", "tiny", "--flavor", "m1.nano", "--network", "private", "--wait")
    server = member.ask("server", "create", *boot, server_name)
    assert server["status"] == "ACTIVE"
    volume = member.ask("volume", "create", "--size", "1", volume_name)
    assert volume["status"] == "creating"
    world.wait_for_volume(world.member.block_storage.get_volume(volume["id"]), "available")

    member.openstack("server", "add", "volume", server_name, volume_name)
    attached = world.wait_for_volume(world.member.block_storage.get_volume(volume["id"]), "in-use")
    assert attached.attachments[0]["server_id"] == server["id"]

    assert world.kube.find(VM, names.vm(server["id"]), NAMESPACE)
    assert world.claim(attached)["status"]["phase"] == "Bound"

    member.openstack("server", "remove", "volume", server_name, volume_name)
    world.wait_for_volume(attached, "available")
    member.openstack("server", "delete", "--wait", server_name)
    member.openstack("volume", "delete", volume_name)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kubectl_shows_the_same(world: World, member: Commands) -> None:
    """The tables of kubectl name the server's VM, its instance and the volume's claim."""
    server, volume = world.boot(), world.make_volume()
    assert f"nova-{server.id}" in member.kubectl("get", "vms", "-n", NAMESPACE)
    assert re.search(f"nova-{server.id} .* Running", member.kubectl("get", "vmis", "-n", NAMESPACE))
    assert re.search(f"volume-{volume.id} .*Bound", member.kubectl("get", "pvc", "-n", NAMESPACE))
    assert member.kubectl("get", "nodes").count(" Ready ") == 4


def test_lists_and_shows(world: World, member: Commands, admin: Commands) -> None:
    """The lists that a person looks at first."""
    server = world.boot()
    assert {"ID": server.id, "Name": server.name, "Status": "ACTIVE"}.items() <= member.ask("server", "list")[0].items()
    shown = member.ask("server", "show", server.name)
    assert shown["addresses"]["private"] and shown["flavor"]["name"] == "m1.nano"
    assert {"m1.nano", "m1.xlarge"} <= {flavor["Name"] for flavor in member.ask("flavor", "list")}
    assert member.ask("volume", "type", "list")[0]["Name"] == "csi"
    compute = admin.ask("compute", "service", "list")
    up = {service["Binary"] for service in compute if service["State"] == "up"}
    assert {"nova-conductor", "nova-scheduler", "nova-compute"} <= up
    storage = admin.ask("volume", "service", "list")
    up = {service["Binary"] for service in storage if service["State"] == "up"}
    assert {"cinder-scheduler", "cinder-volume"} <= up
    hypervisors = {row["Hypervisor Hostname"] for row in admin.ask("hypervisor", "list")}
    assert {"node-1", "node-2", "node-3", "node-4"} <= hypervisors
    assert member.ask("limits", "show", "--absolute")
    zones = member.ask("availability", "zone", "list")
    assert {"nova"} <= {zone["Zone Name"] for zone in zones}
    assert member.ask("server", "event", "list", server.id)[0]["Action"] == "create"


def test_keypair_and_user_data(world: World, member: Commands, tmp_path) -> None:
    """A key that the person brings, and user data, reach the cluster as the server's secret."""
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGWsOqz5TqLQkWqbF4z2kLwVLJRYrk0YwK0r0cC3Cq2 person@desk"
    (tmp_path / "key.pub").write_text(key)
    (tmp_path / "data").write_text("#cloud-config\nhostname: chosen\n")
    name = world.name("key")
    member.openstack("keypair", "create", "--public-key", str(tmp_path / "key.pub"), name)
    try:
        assert name in [found["Name"] for found in member.ask("keypair", "list")]
        boot = ("--image", "tiny", "--flavor", "m1.nano", "--network", "private", "--wait")
        extra = ("--key-name", name, "--user-data", str(tmp_path / "data"))
        server = member.ask("server", "create", *boot, *extra, world.name("server"))
        assert server["key_name"] == name
        secrets = [secret["metadata"]["name"] for secret in world.kube.list(SECRET, NAMESPACE)]
        assert names.secret(server["id"], "userdata") in secrets
    finally:
        member.openstack("keypair", "delete", name)


def test_quota_is_set_shown_and_held(world: World, member: Commands, admin: Commands) -> None:
    """A server beyond the quota is refused with the reason."""
    used = world.member.compute.get_limits().absolute.instances_used
    admin.openstack("quota", "set", "--instances", str(used), "demo")
    try:
        with pytest.raises(Failed, match="(?i)quota exceeded"):
            boot = ("--image", "tiny", "--flavor", "m1.nano", "--network", "private")
            member.openstack("server", "create", *boot, world.name("server"))
    finally:
        admin.openstack("quota", "set", "--instances", "10", "demo")
    shown = {row["Resource"]: row["Limit"] for row in member.ask("quota", "show", "--compute")}
    assert shown["instances"] == 10


def test_reader_may_look_and_not_touch(world: World, settings) -> None:
    """A reader lists the project's servers and may not make one."""
    reader = Commands(settings, "openkeel-reader")
    server = world.boot()
    assert server.id in [found["ID"] for found in reader.ask("server", "list")]
    with pytest.raises(Failed, match="403"):
        reader.openstack("server", "delete", server.id)
    with pytest.raises(Failed, match="403"):
        reader.openstack("volume", "create", "--size", "1", world.name("volume"))

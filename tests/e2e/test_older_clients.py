"""novaclient and cinderclient, which many tools still stand on."""

import pytest
from cinderclient import client as cinder_client
from novaclient import client as nova_client

from keel_dev.seeds import images
from tests.e2e.waiting import wait_for
from tests.e2e.world import FLAVOR, NETWORK, World


@pytest.mark.parametrize("version", ["2.1", "2.60", "2.96"])
def test_novaclient_boots_and_deletes(world: World, version: str) -> None:
    """The first microversion, one of the middle and the last one that novaclient knows."""
    nova = nova_client.Client(version, session=world.member.session)
    server = nova.servers.create(
        world.name("server"),
        image=world.member.image.find_image(images.NAME).id,
        flavor=world.member.compute.find_flavor(FLAVOR).id,
        nics=[{"net-id": world.member.network.find_network(NETWORK).id}],
    )
    wait_for("ACTIVE", lambda: nova.servers.get(server.id).status == "ACTIVE")
    assert server.id in [found.id for found in nova.servers.list()]
    assert nova.servers.interface_list(server.id)[0].port_state == "ACTIVE"
    nova.servers.delete(server.id)
    wait_for("end", lambda: world.server(server) is None)


def test_novaclient_lists(world: World) -> None:
    """Lists of an administrator."""
    nova = nova_client.Client("2.96", session=world.admin.session)
    assert {service.binary for service in nova.services.list()} >= {"nova-compute", "nova-conductor", "nova-scheduler"}
    nodes = {hypervisor.hypervisor_hostname for hypervisor in nova.hypervisors.list()}
    assert {"node-1", "node-2", "node-3", "node-4"} <= nodes
    assert nova.quotas.defaults(world.member.current_project_id).instances == 10
    assert nova.availability_zones.list()


@pytest.mark.parametrize("version", ["3.0", "3.44", "3.71"])
def test_cinderclient_makes_and_deletes(world: World, version: str) -> None:
    """The first microversion, the one of attachments and the last one."""
    cinder = cinder_client.Client(version, session=world.member.session)
    volume = cinder.volumes.create(1, name=world.name("volume"), metadata={"made": "by cinderclient"})
    wait_for("available", lambda: cinder.volumes.get(volume.id).status == "available")
    cinder.volumes.update(volume.id, description="described")
    assert cinder.volumes.get(volume.id).description == "described"
    assert volume.id in [found.id for found in cinder.volumes.list()]
    cinder.volumes.delete(volume.id)
    wait_for("end", lambda: world.volume(volume) is None)


def test_cinderclient_lists(world: World) -> None:
    """Lists of an administrator."""
    cinder = cinder_client.Client("3.71", session=world.admin.session)
    assert {service.binary for service in cinder.services.list()} >= {"cinder-scheduler", "cinder-volume"}
    assert "csi" in [kind.name for kind in cinder.volume_types.list()]
    assert cinder.pools.list()
    assert cinder.availability_zones.list()

"""Nova's calls of Cinder: cinderclient as the user, with Nova's service token beside the user's.

What Nova relies on (seed: clients of Cinder): the version document, attachments at 3.44, os-reimage at 3.68, statuses
rather than texts, and an attachment that may be updated and deleted twice.
"""

import pytest
from cinderclient import client as cinderclient
from cinderclient import exceptions
from keystoneauth1.identity.v3 import Token
from keystoneauth1.service_token import ServiceTokenAuthWrapper
from keystoneauth1.session import Session

from clients.deployment import IMAGE, until

SERVER = "22222222-2222-4222-8222-222222222222"
CONNECTOR = {"host": "compute", "ip": "192.0.2.1", "initiator": "iqn.1993-08.org.debian:01:1", "multipath": False}


@pytest.fixture
def nova(cloud):
    """What Nova makes of a request of `demo`: by version."""

    def client(version, service="nova"):
        user = Token(f"{cloud.keystone.url}/v3", cloud.keystone.token("demo"))
        auth = ServiceTokenAuthWrapper(user, cloud.session(service).auth) if service else user
        return cinderclient.Client(
            version, session=Session(auth), service_type="block-storage", interface="publicURL", connect_retries=1
        )

    return client


@pytest.fixture
def volume(cloud):
    return cloud.volume_of()


def _attach(client, volume):
    made = client.attachments.create(volume.id, None, SERVER)
    client.attachments.update(made["id"], CONNECTOR | {"mountpoint": "/dev/vdb"})
    client.attachments.complete(made["id"])
    return made["id"]


def test_the_newest_common_version_is_found(cloud):
    found = cinderclient.get_highest_client_server_version(cloud.url("block-storage"))
    assert str(found) == "3.71"


def test_a_volume_is_attached_and_detached(cloud, nova, volume):
    client = nova("3.44")
    made = client.attachments.create(volume.id, None, SERVER)
    assert made["connection_info"] == {} and made["status"] == "reserved"
    assert cloud.settled(volume, "reserved").attachments == []
    updated = client.attachments.update(made["id"], CONNECTOR)
    assert updated.connection_info["driver_volume_type"] == "fake"
    client.attachments.complete(made["id"])
    cloud.settled(volume, "in-use")
    assert volume.attachments[0]["server_id"] == SERVER
    shown = client.attachments.show(made["id"])
    assert (shown.instance, shown.status, shown.attach_mode) == (SERVER, "attached", "rw")
    client.volumes.begin_detaching(volume.id)
    assert cloud.settled(volume, "detaching")
    client.volumes.roll_detaching(volume.id)
    cloud.settled(volume, "in-use")
    client.attachments.delete(made["id"])
    assert cloud.settled(volume).attachments == []


def test_an_attachment_may_be_updated_and_deleted_twice(cloud, nova, volume):
    client = nova("3.44")
    made = client.attachments.create(volume.id, None, SERVER)
    first = client.attachments.update(made["id"], CONNECTOR)
    assert client.attachments.update(made["id"], CONNECTOR).connection_info == first.connection_info
    client.attachments.delete(made["id"])
    with pytest.raises(exceptions.NotFound):
        client.attachments.delete(made["id"])


def test_a_user_alone_does_not_delete_the_attachment_of_a_server(cloud, nova, volume):
    server = cloud.server()
    cloud.nova("2.60").volumes.create_server_volume(server.id, volume.id)
    cloud.settled(volume, "in-use")
    (made,) = nova("3.44").attachments.list(search_opts={"volume_id": volume.id})
    with pytest.raises(exceptions.ClientException) as refused:
        nova("3.44", service=None).attachments.delete(made.id)
    assert refused.value.code == 409
    nova("3.44").attachments.delete(made.id)
    cloud.settled(volume)


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda c, v: c.volumes.get(SERVER), exceptions.NotFound),
        (lambda c, v: c.volume_snapshots.get(SERVER), exceptions.NotFound),
        (lambda c, v: c.attachments.show(SERVER), exceptions.NotFound),
        (lambda c, v: c.volumes.begin_detaching(v.id), exceptions.BadRequest),
        (lambda c, v: c.volumes.create(0), exceptions.BadRequest),
        (lambda c, v: c.volumes.create(10**6), exceptions.OverLimit),
    ],
    ids=["volume", "snapshot", "attachment", "not attached", "no size", "too much"],
)
def test_failures_have_the_status_that_nova_maps(nova, volume, ask, expected):
    with pytest.raises(expected):
        ask(nova("3.44"), volume)


def test_a_second_server_does_not_get_the_volume(nova, volume):
    _attach(nova("3.44"), volume)
    with pytest.raises(exceptions.BadRequest):
        nova("3.44").attachments.create(volume.id, None, IMAGE)


def test_two_servers_share_a_multiattach_volume(cloud, nova):
    admin = cloud.cinder("3.71", "admin")
    kind = admin.volume_types.create("shared")
    kind.set_keys({"multiattach": "<is> True"})
    volume = cloud.volume_of(volume_type="shared")
    client = nova("3.44")
    first = _attach(client, volume)
    second = client.attachments.create(volume.id, None, IMAGE)
    assert second["id"] != first and volume.multiattach
    client.attachments.delete(first)
    client.attachments.delete(second["id"])
    cloud.settled(volume)


def test_a_server_keeps_its_volume_over_a_reimage(cloud, nova, volume):
    client = nova("3.68")
    made = client.attachments.create(volume.id, None, SERVER)
    cloud.settled(volume, "reserved")
    client.volumes.reimage(volume.id, IMAGE, True)
    assert cloud.compute.clients.glance.show(None, IMAGE)["status"] == "active"
    assert client.attachments.show(made["id"]).instance == SERVER


def test_the_old_way_of_attaching(cloud, nova, volume):
    client = nova("3.0")
    client.volumes.reserve(volume)
    info = client.volumes.initialize_connection(volume, CONNECTOR)
    assert info["driver_volume_type"] == "fake"
    client.volumes.attach(volume, SERVER, "/dev/vdb")
    cloud.settled(volume, "in-use")
    client.volumes.begin_detaching(volume)
    client.volumes.terminate_connection(volume, CONNECTOR)
    client.volumes.detach(volume)
    cloud.settled(volume)
    client.volumes.reserve(volume)
    client.volumes.unreserve(volume)
    cloud.settled(volume)


def test_what_a_boot_from_volume_asks(cloud, nova, volume):
    client = nova("3.44")
    snapshot = client.volume_snapshots.create(volume.id, True, "cut", "of a boot")
    cloud.settled(snapshot)
    made = client.volumes.create(1, snapshot_id=snapshot.id, name="root", availability_zone="nova")
    cloud.settled(made)
    assert client.volumes.get_encryption_metadata(made.id) == {"encryption_key_id": None}
    limits = {each.name: each.value for each in client.limits.get().absolute}
    assert limits["totalVolumesUsed"] == 2 and limits["maxTotalVolumes"] == 10
    assert [zone.zoneName for zone in client.availability_zones.list()] == ["nova"]
    client.volume_snapshots.delete(snapshot.id)
    until(lambda: None, lambda: not client.volume_snapshots.list())
    client.volumes.delete(made.id)


def test_a_real_server_gives_its_volume_back_when_it_dies(cloud, volume):
    nova = cloud.nova("2.79")
    server = cloud.server()
    nova.volumes.create_server_volume(server.id, volume.id)
    cloud.settled(volume, "in-use")
    nova.servers.delete(server.id)
    cloud.settled(volume)


def test_delete_on_termination_takes_the_volume_along(cloud, volume):
    device = {"uuid": volume.id, "source_type": "volume", "destination_type": "volume", "boot_index": 1}
    server = cloud.server(block_device_mapping_v2=[device | {"delete_on_termination": True}])
    cloud.settled(volume, "in-use")
    cloud.nova("2.79").servers.delete(server.id)
    until(lambda: None, lambda: not cloud.cinder("3.71").volumes.list())

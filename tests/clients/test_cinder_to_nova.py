"""Cinder's calls of Nova: events about volumes, swaps, assisted snapshots, the server's record of an attachment."""

import pytest
from novaclient import client as novaclient
from novaclient import exceptions

MISSING = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def attached(cloud):
    """(server, volume) with the volume in use."""
    server, volume = cloud.server(), cloud.volume_of()
    cloud.nova("2.96").volumes.create_server_volume(server.id, volume.id)
    return server, cloud.settled(volume, "in-use")


def _nova(cloud, version, who="cinder"):
    wanted = ("assisted_volume_snapshots", "server_external_events")
    found = [each for each in novaclient.discover_extensions("2.1") if each.name in wanted]
    return cloud.nova(version, who, extensions=found)


def test_the_extensions_that_cinder_uses_are_listed(cloud):
    answer = cloud.session("cinder").get("/extensions", endpoint_filter={"service_type": "compute"})
    aliases = {each["alias"] for each in answer.json()["extensions"]}
    assert {"os-assisted-volume-snapshots", "os-server-external-events"} <= aliases


@pytest.mark.parametrize(("name", "version"), [("volume-extended", "2.51"), ("volume-reimaged", "2.93")])
def test_an_event_about_a_volume_arrives(cloud, attached, name, version):
    server, volume = attached
    event = {"name": name, "server_uuid": server.id, "tag": volume.id}
    (answered,) = _nova(cloud, version).server_external_events.create([event])
    assert answered["code"] == 200


@pytest.mark.parametrize(("name", "version"), [("volume-extended", "2.50"), ("volume-reimaged", "2.92")])
def test_the_event_of_a_later_version_is_refused(cloud, attached, name, version):
    server, volume = attached
    event = {"name": name, "server_uuid": server.id, "tag": volume.id}
    with pytest.raises(exceptions.BadRequest):
        _nova(cloud, version).server_external_events.create([event])


def test_extending_an_attached_volume_tells_nova(cloud, attached):
    server, volume = attached
    cinder = cloud.cinder("3.42")
    cinder.volumes.extend(volume.id, 2)
    cloud.settled(volume, "in-use")
    assert volume.size == 2


def test_the_record_of_an_attachment_has_the_attachment_of_cinder(cloud, attached):
    server, volume = attached
    found = _nova(cloud, "2.89", "admin").volumes.get_server_volume(server.id, volume.id)
    (attachment,) = cloud.cinder("3.44").attachments.list(search_opts={"volume_id": volume.id})
    assert found.attachment_id == attachment.id
    assert found.bdm_uuid and not hasattr(found, "id")


def test_cinder_alone_swaps_a_volume(cloud, attached):
    server, volume = attached
    target = cloud.volume_of()
    with pytest.raises((exceptions.Conflict, exceptions.BadRequest, exceptions.Forbidden)):
        cloud.nova("2.1").volumes.update_server_volume(server.id, volume.id, target.id)
    assert cloud.cinder("3.71").volumes.get(target.id).status == "available"


def test_an_assisted_snapshot_is_made_and_deleted(cloud, attached):
    server, volume = attached
    nova = _nova(cloud, "2.1")
    info = {"snapshot_id": MISSING, "type": "qcow2", "new_file": "volume-x.snap"}
    made = nova.assisted_volume_snapshots.create(volume.id, info)
    assert made.volumeId == volume.id
    nova.assisted_volume_snapshots.delete(MISSING, {"volume_id": volume.id, "type": "qcow2", "file_to_merge": "x"})


def test_an_assisted_snapshot_of_a_loose_volume_is_refused(cloud):
    volume = cloud.volume_of()
    info = {"snapshot_id": MISSING, "type": "qcow2", "new_file": "x"}
    with pytest.raises(exceptions.BadRequest):
        _nova(cloud, "2.1").assisted_volume_snapshots.create(volume.id, info)


def test_a_server_of_an_attachment_is_looked_at(cloud, attached):
    server, volume = attached
    nova = _nova(cloud, "2.1")
    assert nova.servers.get(server.id).status == "ACTIVE"
    with pytest.raises(exceptions.NotFound):
        nova.volumes.get_server_volume(server.id, MISSING)

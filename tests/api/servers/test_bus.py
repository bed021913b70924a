"""What create and the actions send passes the real bus and is what a peer reads."""

import time

import pytest

from keel_api.services import ComputeServices
from keel_contract.bus import Bus, Endpoint
from keel_contract.nova.interfaces import COMPUTE_TASK


class Conductor:
    """Keeps what arrives."""

    def __init__(self):
        self.calls = []

    def schedule_and_build_instances(self, context, **arguments):
        self.calls.append((context, arguments))

    def attach_volume(self, context, **arguments):
        self.calls.append((context, arguments))
        return "/dev/vdb"


@pytest.fixture
def conductor(cloud):
    """A conductor on an in-process bus that the API sends to."""
    bus = Bus(cloud.api.conf, "nova", "fake:/")
    target = Conductor()
    part = bus.server("conductor", "here", [Endpoint(COMPUTE_TASK, target)])
    part.start()
    api = cloud.api
    api.services = ComputeServices(api.conf, api.cells, api.services.clients, lambda url: bus)
    api.with_handlers({})  # the application again, with the services above
    yield target
    part.stop(5)
    bus.close()


def wait_for(calls):
    deadline = time.monotonic() + 5
    while not calls and time.monotonic() < deadline:
        time.sleep(0.01)
    return calls[0]


def test_devices_arrive_with_every_value_changed(cloud, wish, conductor):
    """The real conductor makes rows of what is changed and expects a name of each device, if only an empty one."""
    cloud.create(wish(), version="2.104")
    _, sent = wait_for(conductor.calls)
    (device,) = sent["block_device_mapping"].objects
    assert device.changes() == {name: getattr(device, name) for name in device.fields if device.is_set(name)}
    assert device.changes()["device_name"] is None
    assert sent["build_requests"][0].block_device_mappings.objects[0].changes() == {}


def test_a_create_arrives_at_the_conductor(cloud, wish, conductor):
    port = cloud.neutron.add_port(network_id=cloud.network)
    group = cloud.neutron.add_group("web")
    body = wish(
        networks=[{"port": port}], security_groups=[{"name": "web"}], key_name="mine", tags=["t"], user_data="aGk="
    )
    uuid = cloud.create(body, version="2.104")["server"]["id"]
    context, sent = wait_for(conductor.calls)
    assert context.user_id == "member-user"
    (build,) = sent["build_requests"]
    instance = build.instance
    assert (instance.uuid, instance.key_data, instance.user_data) == (uuid, "ssh-rsa AAAA", "aGk=")
    assert instance.flavor.extra_specs == {"hw:a": "b"} and set(instance.changes()) <= {"flavor"}  # read is changed
    assert [g.uuid for g in instance.security_groups.objects] == [group]
    assert build.block_device_mappings.objects[0].image_id == cloud.image
    (spec,) = sent["request_specs"]
    assert spec.image.properties.hw_disk_bus == "virtio" and spec.instance_uuid == uuid
    assert spec.requested_networks.objects[0].port_id == port
    assert sent["image"]["id"] == cloud.image and sent["injected_files"] == []


def test_an_attachment_waits_for_the_conductor(cloud, conductor):
    volume = cloud.cinder.add(size=7)
    uuid = cloud.server(metadata={"a": "b"})
    body = {"volumeAttachment": {"volumeId": volume}}
    reply = cloud.api.post(f"/servers/{uuid}/os-volume_attachments", body)
    assert reply.ok.body["volumeAttachment"]["device"] == "/dev/vdb"
    _, sent = conductor.calls[0]
    assert sent["volume"]["size"] == 7 and sent["instance"].metadata == {"a": "b"}
    assert sent["instance"].host == "node-1" and sent["instance"].info_cache.network_info == []

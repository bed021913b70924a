"""A server is built: records, ports, disks, machine; and how a build ends that cannot succeed."""

from keel_common.clients import errors
from keel_contract.nova import objects

#: What the service asks for by itself all the time.
HOUSEKEEPING = ("Service.", "ComputeNode.", "InstanceList.")


def counted(world, before):
    return [name for name in world.conductor.messages[before:] if not name.startswith(HOUSEKEEPING)]


def test_server_boots_to_active(world):
    instance = world.instance(key_data="ssh-ed25519 AAAA", user_data=None)
    world.image_mapping(instance.uuid)
    before = len(world.conductor.messages)
    world.build(instance)
    row = world.reach(instance.uuid, "active")
    world.until(lambda: world.conductor.events[-1][2], "event is finished")
    assert (row.host, row.node, row.power_state) == ("node-1", "node-1", 1)
    assert row.launched_at is not None
    assert row.root_device_name == "/dev/vda"
    assert world.conductor.states[instance.uuid] == [
        ("building", "networking"),
        ("building", "spawning"),
        ("active", None),
    ]
    assert counted(world, before) == [
        "InstanceActionEvent.event_start",
        "Instance.save",
        "VirtualInterface.create",
        "InstanceInfoCache.save",
        "BlockDeviceMapping.save",
        "Instance.save",
        "Instance.save",
        "InstanceActionEvent.event_finish_with_failure",
    ]
    machine, guest = world.machine(instance.uuid), world.guest(instance.uuid)
    assert machine["spec"]["runStrategy"] == "Manual"
    assert guest["status"]["nodeName"] == "node-1"
    (vif,) = row.info_cache.network_info
    (interface,) = machine["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"]
    assert interface["macAddress"] == vif["address"]
    port = world.peers.neutron.ports[vif["id"]]
    assert (port["device_id"], port["device_owner"], port["binding:host_id"]) == (
        instance.uuid,
        "compute:nova",
        "node-1",
    )
    assert world.scheduler.told[-1] == ("update", "node-1")
    assert not [each for each in world.left(instance.uuid) if "Secret" in each and "image" in each]


def test_server_boots_from_a_volume(world):
    instance = world.instance(image_ref="", system_metadata={})
    root, data = world.volume(), world.volume()
    world.volume_mapping(instance.uuid, root, boot_index=0, delete_on_termination=True)
    world.volume_mapping(instance.uuid, data)
    world.build(instance)
    world.reach(instance.uuid, "active")
    volumes = {each["name"]: each for each in world.machine(instance.uuid)["spec"]["template"]["spec"]["volumes"]}
    assert volumes[f"v-{root}"]["persistentVolumeClaim"] == {"claimName": f"volume-{root}"}
    assert volumes[f"v-{data}"]["persistentVolumeClaim"] == {"claimName": f"volume-{data}", "hotpluggable": True}
    assert world.peers.cinder.volumes[root]["status"] == world.peers.cinder.volumes[data]["status"] == "in-use"
    connectors = {each["connector"]["host"] for each in world.peers.cinder.attachments.values()}
    assert connectors == {"node-1"}
    saved = {each.volume_id: each for each in world.conductor.mappings.values() if each.instance_uuid == instance.uuid}
    assert saved[root].device_name == "/dev/vda"
    assert saved[data].device_name == "/dev/vdb"
    world.delete(instance.uuid)
    assert root not in world.peers.cinder.volumes
    assert world.peers.cinder.volumes[data]["status"] == "available"
    world.nothing_left(instance.uuid)


def test_volume_is_made_from_an_image_while_the_server_boots(world):
    instance = world.instance(image_ref="", system_metadata={})
    world.conductor.add_mapping(
        instance_uuid=instance.uuid,
        source_type="image",
        destination_type="volume",
        image_id=world.peers.glance.id,
        volume_size=2,
        boot_index=0,
        delete_on_termination=True,
    )
    world.peers.cinder.made = lambda volume: world.claim(volume["id"], volume["size"])
    world.build(instance)
    world.reach(instance.uuid, "active")
    (mapping,) = [each for each in world.conductor.mappings.values() if each.instance_uuid == instance.uuid]
    volume = world.peers.cinder.volumes[mapping.volume_id]
    assert (volume["status"], volume["size"], volume["imageRef"]) == ("in-use", 2, world.peers.glance.id)
    assert mapping.attachment_id in world.peers.cinder.attachments
    world.delete(instance.uuid)
    assert mapping.volume_id not in world.peers.cinder.volumes
    world.nothing_left(instance.uuid)


def test_server_is_deleted_with_all_it_had(world):
    server = world.boot()
    world.until(lambda: world.conductor.events[-1][2], "event of the build is finished")
    before = len(world.conductor.messages)
    world.delete(server)
    world.until(lambda: world.conductor.events[-1][1:3] == ["compute_terminate_instance", True], "event is finished")
    world.nothing_left(server)
    assert counted(world, before) == [
        "InstanceActionEvent.event_start",
        "Instance.save",
        "Instance.destroy",
        "InstanceActionEvent.event_finish_with_failure",
    ]
    assert world.conductor.events[-1][3] is None


def test_neutron_refusing_ends_in_error_with_the_reason(world):
    world.peers.neutron.refuse = errors.OverQuota(409, "Quota exceeded for resources: ['port'].", "neutron")
    instance = world.instance()
    world.image_mapping(instance.uuid)
    world.build(instance)
    row = world.reach(instance.uuid, "error")
    assert "Quota exceeded" in world.conductor.faults[-1].message
    assert (row.host, row.node, row.task_state) == (None, None, None)
    world.nothing_left(instance.uuid)


def test_port_that_cannot_be_bound_here_is_tried_elsewhere(world):
    world.peers.neutron.vif_type = "binding_failed"
    try:
        instance = world.instance()
        world.image_mapping(instance.uuid)
        world.build(instance)
        world.until(lambda: world.conductor.rescheduled, "the conductor is asked for another host")
    finally:
        world.peers.neutron.vif_type = "ovs"
    request = world.conductor.rescheduled.pop()
    row = world.reach(instance.uuid, "building", "scheduling")
    assert (row.host, row.compute_id) == (None, None)
    assert "Binding failed" in request["filter_properties"]["retry"]["exc_reason"]
    assert request["host_lists"] == [[]]
    world.nothing_left(instance.uuid)


def test_build_without_retry_ends_in_error(world):
    world.peers.neutron.vif_type = "binding_failed"
    try:
        instance = world.instance()
        world.image_mapping(instance.uuid)
        world.build(instance, filter_properties={})
        world.reach(instance.uuid, "error")
    finally:
        world.peers.neutron.vif_type = "ovs"
    world.nothing_left(instance.uuid)


def test_image_that_cannot_be_fetched_ends_in_error(world):
    world.peers.glance.secret, kept = "another", world.peers.glance.secret
    instance = world.instance()
    world.image_mapping(instance.uuid)
    context = world.context
    world.context = lambda: _with_token(context(), kept)
    try:
        world.build(instance)
        world.reach(instance.uuid, "error")
    finally:
        world.peers.glance.secret = kept
        world.context = context
    assert "could not be filled" in world.conductor.faults[-1].message
    world.nothing_left(instance.uuid)


def _with_token(context, token):
    context.auth_token = token
    return context


def test_unsupported_hardware_is_named(world):
    instance = world.instance(system_metadata={"image_hw_machine_type": "pc", "image_disk_format": "raw"})
    world.image_mapping(instance.uuid)
    world.build(instance)
    world.reach(instance.uuid, "error")
    assert "machine type 'pc'" in world.conductor.faults[-1].message
    world.nothing_left(instance.uuid)


def test_server_deleted_while_it_is_built_leaves_nothing(world):
    instance = world.instance()
    world.image_mapping(instance.uuid)
    world.conductor.after["Instance.save", "networking"] = lambda row: world.conductor.instances[row.uuid].__setattr__(
        "task_state", "deleting"
    )
    world.build(instance)
    world.until(lambda: world.conductor.events[-1][0] == instance.uuid and world.conductor.events[-1][2], "build ends")
    world.delete(instance.uuid)
    world.nothing_left(instance.uuid)


def test_ports_of_the_user_survive_a_failed_build_and_a_deletion(world):
    network = world.peers.neutron.network["id"]
    ports = [world.peers.neutron.create_port({"network_id": network})["id"] for _ in range(2)]
    wish = [{"network_id": network, "port_id": each, "address": None, "tag": None} for each in ports]
    bad = world.instance(system_metadata={"image_hw_machine_type": "pc", "image_disk_format": "raw"})
    world.image_mapping(bad.uuid)
    world.build(bad, networks=wish)
    world.reach(bad.uuid, "error")
    assert [world.peers.neutron.ports[each]["device_id"] for each in ports] == ["", ""]

    good = world.instance()
    world.image_mapping(good.uuid)
    world.build(good, networks=wish)
    row = world.reach(good.uuid, "active")
    assert [(vif["id"], vif["preserve_on_delete"]) for vif in row.info_cache.network_info] == [
        (each, True) for each in ports
    ]
    world.delete(good.uuid)
    assert [world.peers.neutron.ports[each]["device_id"] for each in ports] == ["", ""]


def test_build_waits_for_neutron_to_bring_up_the_port(world):
    world.peers.neutron.comes_up = False
    try:
        instance = world.instance()
        world.image_mapping(instance.uuid)
        world.build(instance)
        world.until(lambda: _running(world, instance.uuid), "the guest runs")
        assert world.row(instance.uuid).task_state == "spawning"
        (port,) = [each["id"] for each in world.peers.neutron.ports.values() if each["device_id"] == instance.uuid]
        event = objects.InstanceExternalEvent(
            instance_uuid=instance.uuid, name="network-vif-plugged", tag=port, status="completed", data={}
        )
        row = world.row(instance.uuid)
        world.compute.send(world.context(), "external_instance_event", instances=[row], events=[event])
        world.reach(instance.uuid, "active")
    finally:
        world.peers.neutron.comes_up = True


def test_event_that_was_lost_does_not_hold_up_a_build(world):
    world.peers.neutron.comes_up = False
    try:
        instance = world.instance()
        world.image_mapping(instance.uuid)
        world.build(instance)
        world.until(lambda: _running(world, instance.uuid), "the guest runs")
        (port,) = [each for each in world.peers.neutron.ports.values() if each["device_id"] == instance.uuid]
        port["status"] = "ACTIVE"
        world.reach(instance.uuid, "active")
    finally:
        world.peers.neutron.comes_up = True


def test_port_that_never_comes_up_sends_the_build_elsewhere(world):
    world.peers.neutron.comes_up = False
    try:
        instance = world.instance()
        world.image_mapping(instance.uuid)
        world.build(instance)
        world.until(lambda: world.conductor.rescheduled, "the conductor is asked for another host")
    finally:
        world.peers.neutron.comes_up = True
    assert "did not bring up port" in world.conductor.rescheduled.pop()["filter_properties"]["retry"]["exc_reason"]
    world.nothing_left(instance.uuid)


def _running(world, server):
    return (world.guest(server) or {}).get("status", {}).get("phase") == "Running"


def test_build_delivered_twice_makes_one_server(world):
    instance = world.instance()
    world.image_mapping(instance.uuid)
    world.build(instance)
    world.build(instance)
    world.reach(instance.uuid, "active")
    world.until(
        lambda: [each[2] for each in world.conductor.events if each[0] == instance.uuid] == [True, True], "both end"
    )
    assert world.row(instance.uuid).vm_state == "active"
    assert len([each for each in world.peers.neutron.ports.values() if each["device_id"] == instance.uuid]) == 1


def test_guest_that_never_runs_is_tried_elsewhere_with_the_reason(world):
    instance = world.instance()
    world.sim_says(f"guests/nova-{instance.uuid}", {"boot": "crashes"})
    world.image_mapping(instance.uuid)
    world.build(instance)
    world.until(lambda: world.conductor.rescheduled, "the conductor is asked for another host")
    request = world.conductor.rescheduled.pop()
    assert "ended before it ran" in request["filter_properties"]["retry"]["exc_reason"]
    world.nothing_left(instance.uuid)


def test_api_server_that_fails_now_and_then_does_not_fail_a_build(world):
    for verb in ("patch", "get", "list"):
        world.sim_says("failures", {"code": 500, "verb": verb, "count": 2})
    world.sim_says("watches/cut", {})
    server = world.boot()
    assert world.guest(server)["status"]["phase"] == "Running"


def test_certificates_that_nobody_can_check_end_the_build(world):
    instance = world.instance(trusted_certs=objects.TrustedCerts(ids=["c1"]))
    world.image_mapping(instance.uuid)
    world.build(instance)
    world.reach(instance.uuid, "error")
    assert "cannot validate certificates" in world.conductor.faults[-1].message
    world.nothing_left(instance.uuid)

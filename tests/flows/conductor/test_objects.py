"""What a compute does with objects through the conductor: the same updates and the same exceptions as recorded."""

import json
import uuid

import pytest

from keel_contract.errors import RemoteFault
from keel_contract.nova import interfaces, objects


@pytest.fixture
def context(cloud):
    """A service on its own: administrator without project."""
    return cloud.context(user_id=None, project_id=None, is_admin=True)


@pytest.fixture
def server(cloud, context):
    instance = cloud.instance(host=None)
    cloud.remote.action(context, instance, "create")
    return instance


def refused(fn, *args, **kwargs):
    with pytest.raises(RemoteFault) as caught:
        fn(*args, **kwargs)
    return caught.value


def test_a_created_server_knows_its_row(cloud, server):
    assert server.id == cloud.row("instances")["id"]
    assert server.created_at is not None
    assert server.ec2_ids.instance_id == "i-00000001"
    assert set(server.changes()) == {"ec2_ids"}  # as a real conductor answers


def test_saving_writes_what_changed_and_tells_what_is_new(cloud, context, server):
    server.task_state = "networking"
    server.host, server.node, server.compute_id = "node-1", "node-1", 7
    server.system_metadata = {**server.system_metadata, "boot_roles": "member"}
    cloud.remote.action(context, server, "save", expected_task_state=["scheduling", None])
    row = cloud.row("instances")
    assert (row["task_state"], row["host"], row["compute_id"]) == ("networking", "node-1", 7)
    assert server.updated_at is None  # a save does not tell it
    assert row["updated_at"] is not None
    assert set(server.changes()) == {"ec2_ids"}
    pairs = {pair["key"]: pair["value"] for pair in cloud.rows("instance_system_metadata", deleted=0)}
    assert pairs == {"image_min_ram": "0", "owner_user_name": "demo", "boot_roles": "member"}


def test_metadata_is_replaced_row_by_row(cloud, context, server):
    server.metadata = {"k": "w", "new": "1"}
    cloud.remote.action(context, server, "save")
    server.metadata = {"new": "1"}
    cloud.remote.action(context, server, "save")
    rows = {row["key"]: (row["value"], row["deleted"] == 0) for row in cloud.rows("instance_metadata")}
    assert rows == {"k": ("w", False), "new": ("1", True)}


@pytest.mark.parametrize(
    ("actual", "name"), [("powering-off", "UnexpectedTaskStateError"), ("deleting", "UnexpectedDeletingTaskStateError")]
)
def test_a_server_in_another_task_state_is_not_saved(cloud, context, server, actual, name):
    other = cloud.remote.class_action(context, "Instance", "get_by_uuid", server.uuid)
    other.task_state = actual
    cloud.remote.action(context, other, "save")
    server.task_state = "spawning"
    fault = refused(cloud.remote.action, context, server, "save", expected_task_state="networking")
    assert fault.class_name == name
    assert cloud.row("instances")["task_state"] == actual


def test_a_server_in_another_vm_state_is_not_saved(cloud, context, server):
    server.vm_state = "active"
    fault = refused(cloud.remote.action, context, server, "save", expected_vm_state=["paused"])
    assert fault.class_name == "InstanceUpdateConflict"


def test_saving_a_node_without_its_id_is_refused(cloud, context, server):
    server.node = "node-1"
    assert refused(cloud.remote.action, context, server, "save").class_name == "ObjectActionError"


def test_a_saved_flavor_keeps_the_other_two(cloud, context, server):
    server.new_flavor = cloud.flavor(id=2, flavorid="2")
    cloud.remote.action(context, server, "save")
    loaded = cloud.remote.class_action(context, "Instance", "get_by_uuid", server.uuid, expected_attrs=["flavor"])
    assert (loaded.flavor.flavorid, loaded.new_flavor.flavorid, loaded.old_flavor) == ("1", "2", None)
    assert loaded.flavor.description is None


def test_a_server_is_loaded_with_the_parts_that_were_named(cloud, context, server):
    parts = ["metadata", "system_metadata", "info_cache", "tags", "fault", "pci_requests", "pci_devices", "services",
             "numa_topology", "keypairs", "security_groups", "ec2_ids", "resources"]  # fmt: skip
    loaded = cloud.remote.class_action(context, "Instance", "get_by_uuid", server.uuid, expected_attrs=parts)
    assert loaded.metadata == {"k": "v"}
    assert loaded.info_cache.network_info == []
    assert loaded.pci_requests.requests == []
    assert (loaded.fault, loaded.numa_topology, list(loaded.tags.objects)) == (None, None, [])
    assert not loaded.is_set("flavor")
    assert set(loaded.changes()) == {"ec2_ids"}  # as a real conductor answers


def test_an_unknown_server_is_not_found(cloud, context):
    fault = refused(cloud.remote.class_action, context, "Instance", "get_by_uuid", str(uuid.uuid4()))
    assert fault.class_name == "InstanceNotFound"


def test_refreshing_shows_what_another_one_saved(cloud, context, server):
    other = cloud.remote.class_action(context, "Instance", "get_by_uuid", server.uuid)
    other.display_name = "renamed"
    cloud.remote.action(context, other, "save")
    cloud.remote.action(context, server, "refresh")
    assert server.display_name == "renamed"


def test_destroying_takes_every_row_of_a_server_but_its_actions(cloud, context, server):
    cloud.remote.class_action(context, "InstanceAction", "action_start", server.uuid, "delete")
    cloud.remote.action(context, server, "destroy")
    assert server.deleted is True
    for table in (
        "instances",
        "instance_extra",
        "instance_info_caches",
        "instance_metadata",
        "instance_system_metadata",
    ):
        assert all(row["deleted"] == row["id"] for row in cloud.rows(table)), table
    assert cloud.row("instance_actions")["deleted"] == 0
    fault = refused(cloud.remote.class_action, context, "Instance", "get_by_uuid", server.uuid)
    assert fault.class_name == "InstanceNotFound"
    late = cloud.context(is_admin=True, read_deleted="yes")
    assert cloud.remote.class_action(late, "Instance", "get_by_uuid", server.uuid).deleted is True


def test_a_server_that_got_a_host_meanwhile_is_not_destroyed(cloud, context, server):
    other = cloud.remote.class_action(context, "Instance", "get_by_uuid", server.uuid)
    other.host = "node-1"
    cloud.remote.action(context, other, "save")
    assert refused(cloud.remote.action, context, server, "destroy").class_name == "ObjectActionError"


def test_lists_of_a_host(cloud, context, server):
    server.host = "node-1"
    cloud.remote.action(context, server, "save")
    found = cloud.remote.class_action(context, "InstanceList", "get_by_host", "node-1", expected_attrs=["flavor"])
    assert [(one.uuid, one.flavor.name) for one in found.objects] == [(server.uuid, "small")]
    assert cloud.remote.class_action(context, "InstanceList", "get_uuids_by_host", "node-1") == [server.uuid]
    wanted = {"uuid": [server.uuid], "deleted": False}
    assert len(cloud.remote.class_action(context, "InstanceList", "get_by_filters", wanted).objects) == 1
    assert cloud.remote.class_action(context, "InstanceList", "get_by_filters", {"tags": ["a"]}).objects == []


def test_events_belong_to_the_action_of_their_request(cloud, server):
    user = cloud.context()
    fault = refused(
        cloud.remote.class_action, user, "InstanceActionEvent", "event_start", server.uuid, "compute_stop_instance"
    )
    assert fault.class_name == "InstanceActionNotFound"
    cloud.remote.class_action(user, "InstanceAction", "action_start", server.uuid, "stop", want_result=False)
    about = user, "InstanceActionEvent"
    cloud.remote.class_action(*about, "event_start", server.uuid, "compute_stop_instance", False, "node-1")
    cloud.remote.class_action(
        *about, "event_finish_with_failure", server.uuid, "compute_stop_instance", "it broke", "tb"
    )
    event = cloud.row("instance_actions_events")
    assert (event["host"], event["result"], event["details"], event["traceback"]) == (
        "node-1",
        "Error",
        "it broke",
        "tb",
    )
    assert cloud.row("instance_actions")["message"] == "Error"


def test_a_service_on_its_own_adds_events_to_the_newest_action(cloud, context, server):
    cloud.remote.class_action(cloud.context(), "InstanceAction", "action_start", server.uuid, "reboot")
    event = cloud.remote.class_action(context, "InstanceActionEvent", "event_start", server.uuid, "compute_reboot")
    assert event.action_id == cloud.row("instance_actions")["id"]


def test_a_service_that_takes_over_goes_on_with_the_event_that_nobody_ended(cloud, context, server):
    user, name = cloud.context(), "compute_stop_instance"
    cloud.remote.class_action(user, "InstanceAction", "action_start", server.uuid, "stop")
    begun = cloud.remote.class_action(user, "InstanceActionEvent", "event_start", server.uuid, name)
    again = cloud.remote.class_action(context, "InstanceActionEvent", "event_start", server.uuid, name)
    assert again.id == begun.id
    about = context, "InstanceActionEvent", "event_finish_with_failure", server.uuid, name
    cloud.remote.class_action(*about, None, None)
    event = cloud.row("instance_actions_events")
    assert event["result"] == "Success" and event["finish_time"]
    cloud.remote.class_action(context, "InstanceActionEvent", "event_start", server.uuid, name)
    cloud.remote.class_action(*about, None, None)
    assert [bool(event["finish_time"]) for event in cloud.rows("instance_actions_events")] == [True, True]


def test_the_end_of_a_second_try_is_noted_at_its_own_event(cloud, context, server):
    name = "compute_detach_volume"
    cloud.remote.class_action(cloud.context(), "InstanceAction", "action_start", server.uuid, "detach_volume")
    for failure in ("cinder is away", None):
        cloud.remote.class_action(context, "InstanceActionEvent", "event_start", server.uuid, name)
        about = context, "InstanceActionEvent", "event_finish_with_failure", server.uuid, name
        cloud.remote.class_action(*about, failure, None)
    first, second = cloud.rows("instance_actions_events")
    assert (first["result"], first["details"]) == ("Error", "cinder is away")
    assert second["result"] == "Success" and second["finish_time"]


def test_faults_are_cut_to_the_column(cloud, context, server):
    fault = objects.InstanceFault(instance_uuid=server.uuid, code=500, message="x" * 300, details="d", host="node-1")
    cloud.remote.action(context, fault, "create")
    assert len(cloud.row("instance_faults")["message"]) == 255
    assert fault.id is not None


def test_block_devices_are_made_changed_found_and_deleted(cloud, context, server):
    volume = str(uuid.uuid4())
    bdm = objects.BlockDeviceMapping(
        instance_uuid=server.uuid,
        volume_id=volume,
        source_type="volume",
        destination_type="volume",
        device_name="/dev/vdb",
    )
    cloud.remote.action(context, bdm, "create")
    assert bdm.uuid
    bdm.connection_info = json.dumps({"driver_volume_type": "csi"})
    cloud.remote.action(context, bdm, "save")
    about = context, "BlockDeviceMapping", "get_by_volume_and_instance"
    found = cloud.remote.class_action(*about, volume, server.uuid, expected_attrs=["instance"])
    assert (found.connection_info, found.instance.uuid) == (bdm.connection_info, server.uuid)
    listed = cloud.remote.class_action(context, "BlockDeviceMappingList", "get_by_instance_uuid", server.uuid)
    assert [one.id for one in listed.objects] == [bdm.id]
    cloud.remote.action(context, bdm, "destroy")
    assert refused(cloud.remote.class_action, *about, volume, server.uuid).class_name == "VolumeBDMNotFound"


def service(host="node-1", version=74):
    values = {"host": host, "binary": "nova-compute", "topic": "compute", "report_count": 0, "version": version}
    return objects.Service(**values)


def test_a_compute_service_registers_once_and_beats(cloud, context):
    made = service()
    cloud.remote.action(context, made, "create")
    assert (made.id, made.disabled, made.forced_down) == (1, False, False)
    assert refused(cloud.remote.action, context, service(), "create").class_name == "ServiceBinaryExists"
    made.report_count += 1
    cloud.remote.action(context, made, "save")
    assert made.last_seen_up is not None
    assert cloud.remote.class_action(context, "Service", "get_minimum_version", "nova-compute") == 74
    assert cloud.remote.class_action(context, "Service", "get_by_host_and_binary", "x", "nova-compute") is None
    found = cloud.remote.class_action(context, "Service", "get_by_compute_host", "node-1")
    assert found.report_count == 1
    fault = refused(cloud.remote.class_action, context, "Service", "get_by_compute_host", "elsewhere")
    assert fault.class_name == "ComputeHostNotFound"


def test_a_service_older_than_the_oldest_of_its_kind_is_refused(cloud, context):
    cloud.remote.action(context, service(), "create")
    assert refused(cloud.remote.action, context, service("node-2", 70), "create").class_name == "ServiceTooOld"


def node(**more):
    values = {
        "uuid": str(uuid.uuid4()), "host": "node-1", "hypervisor_hostname": "node-1", "service_id": 1, "vcpus": 4,
        "memory_mb": 8192, "local_gb": 100, "vcpus_used": 0, "memory_mb_used": 0, "local_gb_used": 0,
        "hypervisor_type": "kubevirt", "hypervisor_version": 1, "cpu_info": "{}", "host_ip": "192.0.2.1",
        "stats": {"num_instances": "0"}, "metrics": "[]",
        "supported_hv_specs": [objects.HVSpec(arch="x86_64", hv_type="kvm", vm_mode="hvm")],
    }  # fmt: skip
    return objects.ComputeNode(**{**values, **more})


def test_a_compute_node_keeps_what_it_reports(cloud, context):
    made = node()
    cloud.remote.action(context, made, "create")
    row = cloud.row("compute_nodes")
    assert json.loads(row["supported_instances"]) == [["x86_64", "kvm", "hvm"]]
    assert (row["stats"], row["mapped"]) == ('{"num_instances": "0"}', 0)
    assert made.cpu_allocation_ratio == cloud.conf.initial_cpu_allocation_ratio
    made.vcpus_used = 3
    cloud.remote.action(context, made, "save")
    found = cloud.remote.class_action(context, "ComputeNode", "get_by_uuid", made.uuid)
    assert (found.vcpus_used, found.stats, str(found.host_ip)) == (3, {"num_instances": "0"}, "192.0.2.1")
    assert [(spec.arch, spec.hv_type) for spec in found.supported_hv_specs] == [("x86_64", "kvm")]
    assert len(cloud.remote.class_action(context, "ComputeNodeList", "get_all_by_host", "node-1").objects) == 1
    fault = refused(cloud.remote.class_action, context, "ComputeNodeList", "get_all_by_host", "elsewhere")
    assert fault.class_name == "ComputeHostNotFound"


def test_a_deleted_node_comes_back_under_its_uuid(cloud, context):
    made = node()
    cloud.remote.action(context, made, "create")
    cloud.remote.action(context, made, "destroy")
    again = node(uuid=made.uuid)
    cloud.remote.action(context, again, "create")
    assert again.id == made.id
    assert cloud.row("compute_nodes")["deleted"] == 0


def test_network_cache_and_interfaces(cloud, context, server):
    cache = objects.InstanceInfoCache(instance_uuid=server.uuid, network_info=[{"id": "port"}])
    cloud.remote.action(context, cache, "save")
    assert json.loads(cloud.row("instance_info_caches")["network_info"]) == [{"id": "port"}]
    old = objects.InstanceInfoCache(instance_uuid=server.uuid, network_info=[])
    cloud.remote.action(context, old, "refresh")
    assert old.network_info == [{"id": "port"}]
    vif = objects.VirtualInterface(
        uuid=str(uuid.uuid4()), address="fa:16:3e:00:00:01", instance_uuid=server.uuid, tag="a"
    )
    cloud.remote.action(context, vif, "create")
    assert cloud.remote.class_action(context, "VirtualInterface", "get_by_uuid", vif.uuid).tag == "a"
    cloud.remote.class_action(context, "VirtualInterface", "delete_by_instance_uuid", server.uuid)
    assert cloud.remote.class_action(context, "VirtualInterface", "get_by_uuid", vif.uuid) is None


def test_of_a_console_token_only_the_digest_is_stored(cloud, context, server):
    values = {"console_type": "novnc", "host": "h", "port": 5900, "instance_uuid": server.uuid}
    made = objects.ConsoleAuthToken(**values)
    token = cloud.remote.action(context, made, "authorize", 600)
    assert made.token == token
    assert token not in json.dumps(cloud.row("console_auth_tokens"), default=str)
    assert cloud.remote.class_action(context, "ConsoleAuthToken", "validate", token).port == 5900
    cloud.remote.class_action(context, "ConsoleAuthToken", "clean_console_auths_for_instance", server.uuid)
    assert (
        refused(cloud.remote.class_action, context, "ConsoleAuthToken", "validate", token).class_name == "InvalidToken"
    )


def test_migrations_in_progress_of_a_node(cloud, context, server):
    made = objects.Migration(
        instance_uuid=server.uuid, source_compute="node-1", source_node="node-1", dest_compute="node-2",
        dest_node="node-2", dest_compute_id=2, status="migrating", migration_type="resize",
    )  # fmt: skip
    cloud.remote.action(context, made, "create")
    about = context, "MigrationList", "get_in_progress_by_host_and_node", "node-2", "node-2"
    assert [one.uuid for one in cloud.remote.class_action(*about).objects] == [made.uuid]
    made.status = "error"
    cloud.remote.action(context, made, "save")
    assert cloud.remote.class_action(*about).objects == []
    more = cloud.remote.class_action(context, "MigrationList", "get_in_progress_and_error", "node-2", "node-2")
    assert [one.status for one in more.objects] == ["error"]
    wanted = {"migration_type": "resize", "source_compute": "node-1", "status": ["error", "done"]}
    assert len(cloud.remote.class_action(context, "MigrationList", "get_by_filters", wanted).objects) == 1


def test_parts_of_a_server_that_has_none_are_empty(cloud, context, server):
    for name in ("ResourceList", "InstanceDeviceMetadata", "TrustedCerts", "VirtCPUModel"):
        assert cloud.remote.class_action(context, name, "get_by_instance_uuid", server.uuid) is None
    for name in ("ShareMappingList", "PciDeviceList", "VirtualInterfaceList"):
        assert cloud.remote.class_action(context, name, "get_by_instance_uuid", server.uuid).objects == []
    assert cloud.remote.class_action(context, "MigrationContext", "get_by_instance_uuid", server.uuid) is None
    fault = refused(cloud.remote.class_action, context, "MigrationContext", "get_by_instance_uuid", str(uuid.uuid4()))
    assert fault.class_name == "MigrationContextNotFound"
    fault = refused(cloud.remote.class_action, context, "InstanceGroup", "get_by_instance_uuid", server.uuid)
    assert fault.class_name == "InstanceGroupNotFound"


def test_records_of_the_api_database_are_answered_too(cloud, context):
    requests, _specs, _devices = cloud.asked()
    about = context, "InstanceMapping", "get_by_instance_uuid", requests[0].instance_uuid
    assert cloud.remote.class_action(*about).cell_mapping is None
    cell = cloud.remote.class_action(context, "CellMapping", "get_by_uuid", cloud.cell_uuid)
    assert cell.name == "cell1"
    assert cloud.remote.class_action(context, "AggregateList", "get_by_host", "node-1").objects == []


def test_a_method_that_is_not_declared_is_none(cloud, context, server):
    client = cloud.bus.client(interfaces.CONDUCTOR)
    asked = {"objname": "InstanceList", "objmethod": "_query", "object_versions": {}, "args": [], "kwargs": {}}
    fault = refused(client.send, context, "object_class_action_versions", **asked)
    assert (fault.class_name, fault.module) == ("AttributeError", "builtins")
    assert "InstanceList has no method _query" in fault.message


def test_an_older_compute_gets_the_version_it_names(cloud, context, server):
    wire = cloud.bus.client(interfaces.CONDUCTOR).send(
        context,
        "object_class_action_versions",
        objname="Instance",
        objmethod="get_by_uuid",
        object_versions={"Instance": "2.7"},
        args=[server.uuid],
        kwargs={"expected_attrs": []},
    )
    assert wire.VERSION == "2.7"
    assert not wire.is_set("compute_id")


def test_the_conductor_answers_a_ping(cloud, context):
    answer = cloud.bus.client(interfaces.BASE).send(context, "ping", topic="conductor", arg="hello")
    assert answer == {"service": "conductor", "arg": "hello"}


def test_operations_that_are_not_built_refuse_loudly(cloud):
    context = cloud.context()
    fault = refused(
        cloud.task.send, context, "confirm_snapshot_based_resize", how="call", instance=cloud.instance(), migration=None
    )
    assert "confirm_snapshot_based_resize" in fault.message

"""Calls on services, nodes, moves, actions, faults, logs and usage."""

# fmt: off - tables of calls and rows are read line by line

from conductor_objects import names
from conductor_objects.calls import act, ask, case, kept
from conductor_objects.things import held, made

NOBODY = names.ABSENT


def _service(**changes: object) -> object:
    values = {"host": "node-9", "binary": "nova-compute", "topic": "compute", "report_count": 0, "version": 71}
    return made("Service", **(values | changes))


SERVICES = [
    case("create a service", act(_service(), "create")),
    case("create a service twice", act(_service(), "create", keep="it"), act(kept("it"), "create")),
    case("create a service of a host and binary", act(_service(host=names.HOST), "create")),
    case("create a service of a host and topic", act(_service(host=names.HOST, binary="nova-other"), "create")),
    case("create a service with its uuid", act(_service(uuid=names.uuid(0x5E4, 77)), "create")),
    case("create an old service", act(_service(version=12), "create")),
    case("create a new kind of service", act(_service(binary="nova-new", topic=None), "create")),
    case("save a service", ask("Service.get_by_id", 1, keep="it"), act(kept("it", report_count=8), "save")),
    case("save nothing of a service", ask("Service.get_by_id", 1, keep="it"), act(kept("it"), "save")),
    case(
        "save a disabled service",
        ask("Service.get_by_id", 1, keep="it"),
        act(kept("it", disabled=True, disabled_reason="why"), "save"),
    ),
    case(
        "save a service forced down", ask("Service.get_by_id", 1, keep="it"), act(kept("it", forced_down=True), "save")
    ),
    case("save an absent service", act(held("Service", {"id": 99}, report_count=3), "save")),
    case("save an old version", act(held("Service", {"id": 1, "binary": "nova-compute"}, version=12), "save")),
    case("destroy a service", ask("Service.get_by_id", 1, keep="it"), act(kept("it"), "destroy")),
    case("destroy a scheduler", ask("Service.get_by_id", 3, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent service", act(held("Service", {"id": 99}), "destroy")),
    case("service by id", ask("Service.get_by_id", 2)),
    case("service by an absent id", ask("Service.get_by_id", 99)),
    case("service by uuid", ask("Service.get_by_uuid", names.SERVICE1)),
    case("service by an absent uuid", ask("Service.get_by_uuid", NOBODY)),
    case("service by host and topic", ask("Service.get_by_host_and_topic", names.HOST, "compute")),
    case("disabled service by host and topic", ask("Service.get_by_host_and_topic", names.OTHER_HOST, "compute")),
    case("service by a host of nobody and topic", ask("Service.get_by_host_and_topic", "nobody", "compute")),
    case("service by host and binary", ask("Service.get_by_host_and_binary", names.HOST, "nova-compute")),
    case("service by host and another binary", ask("Service.get_by_host_and_binary", names.HOST, "nova-x")),
    case("service by arguments", ask("Service.get_by_args", names.HOST, "nova-compute")),
    case("service by arguments of nobody", ask("Service.get_by_args", "nobody", "nova-compute")),
    case("service by compute host", ask("Service.get_by_compute_host", names.HOST)),
    case("service by a host of nobody", ask("Service.get_by_compute_host", "nobody")),
    case("lowest version", ask("Service.get_minimum_version", "nova-compute")),
    case("lowest version of none", ask("Service.get_minimum_version", "nova-conductor")),
    case("lowest version of no service", ask("Service.get_minimum_version", "nonsense")),
    case("lowest version of several", ask("Service.get_minimum_version_multi", ["nova-compute", "nova-scheduler"])),
    case("lowest version with none", ask("Service.get_minimum_version_multi", ["nova-compute", "nova-conductor"])),
    case("all services", ask("ServiceList.get_all")),
    case("disabled services", ask("ServiceList.get_all", disabled=True)),
    case("services with zones", ask("ServiceList.get_all", set_zones=True)),
    case("services of a host", ask("ServiceList.get_by_host", names.HOST)),
    case("services of nobody", ask("ServiceList.get_by_host", "nobody")),
    case("services of a topic", ask("ServiceList.get_by_topic", "compute")),
    case("services of a binary", ask("ServiceList.get_by_binary", "nova-compute")),
    case("services of a binary with disabled", ask("ServiceList.get_by_binary", "nova-compute", include_disabled=True)),
    case("services by hypervisor type", ask("ServiceList.get_all_computes_by_hv_type", "QEMU")),
    case("services by another hypervisor type", ask("ServiceList.get_all_computes_by_hv_type", "xen")),
]


def _node(**changes: object) -> object:
    values = {
        "uuid": names.uuid(0xC0DE, 9),
        "host": "node-9",
        "hypervisor_hostname": "node-9",
        "vcpus": 4,
        "hypervisor_type": "QEMU",
        "hypervisor_version": 1,
        "memory_mb": 1,
        "local_gb": 1,
        "vcpus_used": 0,
        "memory_mb_used": 0,
        "local_gb_used": 0,
        "cpu_info": "",
        "host_ip": "192.0.2.9",
        "stats": {"a": "1"},
        "supported_hv_specs": [made("HVSpec", arch="x86_64", hv_type="kvm", vm_mode="hvm")],
        "metrics": "[]",
        "pci_device_pools": _pools(),
        "cpu_allocation_ratio": 2.0,
        "numa_topology": None,
    }
    return made("ComputeNode", **(values | changes))


def _pools() -> object:
    pool = made("PciDevicePool", product_id="1", vendor_id="2", numa_node=0, tags={"dev_type": "type-PF"}, count=3)
    return made("PciDevicePoolList", objects=[pool])


NODES = [
    case("create a node", act(_node(), "create")),
    case("create a node twice", act(_node(), "create", keep="it"), act(kept("it"), "create")),
    case(
        "create a node without uuid",
        act(
            made(
                "ComputeNode",
                host="a",
                hypervisor_hostname="a",
                vcpus=1,
                memory_mb=1,
                local_gb=1,
                vcpus_used=0,
                memory_mb_used=0,
                local_gb_used=0,
                hypervisor_type="x",
                hypervisor_version=1,
                cpu_info="",
            ),
            "create",
        ),
    ),
    case("create a node of a host and name", act(_node(host=names.HOST, hypervisor_hostname=names.HOST), "create")),
    case("create a node of a uuid", act(_node(uuid=names.NODE1), "create")),
    case(
        "save a node",
        ask("ComputeNode.get_by_id", 1, keep="it"),
        act(kept("it", vcpus_used=3, stats={"num_instances": "2"}), "save"),
    ),
    case("save nothing of a node", ask("ComputeNode.get_by_id", 1, keep="it"), act(kept("it"), "save")),
    case(
        "save pools and specs",
        ask("ComputeNode.get_by_id", 2, keep="it"),
        act(
            kept(
                "it",
                pci_device_pools=_pools(),
                supported_hv_specs=[made("HVSpec", arch="x86_64", hv_type="qemu", vm_mode="hvm")],
            ),
            "save",
        ),
    ),
    case("save an absent node", act(held("ComputeNode", {"id": 99}, vcpus=3), "save")),
    case("save a node and prune", act(held("ComputeNode", {"id": 1}, vcpus=3), "save", prune_stats=True)),
    case("destroy a node", ask("ComputeNode.get_by_id", 1, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent node", act(held("ComputeNode", {"id": 99}), "destroy")),
    case("destroy a node of another service", act(held("ComputeNode", {"id": 1, "service_id": 7}), "destroy")),
    case("destroy a node of another host", act(held("ComputeNode", {"id": 1, "host": "x"}), "destroy")),
    case("node by id", ask("ComputeNode.get_by_id", 2)),
    case("node by an absent id", ask("ComputeNode.get_by_id", 99)),
    case("node by uuid", ask("ComputeNode.get_by_uuid", names.NODE1)),
    case("node by an absent uuid", ask("ComputeNode.get_by_uuid", NOBODY)),
    case("node by service", ask("ComputeNode.get_by_service_id", 1)),
    case("node by host and name", ask("ComputeNode.get_by_host_and_nodename", names.HOST, names.HOST)),
    case("node by host and another name", ask("ComputeNode.get_by_host_and_nodename", names.HOST, "x")),
    case("node by name", ask("ComputeNode.get_by_nodename", names.HOST)),
    case("node by an absent name", ask("ComputeNode.get_by_nodename", "x")),
    case("first node of a host", ask("ComputeNode.get_first_node_by_host_for_old_compat", names.HOST)),
    case("first node of nobody", ask("ComputeNode.get_first_node_by_host_for_old_compat", "x")),
    case("all nodes", ask("ComputeNodeList.get_all")),
    case("nodes of a host", ask("ComputeNodeList.get_all_by_host", names.HOST)),
    case("nodes of nobody", ask("ComputeNodeList.get_all_by_host", "x")),
    case("nodes by uuids", ask("ComputeNodeList.get_all_by_uuids", [names.NODE2, NOBODY])),
    case("nodes not mapped", ask("ComputeNodeList.get_all_by_not_mapped", 1)),
    case("nodes by hypervisor", ask("ComputeNodeList.get_by_hypervisor", "node")),
    case("nodes by no hypervisor", ask("ComputeNodeList.get_by_hypervisor", "zzz")),
    case("nodes by pages", ask("ComputeNodeList.get_by_pagination", limit=1, marker=1)),
    case("nodes by pages of all", ask("ComputeNodeList.get_by_pagination")),
    case("nodes after nobody", ask("ComputeNodeList.get_by_pagination", limit=1, marker=99)),
    case("nodes by service", ask("ComputeNodeList._get_by_service", 1)),
]


def _move(**changes: object) -> object:
    values = {
        "instance_uuid": names.ACTIVE,
        "source_compute": names.HOST,
        "dest_compute": names.OTHER_HOST,
        "source_node": names.HOST,
        "dest_node": names.OTHER_HOST,
        "status": "pre-migrating",
        "migration_type": "resize",
        "old_instance_type_id": 1,
        "new_instance_type_id": 2,
    }
    return made("Migration", **(values | changes))


PAIR = names.HOST, names.HOST
MOVES = [
    case("create a migration", act(_move(), "create")),
    case("create a migration twice", act(_move(), "create", keep="it"), act(kept("it"), "create")),
    case("create a migration with its uuid", act(_move(uuid=names.uuid(0x316, 77), dest_compute_id=2), "create")),
    case("create a migration of nobody", act(_move(instance_uuid=NOBODY), "create")),
    case("save a migration", ask("Migration.get_by_id", 1, keep="it"), act(kept("it", status="confirmed"), "save")),
    case("save nothing of a migration", ask("Migration.get_by_id", 1, keep="it"), act(kept("it"), "save")),
    case("save progress", act(held("Migration", {"id": 2}, memory_total=10, disk_remaining=3), "save")),
    case("save an absent migration", act(held("Migration", {"id": 99}, status="x"), "save")),
    case("migration by id", ask("Migration.get_by_id", 2)),
    case("migration by an absent id", ask("Migration.get_by_id", 99)),
    case("migration by uuid", ask("Migration.get_by_uuid", names.MIGRATION)),
    case("migration by an absent uuid", ask("Migration.get_by_uuid", NOBODY)),
    case("migration of a server", ask("Migration.get_by_id_and_instance", 1, names.RESIZED)),
    case("migration of another server", ask("Migration.get_by_id_and_instance", 1, names.ACTIVE)),
    case("migration by status", ask("Migration.get_by_instance_and_status", names.RESIZED, "finished")),
    case("migration by another status", ask("Migration.get_by_instance_and_status", names.RESIZED, "x")),
    case("unconfirmed migrations", ask("MigrationList.get_unconfirmed_by_dest_compute", 60, names.OTHER_HOST)),
    case("unconfirmed migrations elsewhere", ask("MigrationList.get_unconfirmed_by_dest_compute", 60, names.HOST)),
    case("unconfirmed for ages", ask("MigrationList.get_unconfirmed_by_dest_compute", 10**9, names.OTHER_HOST)),
    case("migrations in progress", ask("MigrationList.get_in_progress_by_host_and_node", *PAIR)),
    case("migrations in progress elsewhere", ask("MigrationList.get_in_progress_by_host_and_node", "x", "x")),
    case("migrations in progress and error", ask("MigrationList.get_in_progress_and_error", *PAIR)),
    case("migrations of a server", ask("MigrationList.get_in_progress_by_instance", names.ACTIVE)),
    case("migrations of a server of a type", ask("MigrationList.get_in_progress_by_instance", names.ACTIVE, "resize")),
    case("migrations by nothing", ask("MigrationList.get_by_filters", {})),
    case("migrations by host", ask("MigrationList.get_by_filters", {"host": names.HOST})),
    case("migrations by source", ask("MigrationList.get_by_filters", {"source_compute": names.HOST})),
    case("migrations by type", ask("MigrationList.get_by_filters", {"migration_type": "resize"})),
    case("migrations by status", ask("MigrationList.get_by_filters", {"status": "running"})),
    case("migrations by several states", ask("MigrationList.get_by_filters", {"status": ["running", "error"]})),
    case("migrations by server", ask("MigrationList.get_by_filters", {"instance_uuid": names.RESIZED})),
    case("migrations by servers", ask("MigrationList.get_by_filters", {"instance_uuid": [names.RESIZED]})),
    case("migrations by uuid", ask("MigrationList.get_by_filters", {"uuid": names.MIGRATION})),
    case("migrations by hidden", ask("MigrationList.get_by_filters", {"hidden": False})),
    case(
        "migrations by user", ask("MigrationList.get_by_filters", {"user_id": names.USER, "project_id": names.PROJECT})
    ),
    case("migrations by changes", ask("MigrationList.get_by_filters", {"changes-since": "2024-01-02T12:00:00Z"})),
    case("migrations before", ask("MigrationList.get_by_filters", {"changes-before": "2024-01-02T12:00:00Z"})),
    case("migrations by nonsense", ask("MigrationList.get_by_filters", {"nonsense": 1})),
    case("migrations sorted", ask("MigrationList.get_by_filters", {}, sort_keys=["status"], sort_dirs=["asc"])),
    case(
        "migrations by pages",
        ask(
            "MigrationList.get_by_filters",
            {},
            sort_keys=["created_at", "id"],
            sort_dirs=["desc", "desc"],
            limit=2,
            marker=names.LIVE_MIGRATION,
        ),
    ),
    case("migrations after nobody", ask("MigrationList.get_by_filters", {}, limit=2, marker=NOBODY)),
]


def _event(**changes: object) -> object:
    return made("InstanceActionEvent", **({"event": "new_event", "start_time": "2024-02-01T00:00:00Z"} | changes))


TIMES = {"start_time": "2024-02-01T00:00:00Z"}
ABOUT = names.ACTIVE, "compute_stop_instance"
ACTIONS = [
    case(
        "create an action",
        act(
            made(
                "InstanceAction",
                instance_uuid=names.ACTIVE,
                action="x",
                request_id="req-new",
                user_id=names.USER,
                project_id=names.PROJECT,
                **TIMES,
            ),
            "create",
        ),
    ),
    case(
        "create an action twice",
        act(made("InstanceAction", instance_uuid=names.ACTIVE, action="x", **TIMES), "create", keep="it"),
        act(kept("it"), "create"),
    ),
    case(
        "create an action of nobody", act(made("InstanceAction", instance_uuid=NOBODY, action="x", **TIMES), "create")
    ),
    case(
        "finish an action",
        ask("InstanceAction.get_by_request_id", names.ACTIVE, names.REQUEST, keep="it"),
        act(kept("it", finish_time="2024-02-02T00:00:00Z", message="m"), "finish"),
    ),
    case(
        "finish an absent action",
        act(
            held(
                "InstanceAction",
                {"id": 99, "instance_uuid": names.ACTIVE, "request_id": "req-x"},
                finish_time="2024-02-02T00:00:00Z",
            ),
            "finish",
        ),
    ),
    case("start an action", ask("InstanceAction.action_start", names.BROKEN, "rebuild")),
    case(
        "start an action without result", ask("InstanceAction.action_start", names.BROKEN, "rebuild", want_result=False)
    ),
    case("start an action of nobody", ask("InstanceAction.action_start", NOBODY, "rebuild")),
    case(
        "start an action of a service",
        ask("InstanceAction.action_start", names.ACTIVE, "x"),
        project_id=None,
        user_id=None,
    ),
    case("end an action", ask("InstanceAction.action_finish", names.ACTIVE)),
    case("end an action without result", ask("InstanceAction.action_finish", names.ACTIVE, want_result=False)),
    case("end an absent action", ask("InstanceAction.action_finish", names.RESIZED)),
    case("action of a request", ask("InstanceAction.get_by_request_id", names.ACTIVE, names.OTHER_REQUEST)),
    case("action of an absent request", ask("InstanceAction.get_by_request_id", names.ACTIVE, "req-x")),
    case("actions of a server", ask("InstanceActionList.get_by_instance_uuid", names.ACTIVE)),
    case("actions of nobody", ask("InstanceActionList.get_by_instance_uuid", NOBODY)),
    case(
        "actions by pages", ask("InstanceActionList.get_by_instance_uuid", names.ACTIVE, limit=1, marker=names.REQUEST)
    ),
    case("actions after nobody", ask("InstanceActionList.get_by_instance_uuid", names.ACTIVE, marker="req-x")),
    case(
        "actions that changed",
        ask("InstanceActionList.get_by_instance_uuid", names.ACTIVE, filters={"changes-since": "2024-01-01T12:00:00Z"}),
    ),
    case(
        "actions before",
        ask(
            "InstanceActionList.get_by_instance_uuid", names.ACTIVE, filters={"changes-before": "2024-02-01T12:00:00Z"}
        ),
    ),
    case("create an event", act(_event(), "create", names.ACTIVE, names.REQUEST)),
    case("create an event of no action", act(_event(), "create", names.ACTIVE, "req-x")),
    case(
        "finish an event",
        act(_event(event="compute_stop_instance", finish_time="2024-02-02T00:00:00Z", result="Success"), "finish"),
    ),
    case(
        "finish an event that was created",
        act(_event(), "create", names.ACTIVE, names.REQUEST, keep="it"),
        act(kept("it", finish_time="2024-02-02T00:00:00Z"), "finish"),
    ),
    case("fail an event", act(_event(event="compute_stop_instance"), "finish_with_failure", "bad", "trace")),
    case("event by id", ask("InstanceActionEvent.get_by_id", 2, 1)),
    case("event by an absent id", ask("InstanceActionEvent.get_by_id", 2, 99)),
    case("event of another action", ask("InstanceActionEvent.get_by_id", 1, 1)),
    case("start an event", ask("InstanceActionEvent.event_start", names.ACTIVE, "compute_x", host="node-7")),
    case("start an event without result", ask("InstanceActionEvent.event_start", names.ACTIVE, "x", want_result=False)),
    case("start an event of no action", ask("InstanceActionEvent.event_start", names.RESIZED, "x")),
    case(
        "start an event of a service",
        ask("InstanceActionEvent.event_start", names.ACTIVE, "x"),
        project_id=None,
        request_id="req-of-service",
    ),
    case("end an event", ask("InstanceActionEvent.event_finish", *ABOUT)),
    case("end an event without result", ask("InstanceActionEvent.event_finish", *ABOUT, want_result=False)),
    case("end an absent event", ask("InstanceActionEvent.event_finish", names.ACTIVE, "x")),
    case("end an event of no action", ask("InstanceActionEvent.event_finish", names.RESIZED, "x")),
    case(
        "end an event that failed",
        ask("InstanceActionEvent.event_finish_with_failure", *ABOUT, exc_val="bad", exc_tb="trace", want_result=True),
    ),
    case("end an event that failed, quietly", ask("InstanceActionEvent.event_finish_with_failure", *ABOUT, "bad", "t")),
    case(
        "end an event that did not fail", ask("InstanceActionEvent.event_finish_with_failure", *ABOUT, want_result=True)
    ),
    case("events of an action", ask("InstanceActionEventList.get_by_action", 2)),
    case("events of no action", ask("InstanceActionEventList.get_by_action", 99)),
]


def _fault(**changes: object) -> object:
    return made(
        "InstanceFault",
        **(
            {"instance_uuid": names.ACTIVE, "code": 500, "message": "bad", "details": "trace", "host": names.HOST}
            | changes
        ),
    )


FAULTS = [
    case("create a fault", act(_fault(), "create")),
    case("create a fault twice", act(_fault(), "create", keep="it"), act(kept("it"), "create")),
    case("create a fault of nobody", act(_fault(instance_uuid=NOBODY), "create")),
    case("latest fault", ask("InstanceFault.get_latest_for_instance", names.BROKEN)),
    case("latest fault of none", ask("InstanceFault.get_latest_for_instance", names.RESIZED)),
    case("faults of servers", ask("InstanceFaultList.get_by_instance_uuids", [names.ACTIVE, names.BROKEN, NOBODY])),
    case("faults of no servers", ask("InstanceFaultList.get_by_instance_uuids", [])),
    case("latest faults", ask("InstanceFaultList.get_latest_by_instance_uuids", [names.ACTIVE, names.BROKEN, NOBODY])),
    case("latest faults of none", ask("InstanceFaultList.get_latest_by_instance_uuids", [])),
]
PERIOD = "2024-01-01T10:00:00Z", "2024-01-02T10:00:00Z"


def _log(**changes: object) -> object:
    values = {
        "task_name": "audit",
        "host": "node-9",
        "period_beginning": PERIOD[0],
        "period_ending": PERIOD[1],
        "message": "begun",
        "task_items": 4,
    }
    return made("TaskLog", **(values | changes))


LOGS = [
    case("begin a task", act(_log(), "begin_task")),
    case("begin a task twice", act(_log(), "begin_task"), act(_log(), "begin_task")),
    case("begin a running task", act(_log(host=names.OTHER_HOST), "begin_task")),
    case("end a task", act(_log(host=names.OTHER_HOST, errors=1, message="ended"), "end_task")),
    case("end a task that never began", act(_log(errors=0), "end_task")),
    case("end a task that ended", act(_log(host=names.HOST, errors=0), "end_task")),
    case("a task", ask("TaskLog.get", "audit", *PERIOD, names.HOST)),
    case("a task in a state", ask("TaskLog.get", "audit", *PERIOD, names.HOST, state="RUNNING")),
    case("a task of nobody", ask("TaskLog.get", "audit", *PERIOD, "x")),
    case("tasks", ask("TaskLogList.get_all", "audit", *PERIOD)),
    case("tasks of a host", ask("TaskLogList.get_all", "audit", *PERIOD, host=names.HOST, state="DONE")),
    case("tasks of another name", ask("TaskLogList.get_all", "x", *PERIOD)),
]


def _usage(**changes: object) -> object:
    values = {
        "volume_id": names.VOLUME,
        "instance_uuid": names.ACTIVE,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        "availability_zone": "nova",
        "curr_reads": 5,
        "curr_read_bytes": 6,
        "curr_writes": 7,
        "curr_write_bytes": 8,
    }
    return made("VolumeUsage", **(values | changes))


USAGE = [
    case("save usage", act(_usage(), "save")),
    case("save usage and totals", act(_usage(), "save", update_totals=True)),
    case("save usage of a new volume", act(_usage(volume_id=names.uuid(0x70, 9)), "save")),
    case("save totals of a new volume", act(_usage(volume_id=names.uuid(0x70, 9)), "save", update_totals=True)),
    case("save lower usage", act(_usage(curr_reads=0, curr_read_bytes=0), "save")),
    case("save lower usage and totals", act(_usage(curr_reads=0, curr_writes=1), "save", update_totals=True)),
]
CASES = [*SERVICES, *NODES, *MOVES, *ACTIONS, *FAULTS, *LOGS, *USAGE]

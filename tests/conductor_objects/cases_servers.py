"""Calls on Instance and InstanceList."""

# fmt: off - tables of calls and rows are read line by line

from conductor_objects import names, things
from conductor_objects.calls import act, ask, case, kept
from conductor_objects.things import instance, made

PARTS = [
    "metadata",
    "system_metadata",
    "info_cache",
    "security_groups",
    "tags",
    "pci_devices",
    "services",
    "flavor",
    "old_flavor",
    "new_flavor",
    "ec2_ids",
    "device_metadata",
    "keypairs",
    "migration_context",
    "numa_topology",
    "pci_requests",
    "resources",
    "trusted_certs",
    "vcpu_model",
]
WINDOW = "2024-01-01T00:00:00.000000", "2024-01-31T00:00:00.000000"


def _read(uuid: str = names.ACTIVE, parts: list[str] | None = None) -> dict:
    return ask("Instance.get_by_uuid", uuid, expected_attrs=parts, keep="it")


def _older(server: object) -> dict:
    """A server as a compute of a release before 2024.1 sends it."""
    return {**things.wire(server), "nova_object.version": "2.7"}


READING = [
    case("read a server", ask("Instance.get_by_uuid", names.ACTIVE)),
    case("read a server with all its parts", ask("Instance.get_by_uuid", names.ACTIVE, expected_attrs=PARTS)),
    case("read a resized server with all", ask("Instance.get_by_uuid", names.RESIZED, expected_attrs=PARTS)),
    case("read a broken server with all", ask("Instance.get_by_uuid", names.BROKEN, expected_attrs=PARTS)),
    case("read a server with its fault", ask("Instance.get_by_uuid", names.BROKEN, expected_attrs=["fault"])),
    case("read a server with no parts", ask("Instance.get_by_uuid", names.ACTIVE, expected_attrs=[])),
    case("read a deleted server", ask("Instance.get_by_uuid", names.GONE)),
    case("read a deleted server as one who may", ask("Instance.get_by_uuid", names.GONE), read_deleted="yes"),
    case("read a live server among deleted ones", ask("Instance.get_by_uuid", names.ACTIVE), read_deleted="only"),
    case("read an absent server", ask("Instance.get_by_uuid", names.ABSENT)),
    case(
        "read another project's server", ask("Instance.get_by_uuid", names.REBOOTING), is_admin=False, roles=["member"]
    ),
    case("read a server by what is no uuid", ask("Instance.get_by_uuid", "no-uuid")),
    case("read an unknown part", ask("Instance.get_by_uuid", names.ACTIVE, expected_attrs=["nonsense"])),
    case("read a server by id", ask("Instance.get_by_id", 1)),
    case("read a server by id with parts", ask("Instance.get_by_id", 1, expected_attrs=["flavor", "tags"])),
    case("read an absent id", ask("Instance.get_by_id", 99)),
    case("read an id beyond integers", ask("Instance.get_by_id", 2**70)),
]
SAVING = [
    case("save a task state", _read(), act(kept("it", task_state="powering-off"), "save")),
    case("save nothing", _read(), act(kept("it"), "save")),
    case(
        "save with the expected task state", act(instance(task_state="rebooting"), "save", expected_task_state=[None])
    ),
    case("save with one of several expected", act(instance(task_state="x"), "save", expected_task_state=["a", None])),
    case("save a server in another task state", act(instance(task_state="x"), "save", expected_task_state="spawning")),
    case("save a server in another vm state", act(instance(vm_state="paused"), "save", expected_vm_state=["stopped"])),
    case(
        "save a server in both states",
        act(instance(vm_state="paused"), "save", expected_vm_state=["active"], expected_task_state=[None]),
    ),
    case("save a server that waits for nothing", act(instance(task_state="x"), "save", expected_task_state=[])),
    case(
        "save when it is being deleted",
        _read(),
        act(kept("it", task_state="deleting"), "save"),
        act(instance(task_state="spawning"), "save", expected_task_state=["spawning", None]),
    ),
    case(
        "save a host and node", act(instance(names.BROKEN, 2, host=names.HOST, node=names.HOST, compute_id=1), "save")
    ),
    case("save a node without its id", act(instance(names.BROKEN, 2, node=names.HOST), "save")),
    case("save a server without node", act(instance(host=None, node=None), "save")),
    case(
        "save texts and numbers",
        act(
            instance(
                display_name="näme",
                power_state=4,
                progress=50,
                locked=True,
                locked_by="owner",
                auto_disk_config=False,
                cleaned=True,
            ),
            "save",
        ),
    ),
    case("save times", act(instance(launched_at="2024-03-01T00:00:00Z", terminated_at=None), "save")),
    case("save addresses", act(instance(access_ip_v4="192.0.2.77", access_ip_v6="2001:db8::1"), "save")),
    case("save metadata", _read(), act(kept("it", metadata={"role": "db", "new": "1"}), "save")),
    case("save no metadata", _read(), act(kept("it", metadata={}), "save")),
    case("save system metadata", _read(), act(kept("it", system_metadata={"a": "b", "image_min_ram": "0"}), "save")),
    case("save a flavor", _read(names.ACTIVE, ["flavor"]), act(kept("it", new_flavor=things.flavor(2)), "save")),
    case(
        "save a flavor away",
        _read(names.RESIZED, ["flavor"]),
        act(kept("it", old_flavor=None, instance_type_id=1), "save"),
    ),
    case("save a changed flavor", _read(), act(kept("it", flavor=things.flavor(2, description="text")), "save")),
    case("save extra parts", act(instance(trusted_certs=made("TrustedCerts", ids=["three"])), "save")),
    case("save a vcpu model", act(instance(names.BROKEN, 2, vcpu_model=things.vcpu_model()), "save")),
    case("save device metadata", act(instance(names.BROKEN, 2, device_metadata=things.device_metadata()), "save")),
    case(
        "save a numa topology", act(instance(names.BROKEN, 2, numa_topology=things.numa_topology(names.BROKEN)), "save")
    ),
    case("save no numa topology", act(instance(numa_topology=None), "save")),
    case("save pci requests", act(instance(names.BROKEN, 2, pci_requests=things.pci_requests(names.BROKEN)), "save")),
    case(
        "save a migration context", act(instance(migration_context=things.migration_context(names.ACTIVE, 2)), "save")
    ),
    case("save no migration context", act(instance(names.RESIZED, 5, migration_context=None), "save")),
    case("save resources", act(instance(names.BROKEN, 2, resources=things.resources()), "save")),
    case(
        "save key pairs",
        act(instance(names.BROKEN, 2, keypairs=made("KeyPairList", objects=[things.key_pair()])), "save"),
    ),
    case(
        "save network info",
        _read(),
        act(kept("it", info_cache=made("InstanceInfoCache", instance_uuid=names.ACTIVE, network_info=[])), "save"),
    ),
    case("save tags", act(instance(tags=made("TagList", objects=[])), "save")),
    case("save an absent server", act(instance(names.ABSENT, 99, task_state="x"), "save")),
    case(
        "save an absent server, guarded",
        act(instance(names.ABSENT, 99, task_state="x"), "save", expected_task_state=[None]),
    ),
    case("save a deleted server", act(instance(names.GONE, 4, task_state="x"), "save")),
    case("save with an unknown argument", act(instance(task_state="x"), "save", nonsense=True)),
    case("save an admin reset", act(instance(vm_state="error"), "save", admin_state_reset=True)),
    case("save compute id alone", act(instance(compute_id=2), "save")),
]
LIVING = [
    case("create a server", act(things.planned(), "create")),
    case("create and read", act(things.planned(), "create"), ask("Instance.get_by_uuid", names.PLANNED, PARTS)),
    case("create a server that is there", act(instance(), "create")),
    case("create a second server of a uuid", act(things.planned(names.ACTIVE), "create")),
    case(
        "create a server without a flavor",
        act(made("Instance", uuid=names.PLANNED, project_id=names.PROJECT), "create"),
    ),
    case(
        "create with parts",
        act(
            things.planned(
                numa_topology=things.numa_topology(names.PLANNED),
                pci_requests=things.pci_requests(names.PLANNED),
                trusted_certs=made("TrustedCerts", ids=["x"]),
                resources=things.resources(),
                vcpu_model=things.vcpu_model(),
                keypairs=made("KeyPairList", objects=[things.key_pair()]),
                device_metadata=things.device_metadata(),
            ),
            "create",
        ),
    ),
    case(
        "create with tags",
        act(things.planned(tags=made("TagList", objects=[made("Tag", resource_id=names.PLANNED, tag="t")])), "create"),
    ),
    case("create a node without its id", act(things.planned(host=names.HOST, node=names.HOST), "create")),
    case(
        "create a node without its id, of an older release",
        act(_older(things.planned(host=names.HOST, node=names.HOST)), "create"),
    ),
    case("save a node without its id, of an older release", act(_older(instance(names.BROKEN, 2, node="x")), "save")),
    case("refresh", _read(), act(instance(display_name="renamed"), "save"), act(kept("it"), "refresh")),
    case(
        "refresh with parts",
        _read(names.ACTIVE, PARTS),
        act(instance(metadata={"x": "y"}), "save"),
        act(kept("it"), "refresh"),
    ),
    case("refresh an absent server", act(instance(names.ABSENT, 99), "refresh")),
    case("refresh a deleted server", act(instance(names.GONE, 4), "refresh")),
    case("destroy", _read(), act(kept("it"), "destroy")),
    case("destroy the resized", _read(names.RESIZED), act(kept("it"), "destroy")),
    case("destroy the broken", _read(names.BROKEN), act(kept("it"), "destroy")),
    case("destroy for good", _read(), act(kept("it"), "destroy", hard_delete=True)),
    case("destroy twice", _read(), act(kept("it"), "destroy", keep="gone"), act(kept("gone"), "destroy")),
    case("destroy an absent server", act(instance(names.ABSENT, 99), "destroy")),
    case("destroy what has no id", act(made("Instance", uuid=names.ACTIVE), "destroy")),
    case(
        "destroy a server that has a host now",
        act(things.held("Instance", {"id": 1, "uuid": names.ACTIVE, "host": None, "deleted": False}), "destroy"),
    ),
    case(
        "drop a migration context",
        _read(names.RESIZED, ["migration_context"]),
        act(kept("it"), "drop_migration_context"),
    ),
    case("drop one that was not read", act(instance(names.RESIZED, 5), "drop_migration_context")),
    case("drop none", _read(names.ACTIVE, ["migration_context"]), act(kept("it"), "drop_migration_context")),
    case("drop of an absent server", act(instance(names.ABSENT, 9), "drop_migration_context")),
    case(
        "delete a metadata key that was read",
        _read(names.ACTIVE, ["metadata"]),
        act(kept("it"), "delete_metadata_key", "role"),
    ),
    case("delete a metadata key", _read(), act(kept("it"), "delete_metadata_key", "role")),
    case("delete an absent metadata key", _read(), act(kept("it"), "delete_metadata_key", "nothing")),
    case(
        "delete metadata that was not read",
        act(things.held("Instance", {"id": 1, "uuid": names.ACTIVE}), "delete_metadata_key", "role"),
    ),
    case("delete metadata of an absent server", act(instance(names.ABSENT, 9), "delete_metadata_key", "role")),
]
LISTS = [
    case("list all", ask("InstanceList.get_all", expected_attrs=["metadata"])),
    case("list all, deleted as well", ask("InstanceList.get_all"), read_deleted="yes"),
    case("list all of my project", ask("InstanceList.get_all"), is_admin=False, roles=["member"]),
    case("list by host", ask("InstanceList.get_by_host", names.HOST)),
    case("list by host with parts", ask("InstanceList.get_by_host", names.OTHER_HOST, expected_attrs=PARTS)),
    case("list by a host of nobody", ask("InstanceList.get_by_host", "nobody")),
    case("list by host and node", ask("InstanceList.get_by_host_and_node", names.HOST, names.HOST, ["flavor"])),
    case("list by host and another flavor", ask("InstanceList.get_by_host_and_not_type", names.HOST, type_id=1)),
    case("list by host and no flavor", ask("InstanceList.get_by_host_and_not_type", names.HOST)),
    case("list by host and flavor 2", ask("InstanceList.get_by_host_and_not_type", names.HOST, 2, ["flavor"])),
    case("list uuids by host", ask("InstanceList.get_uuids_by_host", names.HOST)),
    case("list uuids by node", ask("InstanceList.get_uuids_by_host_and_node", names.HOST, names.HOST)),
    case("list uuids by hosts", ask("InstanceList.get_uuids_by_hosts", [names.HOST, names.OTHER_HOST, "nobody"])),
    case("list rebooting servers", ask("InstanceList.get_hung_in_rebooting", 60)),
    case("list rebooting with parts", ask("InstanceList.get_hung_in_rebooting", 60, expected_attrs=["flavor"])),
    case("list rebooting since ever", ask("InstanceList.get_hung_in_rebooting", 10**9)),
    case("list active in a window", ask("InstanceList._get_active_by_window_joined", *WINDOW)),
    case("list active since", ask("InstanceList._get_active_by_window_joined", WINDOW[1])),
    case(
        "list active before all",
        ask("InstanceList._get_active_by_window_joined", "2023-01-01T00:00:00Z", "2023-02-01T00:00:00Z"),
    ),
    case(
        "list active of a project",
        ask(
            "InstanceList._get_active_by_window_joined",
            *WINDOW,
            project_id=names.OTHER_PROJECT,
            host=names.HOST,
            expected_attrs=["metadata"],
        ),
    ),
    case(
        "list active by pages", ask("InstanceList._get_active_by_window_joined", *WINDOW, limit=1, marker=names.ACTIVE)
    ),
    case(
        "list active after nobody",
        ask("InstanceList._get_active_by_window_joined", *WINDOW, limit=1, marker=names.ABSENT),
    ),
    case("list by a security group", ask("InstanceList.get_by_security_group_id", 1)),
    case("list by an unused security group", ask("InstanceList.get_by_security_group_id", 2)),
    case("list by an absent security group", ask("InstanceList.get_by_security_group_id", 99)),
    case("list by grantee groups", ask("InstanceList.get_by_grantee_security_group_ids", [1, 2])),
    case("count of a project", ask("InstanceList.get_counts", names.PROJECT)),
    case("count of a user", ask("InstanceList.get_counts", names.PROJECT, user_id=names.USER)),
    case("count of nobody", ask("InstanceList.get_counts", "nobody")),
    case("count by state", ask("InstanceList.get_count_by_vm_state", names.PROJECT, names.USER, "active")),
    case("count by a state of none", ask("InstanceList.get_count_by_vm_state", names.PROJECT, names.USER, "x")),
]


def _by(name: str, filters: dict, *args: object, **kwargs: object) -> dict:
    return case(f"filter: {name}", ask("InstanceList.get_by_filters", filters, *args, **kwargs))


FILTERS = [
    _by("nothing", {}),
    _by("nothing, with faults", {}, expected_attrs=["fault", "services", "pci_devices"]),
    _by("host", {"host": names.HOST}),
    _by("several hosts", {"host": [names.HOST, names.OTHER_HOST]}),
    _by("deleted", {"deleted": True}),
    _by("not deleted", {"deleted": False}),
    _by("soft deleted", {"soft_deleted": True}),
    _by("not soft deleted", {"deleted": False, "soft_deleted": False}),
    _by("deleted or soft deleted", {"deleted": True, "soft_deleted": True}),
    _by("states", {"vm_state": ["active", "error"], "task_state": None}),
    _by("task states", {"task_state": ["reboot_started"]}),
    _by("a name", {"display_name": "act"}),
    _by("a pattern", {"display_name": "^(active|broken)$"}),
    _by("uuids", {"uuid": [names.ACTIVE, names.RESIZED]}, expected_attrs=["metadata", "flavor"]),
    _by("no uuids", {"uuid": []}),
    _by("project", {"project_id": names.OTHER_PROJECT}),
    _by("user", {"user_id": names.USER}),
    _by("metadata", {"metadata": {"role": "web"}}),
    _by("several metadata", {"metadata": [{"role": "web"}, {"tier": "1"}]}),
    _by("system metadata", {"system_metadata": {"image_min_ram": "0"}}),
    _by("tags", {"tags": ["blue", "red"]}),
    _by("any tags", {"tags-any": ["blue", "green"]}),
    _by("no such tags", {"not-tags": ["blue"]}),
    _by("none of any tags", {"not-tags-any": ["blue", "green"]}),
    _by("image", {"image_ref": names.IMAGE}),
    _by("changes since", {"changes-since": "2024-01-02T00:00:00Z"}),
    _by("changes before", {"changes-before": "2024-01-02T00:00:00Z"}),
    _by("launched", {"launched_at": None}),
    _by("cleaned of deleted", {"cleaned": True, "deleted": True}),
    _by("ip6", {"ip6": "2001"}),
    _by("hidden", {"hidden": False}),
    _by("flavor", {"instance_type_id": 2}),
    _by("a column of nobody", {"nonsense": 1}),
    _by("sorted", {}, "display_name", "asc"),
    _by("sorted by two", {}, sort_keys=["vm_state", "display_name"], sort_dirs=["asc", "desc"]),
    _by("sorted by host", {}, sort_keys=["host"], sort_dirs=["desc"]),
    _by("sorted by nonsense", {}, sort_keys=["nonsense"], sort_dirs=["asc"]),
    _by("sorted in a wrong way", {}, sort_keys=["host"], sort_dirs=["sideways"]),
    _by("a page", {}, "display_name", "asc", 2),
    _by("the next page", {}, "display_name", "asc", limit=2, marker=names.ACTIVE),
    _by("after an absent one", {}, "display_name", "asc", limit=2, marker=names.ABSENT),
    _by("a page of none", {}, limit=0),
]
CASES = [*READING, *SAVING, *LIVING, *LISTS, *FILTERS]

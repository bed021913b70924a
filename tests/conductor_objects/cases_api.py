"""Calls on what the API database holds: cells, mappings, flavors, aggregates, groups, keys, specs, build requests."""

# fmt: off - tables of calls and rows are read line by line

from conductor_objects import names, things
from conductor_objects.calls import act, ask, case, kept
from conductor_objects.things import held, made

NOBODY = names.ABSENT
NEW = names.uuid(0xF00, 1)


def _cell(number: int = 2, uuid: str = names.CELL1) -> object:
    return held(
        "CellMapping",
        {
            "id": number,
            "uuid": uuid,
            "name": "cell1",
            "transport_url": "fake://",
            "database_connection": "sqlite://",
            "disabled": False,
        },
    )


def _new_cell(**changes: object) -> object:
    values = {"uuid": NEW, "name": "new", "transport_url": "rabbit://x", "database_connection": "mysql://x"}
    return made("CellMapping", **(values | changes))


CELLS = [
    case("create a cell", act(_new_cell(), "create")),
    case("create a cell twice", act(_new_cell(), "create", keep="it"), act(kept("it"), "create")),
    case("create a cell of a uuid", act(_new_cell(uuid=names.CELL1), "create")),
    case(
        "save a cell",
        ask("CellMapping.get_by_uuid", names.CELL1, keep="it"),
        act(kept("it", name="other", disabled=True), "save"),
    ),
    case("save nothing of a cell", ask("CellMapping.get_by_uuid", names.CELL1, keep="it"), act(kept("it"), "save")),
    case("save an absent cell", act(held("CellMapping", {"uuid": NOBODY, "id": 9}, name="x"), "save")),
    case(
        "destroy a cell", ask("CellMapping.get_by_uuid", names.uuid(0xCE11, 2), keep="it"), act(kept("it"), "destroy")
    ),
    case("destroy an absent cell", act(held("CellMapping", {"uuid": NOBODY, "id": 9}), "destroy")),
    case("cell by uuid", ask("CellMapping.get_by_uuid", names.CELL1)),
    case("cell by an absent uuid", ask("CellMapping.get_by_uuid", NOBODY)),
    case("all cells", ask("CellMappingList.get_all")),
    case("disabled cells", ask("CellMappingList.get_by_disabled", True)),
    case("enabled cells", ask("CellMappingList.get_by_disabled", False)),
]
HOSTS = [
    case("create a host mapping", act(made("HostMapping", host="node-9", cell_mapping=_cell()), "create")),
    case(
        "create a host mapping twice",
        act(made("HostMapping", host="node-9", cell_mapping=_cell()), "create", keep="it"),
        act(kept("it"), "create"),
    ),
    case("create a host mapping of a host", act(made("HostMapping", host=names.HOST, cell_mapping=_cell()), "create")),
    case(
        "save a host mapping",
        ask("HostMapping.get_by_host", names.HOST, keep="it"),
        act(kept("it", cell_mapping=_cell(3, names.uuid(0xCE11, 2))), "save"),
    ),
    case(
        "save nothing of a host mapping", ask("HostMapping.get_by_host", names.HOST, keep="it"), act(kept("it"), "save")
    ),
    case("save an absent host mapping", act(held("HostMapping", {"id": 9, "host": "x"}, cell_mapping=_cell()), "save")),
    case("destroy a host mapping", ask("HostMapping.get_by_host", names.HOST, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent host mapping", act(held("HostMapping", {"host": "x", "id": 9}), "destroy")),
    case("host mapping", ask("HostMapping.get_by_host", names.HOST)),
    case("host mapping of nobody", ask("HostMapping.get_by_host", "x")),
    case("all host mappings", ask("HostMappingList.get_all")),
    case("host mappings of a cell", ask("HostMappingList.get_by_cell_id", 2)),
    case("host mappings of no cell", ask("HostMappingList.get_by_cell_id", 99)),
]


def _mapping(**changes: object) -> object:
    values = {"instance_uuid": NEW, "project_id": names.PROJECT, "user_id": names.USER, "queued_for_delete": False}
    return made("InstanceMapping", **(values | changes))


MAPPINGS = [
    case("create a mapping", act(_mapping(cell_mapping=_cell()), "create")),
    case("create a mapping without cell", act(_mapping(), "create")),
    case("create a mapping with no cell", act(_mapping(cell_mapping=None), "create")),
    case("create a mapping without user", act(made("InstanceMapping", instance_uuid=NEW, project_id="p"), "create")),
    case("create a mapping twice", act(_mapping(), "create", keep="it"), act(kept("it"), "create")),
    case("create a mapping of a server", act(_mapping(instance_uuid=names.ACTIVE), "create")),
    case(
        "save a mapping",
        ask("InstanceMapping.get_by_instance_uuid", names.PLANNED, keep="it"),
        act(kept("it", cell_mapping=_cell()), "save"),
    ),
    case(
        "save no cell",
        ask("InstanceMapping.get_by_instance_uuid", names.ACTIVE, keep="it"),
        act(kept("it", cell_mapping=None), "save"),
    ),
    case(
        "save what was queued",
        ask("InstanceMapping.get_by_instance_uuid", names.ACTIVE, keep="it"),
        act(kept("it", queued_for_delete=True), "save"),
    ),
    case(
        "save nothing of a mapping",
        ask("InstanceMapping.get_by_instance_uuid", names.ACTIVE, keep="it"),
        act(kept("it"), "save"),
    ),
    case(
        "save an absent mapping",
        act(held("InstanceMapping", {"id": 9, "instance_uuid": NOBODY}, project_id="x"), "save"),
    ),
    case(
        "destroy a mapping",
        ask("InstanceMapping.get_by_instance_uuid", names.ACTIVE, keep="it"),
        act(kept("it"), "destroy"),
    ),
    case("destroy an absent mapping", act(held("InstanceMapping", {"instance_uuid": NOBODY}), "destroy")),
    case("mapping of a server", ask("InstanceMapping.get_by_instance_uuid", names.ACTIVE)),
    case("mapping without cell", ask("InstanceMapping.get_by_instance_uuid", names.PLANNED)),
    case("mapping without user", ask("InstanceMapping.get_by_instance_uuid", names.REBOOTING)),
    case("mapping of nobody", ask("InstanceMapping.get_by_instance_uuid", NOBODY)),
    case("mappings of a project", ask("InstanceMappingList.get_by_project_id", names.PROJECT)),
    case("mappings of no project", ask("InstanceMappingList.get_by_project_id", "x")),
    case("mappings of a cell", ask("InstanceMappingList.get_by_cell_id", 2)),
    case("mappings of no cell", ask("InstanceMappingList.get_by_cell_id", 99)),
    case("mappings of servers", ask("InstanceMappingList.get_by_instance_uuids", [names.ACTIVE, NOBODY])),
    case("mappings of no servers", ask("InstanceMappingList.get_by_instance_uuids", [])),
    case("mappings counted", ask("InstanceMappingList.get_counts", names.PROJECT)),
    case("mappings counted by user", ask("InstanceMappingList.get_counts", names.PROJECT, user_id=names.USER)),
    case("mappings counted of nobody", ask("InstanceMappingList.get_counts", "x")),
]


def _flavor(**changes: object) -> object:
    values = {
        "name": "new",
        "flavorid": "new",
        "memory_mb": 1,
        "vcpus": 1,
        "root_gb": 1,
        "ephemeral_gb": 0,
        "swap": 0,
        "rxtx_factor": 1.0,
        "vcpu_weight": None,
        "disabled": False,
        "is_public": True,
        "description": "text",
    }
    return made("Flavor", **(values | changes))


def _by_id(number: int = 1) -> dict:
    return ask("Flavor.get_by_id", number, keep="it")


FLAVORS = [
    case("create a flavor", act(_flavor(), "create")),
    case(
        "create a flavor with specs and projects",
        act(_flavor(extra_specs={"a": "b"}, projects=["p"], is_public=False), "create"),
    ),
    case("create a flavor twice", act(_flavor(), "create", keep="it"), act(kept("it"), "create")),
    case("create a flavor of a name", act(_flavor(name="m1.1"), "create")),
    case("create a flavor of an id", act(_flavor(flavorid="1"), "create")),
    case("destroy a flavor", _by_id(), act(kept("it"), "destroy")),
    case("destroy a private flavor", _by_id(3), act(kept("it"), "destroy")),
    case("destroy an absent flavor", act(held("Flavor", {"id": 99, "flavorid": "99", "name": "x"}), "destroy")),
    case("destroy a flavor by its id alone", act(held("Flavor", {"flavorid": "2"}), "destroy")),
    case("give access", _by_id(3), act(kept("it"), "add_access", "new-project")),
    case("give access twice", _by_id(3), act(kept("it"), "add_access", names.PROJECT)),
    case(
        "give access with open changes",
        act(held("Flavor", {"id": 3, "flavorid": "3", "projects": []}, projects=["x"]), "add_access", "p"),
    ),
    case(
        "give access to an absent flavor",
        act(held("Flavor", {"id": 99, "flavorid": "99", "projects": []}), "add_access", "p"),
    ),
    case("take access", _by_id(3), act(kept("it"), "remove_access", names.PROJECT)),
    case("take absent access", _by_id(3), act(kept("it"), "remove_access", "nobody")),
    case("load projects", _by_id(3), act(kept("it"), "_load_projects")),
    case("load projects of an absent flavor", act(held("Flavor", {"id": 99, "flavorid": "99"}), "_load_projects")),
    case(
        "save extra specs",
        _by_id(),
        act(kept("it"), "save_extra_specs", to_add={"x": "y", "quota:cpu_shares": "20"}, to_delete=["hw:cpu_policy"]),
    ),
    case("delete an absent extra spec", _by_id(), act(kept("it"), "save_extra_specs", to_delete=["nothing"])),
    case(
        "save specs of an absent flavor",
        act(held("Flavor", {"id": 99, "flavorid": "99", "extra_specs": {}}), "save_extra_specs", to_add={"a": "b"}),
    ),
    case("save no extra specs", _by_id(), act(kept("it"), "save_extra_specs")),
    case("save projects", _by_id(3), act(kept("it"), "save_projects", to_add=["p"], to_delete=[names.PROJECT])),
    case("save no projects", _by_id(3), act(kept("it"), "save_projects")),
    case("delete an absent project", _by_id(3), act(kept("it"), "save_projects", to_delete=["nobody"])),
    case("flavor by id", ask("Flavor.get_by_id", 1)),
    case("private flavor by id", ask("Flavor.get_by_id", 3)),
    case("flavor by an absent id", ask("Flavor.get_by_id", 99)),
    case("flavor by name", ask("Flavor.get_by_name", "m1.2")),
    case("flavor by an absent name", ask("Flavor.get_by_name", "x")),
    case("flavor by flavor id", ask("Flavor.get_by_flavor_id", "4")),
    case("flavor by flavor id, deleted too", ask("Flavor.get_by_flavor_id", "1", read_deleted="yes")),
    case("flavor by an absent flavor id", ask("Flavor.get_by_flavor_id", "99")),
    case(
        "private flavor of another project",
        ask("Flavor.get_by_flavor_id", "3"),
        is_admin=False,
        project_id=names.OTHER_PROJECT,
        roles=["member"],
    ),
    case("private flavor of my project", ask("Flavor.get_by_flavor_id", "3"), is_admin=False, roles=["member"]),
    case("all flavors", ask("FlavorList.get_all")),
    case("inactive flavors", ask("FlavorList.get_all", inactive=True)),
    case("flavors sorted", ask("FlavorList.get_all", sort_key="memory_mb", sort_dir="desc", limit=2)),
    case("flavors by pages", ask("FlavorList.get_all", limit=1, marker="1")),
    case("flavors after nobody", ask("FlavorList.get_all", marker="x")),
    case("flavors by memory", ask("FlavorList.get_all", filters={"min_memory_mb": 1000, "min_root_gb": 1})),
    case("public flavors", ask("FlavorList.get_all", filters={"is_public": True})),
    case("private flavors", ask("FlavorList.get_all", filters={"is_public": False})),
    case("disabled flavors", ask("FlavorList.get_all", inactive=True, filters={"disabled": True})),
    case("flavors of a member", ask("FlavorList.get_all"), is_admin=False, roles=["member"]),
    case(
        "public flavors or mine",
        ask("FlavorList.get_all", filters={"is_public": True}),
        is_admin=False,
        roles=["member"],
    ),
]
AGGREGATE = "Aggregate.get_by_id"
AGGREGATES = [
    case("create an aggregate", act(made("Aggregate", name="new", metadata={"a": "b"}), "create")),
    case("create an aggregate with its uuid", act(made("Aggregate", name="new", uuid=NEW), "create")),
    case("create an aggregate with hosts", act(made("Aggregate", name="new", hosts=["x"]), "create")),
    case(
        "create an aggregate twice", act(made("Aggregate", name="new"), "create", keep="it"), act(kept("it"), "create")
    ),
    case("create an aggregate of a name", act(made("Aggregate", name="fast"), "create")),
    case("save an aggregate", ask(AGGREGATE, 1, keep="it"), act(kept("it", name="other"), "save")),
    case("save nothing of an aggregate", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "save")),
    case("save hosts", ask(AGGREGATE, 1, keep="it"), act(kept("it", hosts=["x"]), "save")),
    case(
        "save the metadata of an aggregate",
        ask(AGGREGATE, 1, keep="it"),
        act(kept("it", metadata={"x": "y"}, name="n"), "save"),
    ),
    case("save a taken name", ask(AGGREGATE, 1, keep="it"), act(kept("it", name="zone"), "save")),
    case("save an absent aggregate", act(held("Aggregate", {"id": 99, "name": "n"}, name="x"), "save")),
    case("update metadata", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "update_metadata", {"x": "y", "ssd": None})),
    case(
        "update metadata that is there",
        ask(AGGREGATE, 1, keep="it"),
        act(kept("it"), "update_metadata", {"ssd": "false"}),
    ),
    case("remove absent metadata", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "update_metadata", {"none": None})),
    case(
        "update metadata of nobody",
        act(held("Aggregate", {"id": 99, "name": "x", "metadata": {}}), "update_metadata", {"a": "b"}),
    ),
    case("destroy an aggregate", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent aggregate", act(held("Aggregate", {"id": 99, "name": "x"}), "destroy")),
    case("add a host", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "add_host", "node-9")),
    case("add a host twice", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "add_host", names.HOST)),
    case("add a host to nobody", act(held("Aggregate", {"id": 99, "name": "x", "hosts": []}), "add_host", "x")),
    case("delete a host", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "delete_host", names.HOST)),
    case("delete an absent host", ask(AGGREGATE, 1, keep="it"), act(kept("it"), "delete_host", "x")),
    case("delete a host of nobody", act(held("Aggregate", {"id": 99, "name": "x", "hosts": []}), "delete_host", "x")),
    case("aggregate by id", ask(AGGREGATE, 2)),
    case("aggregate by an absent id", ask(AGGREGATE, 99)),
    case("aggregate by uuid", ask("Aggregate.get_by_uuid", names.AGGREGATE)),
    case("aggregate by an absent uuid", ask("Aggregate.get_by_uuid", NOBODY)),
    case("all aggregates", ask("AggregateList.get_all")),
    case("aggregates of a host", ask("AggregateList.get_by_host", names.HOST)),
    case("aggregates of a host with a key", ask("AggregateList.get_by_host", names.HOST, key="ssd")),
    case("aggregates of nobody", ask("AggregateList.get_by_host", "x")),
    case("aggregates with a key", ask("AggregateList.get_by_metadata_key", "availability_zone")),
    case(
        "aggregates with a key and hosts",
        ask("AggregateList.get_by_metadata_key", "availability_zone", hosts=[names.OTHER_HOST]),
    ),
    case(
        "aggregates with a key and other hosts",
        ask("AggregateList.get_by_metadata_key", "ssd", hosts=[names.OTHER_HOST]),
    ),
    case("aggregates with metadata", ask("AggregateList.get_by_metadata", key="ssd", value="true")),
    case("aggregates with a value", ask("AggregateList.get_by_metadata", value="az-1")),
    case("aggregates with no metadata", ask("AggregateList.get_by_metadata", key="ssd", value="x")),
]


def _group(**changes: object) -> object:
    return made(
        "InstanceGroup",
        **(
            {"uuid": NEW, "name": "new", "project_id": names.PROJECT, "user_id": names.USER, "policy": "affinity"}
            | changes
        ),
    )


BY = "InstanceGroup.get_by_uuid"
GROUPS = [
    case("create a group", act(_group(), "create")),
    case(
        "create a group with rules", act(_group(policy="anti-affinity", _rules={"max_server_per_host": "3"}), "create")
    ),
    case("create a group with members", act(_group(members=[names.RESIZED]), "create")),
    case("create a group without policy", act(made("InstanceGroup", name="x", project_id="p", user_id="u"), "create")),
    case("create a group twice", act(_group(), "create", keep="it"), act(kept("it"), "create")),
    case("create a group of a uuid", act(_group(uuid=names.GROUP), "create")),
    case("save a group", ask(BY, names.GROUP, keep="it"), act(kept("it", name="other"), "save")),
    case(
        "save members", ask(BY, names.GROUP, keep="it"), act(kept("it", members=[names.ACTIVE, names.RESIZED]), "save")
    ),
    case("save no members", ask(BY, names.GROUP, keep="it"), act(kept("it", members=[]), "save")),
    case("save a policy", ask(BY, names.GROUP, keep="it"), act(kept("it", policy="affinity"), "save")),
    case("save nothing of a group", ask(BY, names.GROUP, keep="it"), act(kept("it"), "save")),
    case("save hosts of a group", ask(BY, names.GROUP, keep="it"), act(kept("it", hosts=["x"]), "save")),
    case("save an absent group", act(held("InstanceGroup", {"uuid": NOBODY, "id": 9}, name="x"), "save")),
    case("destroy a group", ask(BY, names.GROUP, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent group", act(held("InstanceGroup", {"uuid": NOBODY, "id": 9}), "destroy")),
    case(
        "refresh a group",
        ask(BY, names.GROUP, keep="it"),
        ask("InstanceGroup.add_members", names.GROUP, [names.RESIZED]),
        act(kept("it"), "refresh"),
    ),
    case("refresh an absent group", act(held("InstanceGroup", {"uuid": NOBODY, "id": 9}), "refresh")),
    case("hosts of a group", ask(BY, names.GROUP, keep="it"), act(kept("it"), "get_hosts")),
    case(
        "hosts of a group but one",
        ask(BY, names.GROUP, keep="it"),
        act(kept("it"), "get_hosts", exclude=[names.ACTIVE]),
    ),
    case("hosts of an empty group", ask(BY, names.LOOSE_GROUP, keep="it"), act(kept("it"), "get_hosts")),
    case("members counted", ask(BY, names.GROUP, keep="it"), act(kept("it"), "count_members_by_user", names.USER)),
    case("members counted of another", ask(BY, names.GROUP, keep="it"), act(kept("it"), "count_members_by_user", "x")),
    case("group by uuid", ask(BY, names.GROUP)),
    case("group by an absent uuid", ask(BY, NOBODY)),
    case("group by name", ask("InstanceGroup.get_by_name", "together")),
    case("group by an absent name", ask("InstanceGroup.get_by_name", "x")),
    case("group of a server", ask("InstanceGroup.get_by_instance_uuid", names.ACTIVE)),
    case("group of nobody", ask("InstanceGroup.get_by_instance_uuid", NOBODY)),
    case("add members", ask("InstanceGroup.add_members", names.GROUP, [names.RESIZED])),
    case("add members that are there", ask("InstanceGroup.add_members", names.GROUP, [names.ACTIVE, names.RESIZED])),
    case("add members to nobody", ask("InstanceGroup.add_members", NOBODY, [names.ACTIVE])),
    case("all groups", ask("InstanceGroupList.get_all")),
    case("groups of a project", ask("InstanceGroupList.get_by_project_id", names.PROJECT)),
    case("groups of no project", ask("InstanceGroupList.get_by_project_id", "x")),
    case("groups counted", ask("InstanceGroupList.get_counts", names.PROJECT)),
    case("groups counted by user", ask("InstanceGroupList.get_counts", names.PROJECT, user_id=names.USER)),
    case("groups counted of nobody", ask("InstanceGroupList.get_counts", names.PROJECT, user_id="x")),
]


def _key(**changes: object) -> object:
    return made(
        "KeyPair",
        **(
            {"name": "new", "user_id": names.USER, "fingerprint": "cc:dd", "type": "x509", "public_key": "text"}
            | changes
        ),
    )


KEYS = [
    case("create a key", act(_key(), "create")),
    case("create a key twice", act(_key(), "create", keep="it"), act(kept("it"), "create")),
    case("create a key of a name", act(_key(name="key"), "create")),
    case("destroy a key", ask("KeyPair.get_by_name", names.USER, "key", keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent key", act(held("KeyPair", {"user_id": names.USER, "name": "x", "id": 9}), "destroy")),
    case("destroy a key by name", ask("KeyPair.destroy_by_name", names.USER, "key")),
    case("destroy an absent key by name", ask("KeyPair.destroy_by_name", names.USER, "x")),
    case("key by name", ask("KeyPair.get_by_name", names.USER, "key")),
    case("key by an absent name", ask("KeyPair.get_by_name", names.USER, "x")),
    case("key by name, here only", ask("KeyPair.get_by_name", names.USER, "key", localonly=True)),
    case("keys of a user", ask("KeyPairList.get_by_user", names.USER)),
    case("keys by pages", ask("KeyPairList.get_by_user", names.USER, limit=1, marker="key")),
    case("a page of keys", ask("KeyPairList.get_by_user", names.USER, limit=2)),
    case("keys after nobody", ask("KeyPairList.get_by_user", names.USER, marker="x")),
    case("keys of nobody", ask("KeyPairList.get_by_user", "x")),
    case("keys counted", ask("KeyPairList.get_count_by_user", names.USER)),
]
SPEC = "RequestSpec.get_by_instance_uuid"


def _spec(**changes: object) -> object:
    return things.request_spec(NEW, **changes)


SPECS = [
    case("create a spec", act(_spec(), "create")),
    case(
        "create a spec with a group",
        act(
            _spec(
                instance_group=made(
                    "InstanceGroup",
                    id=1,
                    uuid=names.GROUP,
                    name="together",
                    policy="affinity",
                    members=[names.ACTIVE],
                    hosts=[names.HOST],
                )
            ),
            "create",
        ),
    ),
    case(
        "create a spec with everything that is not kept",
        act(
            _spec(
                retry=made("SchedulerRetries", num_attempts=1, hosts=made("ComputeNodeList", objects=[])),
                requested_destination=made("Destination", host=names.HOST),
                network_metadata=made("NetworkMetadata", physnets={"a"}, tunneled=False),
                requested_networks=made("NetworkRequestList", objects=[]),
                numa_topology=things.numa_topology(NEW),
                request_level_params=made("RequestLevelParams", root_required={"A"}),
            ),
            "create",
        ),
    ),
    case("create a spec twice", act(_spec(), "create", keep="it"), act(kept("it"), "create")),
    case("create a spec of a server", act(things.request_spec(names.ACTIVE), "create")),
    case("save a spec", ask(SPEC, names.ACTIVE, keep="it"), act(kept("it", num_instances=2, is_bfv=True), "save")),
    case("save nothing of a spec", ask(SPEC, names.ACTIVE, keep="it"), act(kept("it"), "save")),
    case("save a spec's flavor", ask(SPEC, names.ACTIVE, keep="it"), act(kept("it", flavor=things.flavor(2)), "save")),
    case(
        "save what is not kept",
        ask(SPEC, names.ACTIVE, keep="it"),
        act(kept("it", ignore_hosts=["x"], force_hosts=["y"]), "save"),
    ),
    case("save an absent spec", act(held("RequestSpec", {"id": 9, "instance_uuid": NOBODY}, num_instances=3), "save")),
    case("destroy a spec", ask(SPEC, names.ACTIVE, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent spec", act(held("RequestSpec", {"instance_uuid": NOBODY, "id": 9}), "destroy")),
    case("spec of a server", ask(SPEC, names.ACTIVE)),
    case("spec of a server in a group", ask(SPEC, names.BROKEN)),
    case("spec of nobody", ask(SPEC, NOBODY)),
    case("specs of servers", ask("RequestSpec.get_by_instance_uuids", [names.ACTIVE, names.BROKEN, NOBODY])),
    case("specs of no servers", ask("RequestSpec.get_by_instance_uuids", [])),
]
BUILD = "BuildRequest.get_by_instance_uuid"
BUILDS = [
    case("create a build request", act(things.build_request(NEW), "create")),
    case(
        "create a build request with devices and tags",
        act(
            things.build_request(
                NEW,
                block_device_mappings=made(
                    "BlockDeviceMappingList",
                    objects=[
                        made("BlockDeviceMapping", source_type="image", destination_type="local", boot_index=0, tag="t")
                    ],
                ),
                tags=made("TagList", objects=[made("Tag", resource_id=NEW, tag="a")]),
            ),
            "create",
        ),
    ),
    case("create a build request without server", act(made("BuildRequest", project_id="p"), "create")),
    case(
        "create a build request twice", act(things.build_request(NEW), "create", keep="it"), act(kept("it"), "create")
    ),
    case("create a build request of a server", act(things.build_request(), "create")),
    case("save a build request", ask(BUILD, names.PLANNED, keep="it"), act(kept("it", project_id="other"), "save")),
    case(
        "save the server of a build request",
        ask(BUILD, names.PLANNED, keep="it"),
        act(kept("it", instance=things.planned(display_name="renamed")), "save"),
    ),
    case(
        "save an absent build request",
        act(held("BuildRequest", {"id": 99, "instance_uuid": NOBODY}, project_id="other"), "save"),
    ),
    case("destroy a build request", ask(BUILD, names.PLANNED, keep="it"), act(kept("it"), "destroy")),
    case("destroy an absent build request", act(held("BuildRequest", {"instance_uuid": NOBODY, "id": 9}), "destroy")),
    case("build request of a server", ask(BUILD, names.PLANNED)),
    case("build request of nobody", ask(BUILD, NOBODY)),
    case("all build requests", ask("BuildRequestList.get_all")),
] + [
    case(f"build requests by {name}", ask("BuildRequestList.get_by_filters", filters, **more))
    for name, filters, more in (
        ("nothing", {}, {}),
        ("project", {"project_id": names.PROJECT}, {}),
        ("no project", {"project_id": "x"}, {}),
        ("name", {"display_name": "plan"}, {}),
        ("another name", {"display_name": "zzz"}, {}),
        ("deleted", {"deleted": True}, {}),
        ("state", {"vm_state": "building"}, {}),
        ("states", {"vm_state": ["x"]}, {}),
        ("metadata", {"metadata": {"role": "new"}}, {}),
        ("other metadata", {"metadata": {"role": "x"}}, {}),
        ("tags", {"tags": ["a"]}, {}),
        ("no tags", {"not-tags": ["a"]}, {}),
        ("uuid", {"uuid": [names.PLANNED]}, {}),
        ("a page", {}, {"limit": 1, "sort_keys": ["display_name"], "sort_dirs": ["asc"]}),
        ("a marker", {}, {"marker": names.PLANNED, "sort_keys": ["display_name"], "sort_dirs": ["asc"]}),
        ("an absent marker", {}, {"marker": NOBODY}),
        ("limit 0", {}, {"limit": 0}),
        ("changes", {"changes-since": "2024-01-02T00:00:00Z"}, {}),
        ("image", {"image_ref": names.IMAGE}, {}),
    )
]
CASES = [*CELLS, *HOSTS, *MAPPINGS, *FLAVORS, *AGGREGATES, *GROUPS, *KEYS, *SPECS, *BUILDS]

"""Booting: every server of a request ends on a host or in ERROR with the reason, and nothing is left behind."""

import datetime

from keel_common.clients.errors import Unreachable
from keel_common.db import now, schema
from keel_common.db.stores.nova import quotas
from keel_conductor.flows.expire import Expiry


def test_a_server_is_recorded_mapped_and_handed_to_its_host(cloud):
    requests, specs, devices = cloud.asked()
    context = cloud.context()
    server = requests[0].instance_uuid
    cloud.build(requests, specs, devices, context, tags=["blue"])

    ((_spec, uuids, as_objects, alternates),) = cloud.scheduler.calls
    assert (uuids, as_objects, alternates) == ([server], True, True)
    row = cloud.row("instances")
    assert (row["uuid"], row["vm_state"], row["task_state"], row["host"]) == (server, "building", "scheduling", None)
    assert row["availability_zone"] == "zone-1"
    assert cloud.row("instance_mappings")["cell_id"] == cloud.cell.id
    assert cloud.rows("build_requests") == []
    action = cloud.row("instance_actions")
    assert (action["action"], action["request_id"], action["instance_uuid"]) == ("create", context.request_id, server)
    assert {pair["key"]: pair["value"] for pair in cloud.rows("instance_metadata")} == {"k": "v"}
    assert len(cloud.rows("instance_system_metadata")) == 2
    assert cloud.row("instance_info_caches")["network_info"] == "[]"
    assert '"cur": {' in cloud.row("instance_extra")["flavor"]
    assert "for tests" not in cloud.row("instance_extra")["flavor"]
    assert [(bdm["source_type"], bdm["volume_size"]) for bdm in cloud.rows("block_device_mapping")] == [
        ("image", None),
        ("blank", 3),
    ]
    assert cloud.row("tags")["tag"] == "blue"
    assert [group["name"] for group in cloud.rows("security_groups")] == ["default"]


def test_the_compute_gets_what_the_contract_says(cloud):
    requests, specs, devices = cloud.asked()
    cloud.build(requests, specs, devices)
    cloud.until(lambda: cloud.compute.built)
    (_context, args), row = cloud.compute.built[0], cloud.row("instances")
    assert args["instance"].uuid == row["uuid"]
    assert args["instance"].id == row["id"]
    assert args["instance"].ec2_ids.instance_id == "i-00000001"
    assert args["instance"].ec2_ids.ami_id == "ami-00000001"
    assert args["instance"].changes() == {}
    assert args["filter_properties"] == {"retry": {"num_attempts": 1, "hosts": [["node-1", "node-1"]]}, "limits": {}}
    assert [bdm.id for bdm in args["block_device_mapping"].objects] == [1, 2]
    assert [selection.service_host for selection in args["host_list"]] == ["node-2"]
    assert (args["node"], args["limits"], args["security_groups"]) == ("node-1", {}, ["default"])
    assert (args["admin_password"], args["accel_uuids"]) == ("secret", [])


def test_several_servers_of_one_request_are_placed_by_one_call(cloud):
    cloud.build(*cloud.asked(3))
    assert len(cloud.scheduler.calls) == 1
    cloud.until(lambda: len(cloud.compute.built) == 3)
    assert len({args["instance"].uuid for _, args in cloud.compute.built}) == 3
    assert len(cloud.rows("security_groups")) == 1


def test_without_a_valid_host_the_server_is_buried_in_cell0_with_the_reason(cloud):
    cloud.scheduler.refusal = "No valid host was found. 0 of 2 left after ComputeFilter."
    requests, specs, devices = cloud.asked()
    cloud.build(requests, specs, devices, tags=["blue"])
    db = cloud.cell0.db
    row = cloud.row("instances", db)
    assert (row["vm_state"], row["task_state"], row["host"]) == ("error", None, None)
    fault = cloud.row("instance_faults", db)
    assert fault["message"] == cloud.scheduler.refusal
    assert (fault["code"], fault["host"]) == (500, "conductor-1")
    event = cloud.row("instance_actions_events", db)
    assert (event["event"], event["result"]) == ("conductor_schedule_and_build_instances", "Error")
    assert cloud.row("instance_actions", db)["message"] == "Error"
    assert cloud.row("instance_mappings")["cell_id"] == cloud.cell0.id
    assert len(cloud.rows("block_device_mapping", db)) == 2
    assert cloud.row("tags", db)["tag"] == "blue"
    assert cloud.rows("build_requests") == []
    assert cloud.rows("instances") == []
    assert cloud.compute.built == []


def test_a_server_deleted_while_it_is_placed_leaves_nothing(cloud):
    requests, specs, devices = cloud.asked(2)
    gone = requests[0].instance_uuid
    table = schema.nova_api.tables["build_requests"]

    def delete():
        cloud.cells.api.run(lambda conn: conn.execute(table.delete().where(table.c.instance_uuid == gone)))

    cloud.scheduler.meanwhile = delete
    cloud.build(requests, specs, devices)
    assert [row["uuid"] for row in cloud.rows("instances")] == [requests[1].instance_uuid]
    assert [row["instance_uuid"] for row in cloud.rows("instance_mappings")] == [requests[1].instance_uuid]
    assert list(cloud.placement.held) == [requests[1].instance_uuid]
    cloud.until(lambda: cloud.compute.built)
    assert len(cloud.compute.built) == 1


def test_a_request_that_came_in_beside_another_and_is_over_quota_ends_in_error(cloud):
    limits = {"instances": 1}
    cloud.cells.api.run(quotas.set_project, cloud.asked()[0][0].project_id, limits)
    cloud.build(*cloud.asked(2))
    rows = cloud.rows("instances")
    assert {(row["vm_state"], row["task_state"]) for row in rows} == {("error", None)}
    assert {fault["message"].split(":")[0] for fault in cloud.rows("instance_faults")} == {
        "Quota exceeded for instances"
    }
    assert cloud.placement.held == {}
    assert cloud.compute.built == []
    assert [row["instance_uuid"] for row in cloud.rows("build_requests")] == [
        row["instance_uuid"] for row in cloud.rows("instance_mappings") if row["cell_id"] is None
    ]


def rescheduled(cloud, alternates, **retry):
    """A server whose first host gave it back; returns the arguments a compute sends."""
    requests, specs, devices = cloud.asked()
    cloud.build(requests, specs, devices)
    cloud.until(lambda: cloud.compute.built)
    args = cloud.compute.built.pop()[1]
    cloud.placement.delete_allocations(args["instance"].uuid)
    properties = args["filter_properties"]
    properties["retry"] |= {"exc_reason": "disk broke", **retry}
    message = {
        name: args[name] for name in ("image", "admin_password", "injected_files", "requested_networks", "request_spec")
    }
    return message | {
        "instances": [args["instance"]],
        "filter_properties": properties,
        "security_groups": args["security_groups"],
        "host_lists": [alternates(args["host_list"])],
    }


def test_a_build_that_a_host_gave_back_goes_to_the_next_one(cloud):
    message = rescheduled(cloud, lambda hosts: hosts)
    cloud.task.send(cloud.context(), "build_instances", **message)
    cloud.until(lambda: cloud.compute.built)
    args = cloud.compute.built[0][1]
    assert args["node"] == "node-2"
    assert args["filter_properties"]["retry"]["num_attempts"] == 2
    assert args["filter_properties"]["retry"]["hosts"] == [["node-1", "node-1"], ["node-2", "node-2"]]
    assert cloud.placement.held[args["instance"].uuid] == cloud.scheduler.providers["node-2"]
    assert len(cloud.scheduler.calls) == 1
    assert [bdm.id for bdm in args["block_device_mapping"].objects] == [1, 2]


def test_without_another_host_the_server_ends_in_error_and_its_ports_go(cloud):
    message = rescheduled(cloud, lambda hosts: [])
    server = message["instances"][0].uuid
    cloud.neutron.create_port({"device_id": server, "network_id": "n"})
    cloud.task.send(cloud.context(), "build_instances", **message)
    cloud.until(lambda: cloud.row("instances")["vm_state"] == "error")
    cloud.until(lambda: not cloud.neutron.ports)
    assert "No host is left" in cloud.row("instance_faults")["message"]
    assert cloud.placement.held == {}


def test_after_the_last_attempt_the_fault_names_what_the_last_host_said(cloud):
    message = rescheduled(cloud, lambda hosts: hosts, num_attempts=3)
    cloud.task.send(cloud.context(), "build_instances", **message)
    cloud.until(lambda: cloud.row("instances")["vm_state"] == "error")
    cloud.until(lambda: cloud.rows("instance_faults"))
    assert "disk broke" in cloud.row("instance_faults")["message"]


def test_full_alternatives_are_passed_over(cloud):
    cloud.scheduler.hosts = ["node-1", "node-3", "node-2"]
    message = rescheduled(cloud, lambda hosts: hosts)
    cloud.placement.full.add(cloud.scheduler.providers["node-3"])
    cloud.task.send(cloud.context(), "build_instances", **message)
    cloud.until(lambda: cloud.compute.built)
    assert cloud.compute.built[0][1]["node"] == "node-2"


def age(cloud, db, table, seconds):
    """Makes every row of a table look `seconds` old."""
    past = now() - datetime.timedelta(seconds=seconds)
    metadata = schema.nova_api if db is cloud.cells.api else schema.nova_cell
    values = {"created_at": past, "updated_at": None}
    db.run(lambda conn: conn.execute(metadata.tables[table].update().values(**values)))


def test_a_request_that_died_with_its_conductor_is_buried_after_the_deadline(cloud):
    requests, _specs, _devices = cloud.asked()
    server = requests[0].instance_uuid
    cloud.placement.held[server] = "somewhere"
    expiry = Expiry(cloud.peers)
    expiry.run()
    assert len(cloud.rows("build_requests")) == 1
    age(cloud, cloud.cells.api, "build_requests", 601)
    expiry.run()
    assert cloud.rows("build_requests") == []
    assert cloud.row("instances", cloud.cell0.db)["vm_state"] == "error"
    assert "interrupted" in cloud.row("instance_faults", cloud.cell0.db)["message"]
    assert cloud.placement.held == {}
    Expiry(cloud.peers).run()
    assert len(cloud.rows("instance_faults", cloud.cell0.db)) == 1


def test_a_recorded_server_that_no_compute_ever_got_ends_in_error(cloud):
    cloud.build(*cloud.asked())
    cloud.until(lambda: cloud.compute.built)
    age(cloud, cloud.cell.db, "instances", 601)
    Expiry(cloud.peers).run()
    row = cloud.row("instances")
    assert (row["vm_state"], row["task_state"]) == ("error", None)
    assert "interrupted" in cloud.row("instance_faults")["message"]


def test_servers_are_buried_one_by_one_also_when_the_claim_cannot_be_given_back(cloud):
    def refuse(consumer):
        raise Unreachable(0, "no answer", "placement")

    cloud.placement.delete_allocations = refuse
    cloud.scheduler.meanwhile = lambda: 1 / 0
    cloud.build(*cloud.asked(2))
    rows = cloud.rows("instances", cloud.cell0.db)
    assert [row["vm_state"] for row in rows] == ["error", "error"]
    assert {fault["message"] for fault in cloud.rows("instance_faults", cloud.cell0.db)} == {"division by zero"}
    assert cloud.rows("build_requests") == []


def test_a_choice_in_a_cell_nobody_knows_is_buried_in_cell0(cloud):
    cloud.scheduler.cell = "11111111-1111-4111-8111-111111111111"
    cloud.build(*cloud.asked())
    assert cloud.row("instances", cloud.cell0.db)["vm_state"] == "error"
    assert "not mapped" in cloud.row("instance_faults", cloud.cell0.db)["message"]
    assert cloud.placement.held == {}

import pytest

from keel_common.db import schema
from keel_common.db.stores.nova import servers
from keel_contract.errors import RemoteFault


def act(cloud, uuid, action, args=None, **how):
    return cloud.api.post(f"/servers/{uuid}/action", {action: args}, **how)


def state(cloud, uuid):
    row = cloud.cell.read(servers.one, uuid, ["vm_state", "task_state", "locked", "locked_by", "locked_reason"])
    return {key: row[key] for key in ("vm_state", "task_state", "locked", "locked_by", "locked_reason")}


def actions(cloud):
    table = schema.nova_cell.tables["instance_actions"]
    return cloud.cell.read(lambda conn: [row.action for row in conn.execute(table.select())])


@pytest.mark.parametrize(
    ("action", "args", "vm_state", "task_state", "message", "extra"),
    [
        ("os-start", None, "stopped", "powering-on", "start_instance", {}),
        ("os-stop", None, "active", "powering-off", "stop_instance", {"clean_shutdown": True}),
        ("reboot", {"type": "SOFT"}, "active", "rebooting", "reboot_instance", {"reboot_type": "SOFT"}),
        ("reboot", {"type": "hard"}, "stopped", "rebooting_hard", "reboot_instance", {"reboot_type": "HARD"}),
        ("pause", None, "active", "pausing", "pause_instance", {}),
        ("suspend", None, "active", "suspending", "suspend_instance", {}),
    ],
)
def test_an_action_sets_its_task_state_and_tells_the_host(cloud, action, args, vm_state, task_state, message, extra):
    uuid = cloud.server(vm_state=vm_state)
    reply = act(cloud, uuid, action, args)
    assert (reply.status, reply.raw) == (202, b"")
    ((method, sent),) = cloud.api.bus.sent
    assert method == message and sent["instance"].task_state == task_state
    assert sent["instance"].flavor.name == "m1.small"
    assert extra.items() <= sent.items()
    assert state(cloud, uuid)["task_state"] == task_state
    assert actions(cloud) == [action.removeprefix("os-")]


@pytest.mark.parametrize(
    ("action", "args", "values", "text"),
    [
        ("os-start", None, {"vm_state": "active"}, "Cannot 'start' instance {} while it is in vm_state active"),
        ("os-stop", None, {"task_state": "deleting"}, "Cannot 'stop' instance {} while it is in task_state deleting"),
        ("os-stop", None, {"host": None}, "Instance {} is not ready"),
        ("os-stop", None, {"locked": True}, "Instance {} is locked"),
        ("reboot", {"type": "SOFT"}, {"vm_state": "stopped"}, "while it is in vm_state stopped"),
        ("reboot", {"type": "HARD"}, {"vm_state": "building"}, "while it is in vm_state building"),
    ],
)
def test_a_guard_refuses_with_its_recorded_sentence(cloud, action, args, values, text):
    uuid = cloud.server(**values)
    reply = act(cloud, uuid, action, args)
    assert reply.status == 409 and text.format(uuid) in reply.message
    assert cloud.api.bus.sent == [] and actions(cloud) == []


def test_a_lost_race_is_a_conflict(cloud):
    uuid = cloud.server()
    late = "CREATE TRIGGER late BEFORE UPDATE ON instances BEGIN SELECT RAISE(IGNORE); END"
    cloud.cell.run(lambda conn: conn.exec_driver_sql(late))  # as if the row had changed since it was read
    assert act(cloud, uuid, "os-stop").status == 409
    assert cloud.api.bus.sent == [] and actions(cloud) == []


def test_a_server_without_a_cell_is_not_ready(cloud, wish):
    uuid = cloud.create(wish())["server"]["id"]
    assert act(cloud, uuid, "reboot", {"type": "HARD"}).status == 409
    for unknown in ("os-start", "os-stop", "trigger_crash_dump", "lock"):  # as measured
        assert act(cloud, uuid, unknown).status == 404


def test_a_message_that_cannot_leave_undoes_the_task_state(cloud):
    uuid = cloud.server()
    cloud.api.bus.answers["stop_instance"] = ConnectionError("no broker")
    assert act(cloud, uuid, "os-stop").status == 500
    assert state(cloud, uuid)["task_state"] is None


def test_locks_of_owner_and_administrator(cloud, admin, other):
    uuid = cloud.server(project=other.project, user=other.user)
    assert act(cloud, uuid, "lock", {"locked_reason": "mine"}, who=other, version="2.73").status == 202
    assert state(cloud, uuid) | {"vm_state": "", "task_state": ""} == {
        "vm_state": "",
        "task_state": "",
        "locked": True,
        "locked_by": "owner",
        "locked_reason": "mine",
    }
    shown = cloud.api.get(f"/servers/{uuid}", who=other, version="2.73").body["server"]
    assert (shown["locked"], shown["locked_reason"]) == (True, "mine")
    assert act(cloud, uuid, "lock", who=other).status == 202
    assert actions(cloud) == ["lock"]
    assert act(cloud, uuid, "lock", who=admin).status == 202
    assert state(cloud, uuid)["locked_by"] == "admin" and state(cloud, uuid)["locked_reason"] is None
    assert act(cloud, uuid, "unlock", who=other).status == 403
    assert act(cloud, uuid, "unlock", who=admin).status == 202
    assert state(cloud, uuid)["locked_by"] is None and not state(cloud, uuid)["locked"]
    events = schema.nova_cell.tables["instance_actions_events"]
    names = cloud.cell.read(lambda conn: [row.event for row in conn.execute(events.select())])
    assert names == ["api_lock", "api_lock", "api_unlock"]


def test_an_administrator_resets_the_state(cloud, admin):
    uuid = cloud.server(vm_state="error", task_state="deleting")
    assert act(cloud, uuid, "os-resetState", {"state": "active"}).status == 403
    assert act(cloud, uuid, "os-resetState", {"state": "active"}, who=admin).status == 202
    assert (state(cloud, uuid)["vm_state"], state(cloud, uuid)["task_state"]) == ("active", None)
    assert actions(cloud) == ["resetState"]


def test_the_console_output_comes_from_the_host(cloud):
    uuid = cloud.server()
    cloud.api.bus.answers["get_console_output"] = "boot\nlogin:"
    reply = act(cloud, uuid, "os-getConsoleOutput", {"length": 10})
    assert reply.body == {"output": "boot\nlogin:"} and cloud.api.bus.sent[0][1]["tail_length"] == 10
    cloud.api.bus.answers["get_console_output"] = RemoteFault("ConsoleNotAvailable", "no console")
    assert act(cloud, uuid, "os-getConsoleOutput", {}).status == 404
    cloud.api.bus.answers["get_console_output"] = RemoteFault("NotImplementedError", "not here")
    assert act(cloud, uuid, "os-getConsoleOutput", {}).status == 501


def test_an_update_changes_rows_and_build_requests(cloud, wish, admin):
    row = cloud.server()
    build = cloud.create(wish(), version="2.104")["server"]["id"]
    body = {"server": {"name": "new", "description": "d", "accessIPv4": "192.0.2.7", "hostname": "host"}}
    for uuid in (row, build):
        shown = cloud.api.put(f"/servers/{uuid}", body, version="2.90").ok.body["server"]
        assert (shown["name"], shown["description"], shown["accessIPv4"]) == ("new", "d", "192.0.2.7")
        again = cloud.api.get(f"/servers/{uuid}", version="2.90").ok.body["server"]
        assert (again["name"], again["OS-EXT-SRV-ATTR:hostname"]) == ("new", "host")
    assert cloud.api.put("/servers/nothing", body, version="2.90").status == 404


def test_a_zone_is_pinned_and_unpinned(cloud, wish):
    uuid = cloud.create(wish(), version="2.104")["server"]["id"]

    def pin(zone):
        body = {"server": {"pinned_availability_zone": zone}}
        return cloud.api.put(f"/servers/{uuid}", body, version="2.104")

    assert pin(None).body["server"]["pinned_availability_zone"] is None
    assert pin("elsewhere").status == 409


@pytest.mark.parametrize(
    ("action", "vm_state", "task_state", "message"),
    [
        ("unpause", "paused", "unpausing", "unpause_instance"),
        ("resume", "suspended", "resuming", "resume_instance"),
        ("unrescue", "rescued", "unrescuing", "unrescue_instance"),
        ("trigger_crash_dump", "active", None, "trigger_crash_dump"),
    ],
)
def test_an_action_is_let_through_in_its_state_alone(cloud, action, vm_state, task_state, message):
    uuid = cloud.server(vm_state=vm_state)
    assert act(cloud, uuid, action, version="2.17").status == 202
    assert (cloud.api.bus.methods(), state(cloud, uuid)["task_state"]) == ([message], task_state)
    assert actions(cloud) == [action]
    assert act(cloud, cloud.server(2, vm_state="building"), action, version="2.17").status == 409
    assert cloud.api.bus.methods() == [message]


def test_network_info_is_injected_without_a_record(cloud, admin):
    uuid = cloud.server()
    assert act(cloud, uuid, "injectNetworkInfo").status == 403
    assert act(cloud, uuid, "injectNetworkInfo", who=admin).status == 202
    assert (cloud.api.bus.methods(), actions(cloud)) == (["inject_network_info"], [])

"""Every action against every vm_state, task_state and condition, as measured on the real API (nova 34.0.0 measured).

Where the real one answers 500 to a fair request, ours says what is the matter: BETTER lists these.
"""

import json
from pathlib import Path

import pytest
from fakes.api import Identity

from keel_common.db import add, schema

from .rows import FLAVOR, nova

MATRIX = json.loads((Path(__file__).parents[1] / "data" / "compute_state_matrix.json").read_text())
OTHER_ROLE = Identity("nobody", Identity.MEMBER.project, ("other",))
LARGER = {**FLAVOR, "id": 2, "name": "m1.large", "flavorid": "large", "vcpus": 2, "memory_mb": 4096}
WHO = {
    "member": Identity.MEMBER,
    "locked, member": Identity.MEMBER,
    "reader": Identity.READER,
    "role other": OTHER_ROLE,
}
# conditions that the real API was measured in without the host that would have refused: the message has nowhere to go
NO_HOST = {("addFixedIp", 202), ("removeFixedIp", 202), ("injectNetworkInfo", 202)}
TASKS = ("deleting", "image_backup", "migrating", "powering-off", "resize_prep", "spawning", "unshelving")
"""Task states of every kind; all others that answer differently are tried, too."""
SERVER = "/servers/{}"
ACT = f"{SERVER}/action"
CALLS = {
    "DELETE migration": ("DELETE", f"{SERVER}/migrations/1", None, "2.104"),
    "DELETE os-server-password": ("DELETE", f"{SERVER}/os-server-password", None, "2.104"),
    "DELETE server": ("DELETE", SERVER, None, "2.104"),
    "DELETE tags": ("DELETE", f"{SERVER}/tags", None, "2.104"),
    "GET os-server-password": ("GET", f"{SERVER}/os-server-password", None, "2.104"),
    "POST force_complete": ("POST", f"{SERVER}/migrations/1/action", {"force_complete": None}, "2.104"),
    "POST metadata": ("POST", f"{SERVER}/metadata", {"metadata": {"a": "b"}}, "2.104"),
    "POST remote-consoles": (
        "POST",
        f"{SERVER}/remote-consoles",
        {"remote_console": {"protocol": "vnc", "type": "novnc"}},
        "2.104",
    ),
    "PUT server name": ("PUT", SERVER, {"server": {"name": "n"}}, "2.104"),
    "PUT tags": ("PUT", f"{SERVER}/tags", {"tags": ["t"]}, "2.104"),
    "POST os-volume_attachments": ("POST", f"{SERVER}/os-volume_attachments", "volume", "2.104"),
    "POST os-volume_attachments 2.19": ("POST", f"{SERVER}/os-volume_attachments", "volume", "2.19"),
}
BODIES = {
    "addFixedIp": {"networkId": "1"},
    "changePassword": {"adminPass": "secret"},
    "createBackup": {"name": "b", "backup_type": "daily", "rotation": 1},
    "createImage": {"name": "i"},
    "evacuate": {},
    "migrate": None,
    "os-getConsoleOutput": {},
    "os-getSPICEConsole": {"type": "spice-html5"},
    "os-getVNCConsole": {"type": "novnc"},
    "os-migrateLive": {"host": None, "block_migration": "auto"},
    "os-resetState": {"state": "active"},
    "removeFixedIp": {"address": "10.0.0.5"},
    "resize": {"flavorRef": "large"},
}
SAID = {
    "reboot HARD": ("reboot", {"type": "HARD"}),
    "reboot SOFT": ("reboot", {"type": "SOFT"}),
    "resize same flavor": ("resize", {"flavorRef": "small"}),
    "unshelve to zone": ("unshelve", {"availability_zone": "nova"}),
}
VERSIONS = dict.fromkeys(("addFixedIp", "removeFixedIp"), "2.43") | dict.fromkeys(
    ("os-getSPICEConsole", "os-getVNCConsole"), "2.5"
)


def better(name, code, condition):
    """The code of ours where the measured one is no answer to a fair request."""
    if condition == "no host" and (name, code) in NO_HOST:
        return 409
    return 409 if code == 500 else code


@pytest.fixture
def made(cloud):
    """The cloud with what the actions look for: a larger flavor, consoles, hosts that answer."""
    cloud.api.cells.api.run(_larger)
    bus = cloud.api.bus
    console = {"access_url": "http://console", "token": "t", "host": "h", "port": 1, "internal_access_path": None}
    bus.answers |= {"get_vnc_console": console, "get_spice_console": console, "get_console_output": "text"}
    bus.answers["attach_volume"] = "/dev/vdb"
    return cloud


def _larger(conn):
    columns = schema.nova_api.tables["flavors"].c
    row = {key: value for key, value in LARGER.items() if key in columns and not key.endswith("_at")}
    add(conn, schema.nova_api.tables["flavors"], row)


def server(cloud, name, vm_state, task_state=None, condition=""):
    """A server in a state, with the migration that some states come with; the code it is asked with."""
    values = {"vm_state": vm_state, "task_state": task_state}
    if vm_state == "shelved_offloaded" or condition == "no host":
        values |= {"host": None, "node": None}
    if condition == "never launched":
        values["launched_at"] = None
    if condition.startswith("locked"):
        values |= {"locked": True, "locked_by": "owner"}
    down = condition == "host down" or (name == "evacuate" and condition != "host up")
    if values.get("host", "node-1"):
        cloud.service(forced_down=down)
    elif name != "evacuate":
        cloud.service()
    uuid = cloud.server(image_ref=cloud.image, **values)
    cloud.cell.run(_extra, uuid)
    return uuid


def _extra(conn, uuid):
    """A flavor before and after a resize, and the migration that is to be confirmed or given up."""
    tables = schema.nova_cell.tables
    flavors = {"cur": nova("Flavor", "1.2", FLAVOR), "old": nova("Flavor", "1.2", FLAVOR), "new": None}
    extra = tables["instance_extra"]
    conn.execute(extra.update().where(extra.c.instance_uuid == uuid).values(flavor=json.dumps(flavors)))
    for status, kind in (("finished", "resize"),):
        row = {"instance_uuid": uuid, "status": status, "migration_type": kind, "source_compute": "node-1"}
        row |= {"dest_compute": "node-1", "hidden": False, "cross_cell_move": False}
        row |= {"uuid": "4a2f6f2e-0f2b-4d4a-9d0b-0d1f3f8f1c11", "source_node": "node-1"}
        add(conn, tables["migrations"], row)


def ask(cloud, name, uuid, who=Identity.ADMIN):
    if name in CALLS:
        method, path, body, version = CALLS[name]
        if body == "volume":
            body = {"volumeAttachment": {"volumeId": cloud.cinder.add()}}
        return cloud.api.call(method, path.format(uuid), body, who=who, version=version)
    key, args = SAID.get(name, (name, BODIES.get(name)))
    args = {"imageRef": cloud.image} if key == "rebuild" else args
    return cloud.api.post(ACT.format(uuid), {key: args}, who=who, version=VERSIONS.get(name, "2.104"))


@pytest.mark.parametrize("name", sorted(MATRIX["vm_states"]))
def test_every_vm_state_answers_as_measured(made, name):
    for code, states in MATRIX["vm_states"][name].items():
        for state in states if code != "not measured" else ():
            uuid = server(made, name, state)
            no_host = "no host" if state == "shelved_offloaded" else ""
            reply = ask(made, name, uuid)
            assert reply.status == better(name, int(code), no_host), (name, state, reply.raw)
            _forget(made)


@pytest.mark.parametrize("name", sorted(MATRIX["tasks"]))
def test_every_task_state_answers_as_measured(made, name):
    row = MATRIX["tasks"][name]
    for task in sorted({*TASKS, *row["others"]}):
        reply = ask(made, name, server(made, name, row["vm_state"], task))
        expected = better(name, row["others"].get(task, row["default"]), "")
        assert reply.status == expected, (name, task, reply.raw)
        _forget(made)


@pytest.mark.parametrize("name", sorted(MATRIX["flags"]))
def test_every_condition_answers_as_measured(made, name):
    state = MATRIX["tasks"][name]["vm_state"]
    for condition, code in MATRIX["flags"][name].items():
        reply = ask(made, name, server(made, name, state, None, condition), WHO.get(condition, Identity.ADMIN))
        assert reply.status == better(name, code, condition), (name, condition, reply.raw)
        _forget(made)


@pytest.mark.parametrize("name", sorted(name for name, code in MATRIX["lost"].items() if code in (409, 500)))
def test_a_lost_race_is_a_conflict(made, name):
    uuid = server(made, name, MATRIX["tasks"][name]["vm_state"])
    late = "CREATE TRIGGER late BEFORE UPDATE ON instances BEGIN SELECT RAISE(IGNORE); END"
    made.cell.run(lambda conn: conn.exec_driver_sql(late))  # as if the row had changed since it was read
    images = len(made.glance.images)
    assert ask(made, name, uuid).status == 409
    assert made.api.bus.sent == [] and len(made.glance.images) == images
    actions = schema.nova_cell.tables["instance_actions"]
    assert made.cell.read(lambda conn: conn.execute(actions.select()).all()) == []


def _forget(cloud):
    """Empty the tables in which one row would be in the way of the next."""
    cloud.cell.run(lambda conn: [conn.execute(schema.nova_cell.tables[name].delete()) for name in ("services",)])
    cloud.cell.run(lambda conn: conn.execute(schema.nova_cell.tables["migrations"].delete()))

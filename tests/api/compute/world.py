"""One of everything in a project: servers in every state, what belongs to them, hosts, and the peers' side of it."""

from __future__ import annotations

import datetime
import json
from types import SimpleNamespace
from typing import Any

from fakes import rows as hosts
from fakes.api import CELL1, PROJECT, ComputeApi, Identity

from api.compute import peers
from api.servers.rows import FLAVOR, START, add_server, map_server, nova, vif
from keel_common.db import add, now, schema
from keel_common.db.stores.nova import console_tokens
from keel_contract.nova import objects

USER = Identity.MEMBER.user
API, CELL = schema.nova_api.tables, schema.nova_cell.tables
HOST, LATER, GONE = "node-1", "node-2", "node-3"
PORT_ADDRESS, FLOATING, FREE_FLOATING = "10.0.0.5", "192.0.2.5", "192.0.2.6"
LARGE = {**FLAVOR, "id": 2, "name": "m1.large", "flavorid": "large", "vcpus": 2, "memory_mb": 4096, "root_gb": 40}
REQUEST_ID = "req-00000000-0000-4000-8000-000000000001"
TOKEN = "console-token"
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHiTOwYwFpQyB0JGrSZgmFFxeQyqJPGcVSuDN1tOIAhf me@here"
_STARTED = {"start_time": START, "finish_time": START, "updated_at": START, "message": None}
_PATTERN = "{:08x}-0000-4000-8000-{:012x}"

#: name -> what differs from an active server on HOST.
SERVERS: dict[str, dict[str, Any]] = {
    "server": {},
    "stopped": {"vm_state": "stopped", "power_state": 4},
    "paused": {"vm_state": "paused", "power_state": 3},
    "suspended": {"vm_state": "suspended", "power_state": 4},
    "rescued": {"vm_state": "rescued"},
    "resized": {"vm_state": "resized"},
    "shelved": {"vm_state": "shelved", "power_state": 4},
    "offloaded": {"vm_state": "shelved_offloaded", "power_state": 4, "host": None, "node": None},
    "soft_deleted": {"vm_state": "soft-delete", "power_state": 4, "terminated_at": START},
    "locked": {"locked": True, "locked_by": "owner"},
    "admins": {"locked": True, "locked_by": "admin"},
    "moving": {"task_state": "migrating"},
    "stranded": {"host": GONE, "node": GONE},
    "bootable": {"image_ref": ""},
}


def build(api: ComputeApi) -> SimpleNamespace:
    """Write the rows and make the peers: `made` (name -> id), `peers` by the name of their client."""
    world = SimpleNamespace(made={}, peers=peers.make())
    made = world.made
    made |= peers.ids(world.peers) | {"public_key": PUBLIC_KEY}
    for host in (HOST, LATER):
        hosts.service(api, host, version=74)
    made["node"] = hosts.node(api, HOST)["uuid"]
    hosts.node(api, LATER)
    made["service"] = hosts.service(api, "spare", version=74)["uuid"]
    hosts.node(api, "spare")
    made["old_service"] = str(hosts.service(api, "older", version=74)["id"])
    hosts.service(api, GONE, version=74, forced_down=True)
    hosts.node(api, GONE)
    api.cells.api.run(_catalogue, made)
    for number, (name, values) in enumerate(SERVERS.items(), 1):
        made[name] = _PATTERN.format(number, number)
        _server(api, made, number, {"image_ref": made["image"], **values, "uuid": made[name]})
    api.cell1.db.run(_belongings, made)
    peers.belong(world.peers, made)
    return world


def _server(api: ComputeApi, made: dict[str, str], number: int, values: dict[str, Any]) -> None:
    uuid = values["uuid"]
    ports = [vif(PORT_ADDRESS, floating=[FLOATING])] if uuid == made.get("server") else []
    if ports:
        ports[0]["id"], ports[0]["network"]["id"] = made["port"], made["network"]
        made["network_name"] = ports[0]["network"]["label"]
    more = {"metadata": {"k": "v"}, "tags": ["tag"], "vifs": ports}
    api.cell1.db.run(add_server, PROJECT, USER, number, **more, **values)
    api.cells.api.run(map_server, uuid, api.cells.get(CELL1).id, PROJECT, USER)
    api.cells.api.run(_spec, uuid, made["image"])


def _spec(conn: Any, uuid: str, image: str) -> None:
    """The request spec a server was made with."""
    flavor = nova("Flavor", "1.2", {**FLAVOR, "extra_specs": {}})
    data = {"instance_uuid": uuid, "project_id": PROJECT, "user_id": USER, "num_instances": 1, "flavor": flavor}
    data |= {"availability_zone": None, "image": nova("ImageMeta", "1.8", {"id": image}), "ignore_hosts": None}
    data |= {"force_hosts": None, "force_nodes": None, "instance_group": None, "requested_destination": None}
    data |= {"scheduler_hints": {}, "limits": nova("SchedulerLimits", "1.0", {}), "retry": None, "numa_topology": None}
    data |= {"pci_requests": nova("InstancePCIRequests", "1.1", {"instance_uuid": uuid, "requests": []})}
    spec = json.dumps(nova("RequestSpec", "1.14", data))
    add(conn, API["request_specs"], {"instance_uuid": uuid, "spec": spec})


def _catalogue(conn: Any, made: dict[str, str]) -> None:
    """Flavors, keys, aggregates and server groups."""
    for flavor in (FLAVOR, LARGE, {**LARGE, "id": 3, "name": "private", "flavorid": "private", "is_public": False}):
        kept = {key: value for key, value in flavor.items() if key in API["flavors"].c and not key.endswith("_at")}
        add(conn, API["flavors"], {**kept, "swap": 0, "ephemeral_gb": 0, "rxtx_factor": 1.0, "disabled": False})
    add(conn, API["flavor_extra_specs"], {"flavor_id": 1, "key": "hw:cpu_policy", "value": "shared"})
    add(conn, API["flavor_projects"], {"flavor_id": 3, "project_id": PROJECT})
    for identity in (Identity.MEMBER, Identity.READER, Identity.MANAGER, Identity.ADMIN, Identity.OTHER):
        key = {"name": "mine", "user_id": identity.user, "public_key": "ssh-rsa AAAA", "fingerprint": "aa:bb"}
        add(conn, API["key_pairs"], {**key, "type": "ssh"})
    made["aggregate"] = str(add(conn, API["aggregates"], {"uuid": _PATTERN.format(50, 1), "name": "full"}))
    add(conn, API["aggregate_hosts"], {"host": HOST, "aggregate_id": int(made["aggregate"])})
    made["empty"] = str(add(conn, API["aggregates"], {"uuid": _PATTERN.format(50, 2), "name": "empty"}))
    made["group"] = _PATTERN.format(51, 1)
    group = {"uuid": made["group"], "name": "g", "user_id": USER, "project_id": PROJECT}
    key = add(conn, API["instance_groups"], group)
    add(conn, API["instance_group_policy"], {"group_id": key, "policy": "affinity"})


def _belongings(conn: Any, made: dict[str, str]) -> None:
    """What servers have in their cell: volumes, moves, actions, shares, a console, a password."""
    for server, volume, boot in (("server", "volume", None), ("bootable", "boot_volume", 0)):
        device = {"instance_uuid": made[server], "volume_id": made[volume], "uuid": made[volume]}
        device |= {"source_type": "volume", "destination_type": "volume", "device_name": "/dev/vdb", "boot_index": boot}
        device |= {"delete_on_termination": False, "encrypted": False, "no_device": False, "volume_size": 1}
        add(conn, CELL["block_device_mapping"], {**device, "attachment_id": _PATTERN.format(60, boot or 1)})
    for number, (server, status, kind) in enumerate(
        (("resized", "finished", "resize"), ("moving", "running", "live-migration")), 1
    ):
        move = {"instance_uuid": made[server], "status": status, "migration_type": kind, "source_compute": HOST}
        move |= {"source_node": HOST, "dest_compute": LATER, "dest_node": LATER, "hidden": False, "user_id": USER}
        move |= {"uuid": _PATTERN.format(61, number), "cross_cell_move": False, "project_id": PROJECT}
        move |= {"dest_host": "192.0.2.2", "updated_at": now()}
        made[f"{server}_move"] = str(add(conn, CELL["migrations"], move))
    flavors = {"cur": nova("Flavor", "1.2", LARGE), "old": nova("Flavor", "1.2", FLAVOR), "new": None}
    extra = CELL["instance_extra"]
    resized = extra.update().where(extra.c.instance_uuid == made["resized"])
    conn.execute(resized.values(flavor=json.dumps(flavors)))
    action = {"action": "create", "instance_uuid": made["server"], "request_id": REQUEST_ID, "project_id": PROJECT}
    key = add(conn, CELL["instance_actions"], {**action, **_STARTED, "user_id": USER})
    event = {
        "event": "compute__do_build_and_run_instance",
        "action_id": key,
        "result": "Success",
        "host": HOST,
        **_STARTED,
    }
    del event["message"]
    add(conn, CELL["instance_actions_events"], event)
    share = {"uuid": _PATTERN.format(62, 1), "instance_uuid": made["stopped"], "share_id": made["share"], "tag": "t"}
    add(conn, CELL["share_mapping"], {**share, "status": "inactive", "export_location": "x", "share_proto": "NFS"})
    console = {"console_type": "novnc", "host": HOST, "port": 5900, "internal_access_path": None}
    console |= {"instance_uuid": made["server"], "access_url_base": "http://console"}
    console_tokens.authorize(conn, TOKEN, 10**8, console)
    password = {"instance_uuid": made["server"], "key": "password_0", "value": "secret"}
    add(conn, CELL["instance_system_metadata"], password)
    log = {"task_name": "instance_usage_audit", "state": "DONE", "host": HOST, "message": "m", "task_items": 1}
    begin = datetime.datetime(2026, 1, 1)
    log |= {"period_beginning": begin, "period_ending": datetime.datetime(2026, 2, 1), "errors": 0}
    add(conn, CELL["task_log"], log)


def answers(made: dict[str, str]) -> dict[str, Any]:
    """What peers on the bus answer."""
    console = {"access_url": "http://console/?token=t", "host": HOST, "port": 1}
    return {
        "get_console_output": "lines",
        "get_vnc_console": console,
        "get_spice_console": console,
        "get_serial_console": console,
        "get_mks_console": console,
        "get_diagnostics": {},
        "get_instance_diagnostics": objects.Diagnostics(driver="libvirt", state="running", config_drive=False),
        "get_host_uptime": "up 1 day,  load average: 0, 0, 0",
        "host_power_action": "startup",
        "set_host_enabled": "enabled",
        "host_maintenance_mode": "on_maintenance",
        "attach_interface": {"id": made["port"]},
        "reserve_block_device_name": None,
        "check_can_live_migrate_destination": None,
    }

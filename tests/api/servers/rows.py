"""Rows as Nova's services leave them in the cell and API databases, for tests."""

import datetime
import json
import uuid as uuids

from keel_common.db import add, schema

START = datetime.datetime(2026, 1, 2, 3, 4, 5)
FLAVOR = {
    "id": 1,
    "name": "m1.small",
    "flavorid": "small",
    "memory_mb": 2048,
    "vcpus": 1,
    "root_gb": 20,
    "ephemeral_gb": 0,
    "swap": 0,
    "rxtx_factor": 1.0,
    "vcpu_weight": 0,
    "disabled": False,
    "is_public": True,
    "description": None,
    "extra_specs": {"hw:mem_page_size": "large"},
    "created_at": "2026-01-02T03:04:05Z",
    "updated_at": None,
    "deleted": False,
    "deleted_at": None,
}


def nova(name, version, data):
    return {
        "nova_object.name": name,
        "nova_object.namespace": "nova",
        "nova_object.version": version,
        "nova_object.data": data,
    }


def vif(address="10.0.0.5", label="private", floating=()):
    ip = {"address": address, "type": "fixed", "version": 4, "meta": {}}
    ip["floating_ips"] = [{"address": f, "type": "floating", "version": 4, "meta": {}} for f in floating]
    subnet = {"cidr": "10.0.0.0/24", "ips": [ip], "version": 4, "meta": {}}
    return {
        "id": str(uuids.uuid4()),
        "address": "fa:16:3e:00:00:05",
        "network": {"id": str(uuids.uuid4()), "label": label, "subnets": [subnet], "meta": {}},
        "active": True,
    }


def add_server(conn, project, user, number=1, **values):
    """An active server in a cell; returns its uuid."""
    return add_servers(conn, project, user, [number], **values)[0]


def add_servers(conn, project, user, numbers, vifs=(), metadata=None, tags=(), volumes=(), **values):
    """Active servers in a cell, a handful of statements for all of them; returns their uuids."""
    rows = {name: [] for name in _TABLES}
    for number in numbers:
        uuid = values.get("uuid", str(uuids.uuid4()))
        rows["instances"].append(_instance(uuid, project, user, number, values))
        flavor = {"cur": nova("Flavor", "1.2", FLAVOR), "old": None, "new": None}
        rows["instance_extra"].append({"instance_uuid": uuid, "flavor": json.dumps(flavor)})
        rows["instance_info_caches"].append({"instance_uuid": uuid, "network_info": json.dumps(list(vifs))})
        pairs = {"image_os_type": "linux", "image_min_ram": "0"}
        rows["instance_system_metadata"] += [{"instance_uuid": uuid, "key": k, "value": v} for k, v in pairs.items()]
        rows["instance_metadata"] += [
            {"instance_uuid": uuid, "key": k, "value": v} for k, v in (metadata or {}).items()
        ]
        rows["tags"] += [{"resource_id": uuid, "tag": tag} for tag in tags]
        rows["block_device_mapping"] += [_volume(uuid, volume) for volume in volumes]
    for name, made in rows.items():
        if made:
            deleted = {} if name == "tags" else {"deleted": 0}
            conn.execute(schema.nova_cell.tables[name].insert(), [deleted | row for row in made])
    return [row["uuid"] for row in rows["instances"]]


_TABLES = ("instances", "instance_extra", "instance_info_caches", "instance_system_metadata", "instance_metadata")
_TABLES += ("tags", "block_device_mapping")


def _instance(uuid, project, user, number, values):
    created = values.get("created_at", START + datetime.timedelta(seconds=number))
    row = {
        "uuid": uuid,
        "project_id": project,
        "user_id": user,
        "display_name": f"server-{number}",
        "hostname": f"server-{number}",
        "vm_state": "active",
        "task_state": None,
        "power_state": 1,
        "host": "node-1",
        "node": "node-1",
        "launched_at": START,
        "image_ref": str(uuids.uuid4()),
        "instance_type_id": 1,
        "memory_mb": 2048,
        "vcpus": 1,
        "root_gb": 20,
        "reservation_id": "r-abcdefgh",
        "locked": False,
        "hidden": False,
        "progress": 0,
        "config_drive": "",
        "availability_zone": "nova",
        "launch_index": 0,
        "kernel_id": "",
        "ramdisk_id": "",
        "auto_disk_config": True,
    }
    return {**row, "updated_at": created, "created_at": created, **values, "uuid": uuid}


def _volume(uuid, volume):
    device = {"instance_uuid": uuid, "volume_id": volume, "uuid": str(uuids.uuid4()), "device_name": "/dev/vdb"}
    device |= {"source_type": "volume", "destination_type": "volume", "delete_on_termination": False}
    return {**device, "encrypted": False, "attachment_id": str(uuids.uuid4())}


def add_service(conn, host="node-1", **values):
    row = {"host": host, "binary": "nova-compute", "topic": "compute", "report_count": 1, "version": 74}
    row |= {
        "disabled": False,
        "forced_down": False,
        "last_seen_up": datetime.datetime.now(datetime.UTC).replace(tzinfo=None),
    }
    add(conn, schema.nova_cell.tables["services"], {**row, "uuid": str(uuids.uuid4()), **values})


def map_server(conn, uuid, cell_id, project, user):
    table = schema.nova_api.tables["instance_mappings"]
    add(
        conn,
        table,
        {"instance_uuid": uuid, "cell_id": cell_id, "project_id": project, "user_id": user, "queued_for_delete": False},
    )

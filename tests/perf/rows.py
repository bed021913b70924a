"""Many servers and many volumes as the services leave them, for lists."""

from __future__ import annotations

import datetime
import json
import uuid
from typing import Any

from keel_common.db import add, now, schema

START = datetime.datetime(2026, 1, 2, 3, 4, 5)
FLAVORS, NETWORKS = 20, 4


def servers(api: Any, cell: Any, project: str, user: str, number: int) -> list[str]:
    """`number` active servers with one port, metadata, a tag, every third with a volume; their uuids.

    `api`, `cell`: the databases; `cell` is a keel_common.db.Cell.
    """
    uuids = [str(uuid.uuid4()) for _ in range(number)]
    rows: dict[str, list[dict[str, Any]]] = {
        "instances": [_instance(n, each, project, user) for n, each in enumerate(uuids)],
        "instance_extra": [{"instance_uuid": each, "flavor": _flavor(n)} for n, each in enumerate(uuids)],
        "instance_info_caches": [{"instance_uuid": each, "network_info": _network(n)} for n, each in enumerate(uuids)],
        "instance_metadata": [{"instance_uuid": each, "key": "role", "value": "web"} for each in uuids],
        "instance_system_metadata": [
            {"instance_uuid": each, "key": key, "value": "x"}
            for each in uuids
            for key in ("image_os_type", "image_min_ram", "image_min_disk", "image_disk_format", "owner_user_name")
        ],
        "block_device_mapping": [_device(each) for each in uuids[::3]],
    }
    cell.db.run(_insert, schema.nova_cell.tables, rows)
    cell.db.run(lambda conn: conn.execute(_tags().insert(), [{"resource_id": each, "tag": "t"} for each in uuids]))
    common = {"project_id": project, "user_id": user, "cell_id": cell.id, "queued_for_delete": False}
    mappings = [{"instance_uuid": each, **common} for each in uuids]
    specs = [{"instance_uuid": each, "spec": _spec(each)} for each in uuids]
    for table, made in (("instance_mappings", mappings), ("request_specs", specs)):
        api.run(lambda conn, table=table, made=made: conn.execute(schema.nova_api.tables[table].insert(), made))
    return uuids


def volumes(db: Any, project: str, user: str, type_id: str, number: int) -> list[str]:
    """`number` volumes with metadata, every third attached; their ids."""
    ids = [str(uuid.uuid4()) for _ in range(number)]
    common = {"project_id": project, "user_id": user, "volume_type_id": type_id, "size": 1, "deleted": False}
    common |= {"availability_zone": "nova", "host": "host1@cluster#standard", "bootable": False, "multiattach": False}
    rows = {
        "volumes": [_volume(n, each, common) for n, each in enumerate(ids)],
        "volume_metadata": [{"volume_id": each, "key": "a", "value": "b", "deleted": False} for each in ids],
        "volume_attachment": [_attachment(each) for each in ids[::3]],
    }
    db.run(_insert, schema.cinder.tables, rows, {})
    return ids


def _insert(conn: Any, tables: Any, rows: dict[str, list[dict]], more: dict[str, Any] | None = None) -> None:
    deleted = {"deleted": 0} if more is None else more
    for name, made in rows.items():
        conn.execute(tables[name].insert(), [deleted | row for row in made])


def _tags() -> Any:
    return schema.nova_cell.tables["tags"]


def _object(name: str, version: str, data: dict[str, Any]) -> dict[str, Any]:
    kind = {"nova_object.name": name, "nova_object.namespace": "nova", "nova_object.version": version}
    return {**kind, "nova_object.data": data}


def _flavor(number: int) -> str:
    shape = {"id": number % FLAVORS, "name": f"m{number % FLAVORS}", "flavorid": f"f{number % FLAVORS}", "swap": 0}
    shape |= {"memory_mb": 2048, "vcpus": 1, "root_gb": 20, "ephemeral_gb": 0, "rxtx_factor": 1.0, "vcpu_weight": 0}
    shape |= {"disabled": False, "is_public": True, "description": None, "extra_specs": {"hw:cpu_policy": "shared"}}
    shape |= {"created_at": None, "updated_at": None, "deleted_at": None, "deleted": False}
    return json.dumps({"cur": _object("Flavor", "1.2", shape), "old": None, "new": None})


def _network(number: int) -> str:
    network = str(uuid.UUID(int=number % NETWORKS))
    floating = {"address": f"203.0.113.{number % 250}", "type": "floating", "version": 4, "meta": {}}
    address = f"10.{number % 3}.{number // 250}.{number % 250}"
    ip = {"address": address, "type": "fixed", "version": 4, "meta": {}, "floating_ips": [floating]}
    gateway = {"address": "10.0.0.1", "type": "gateway", "version": 4, "meta": {}}
    subnet = {"cidr": "10.0.0.0/8", "dns": [], "gateway": gateway, "ips": [ip], "routes": [], "version": 4, "meta": {}}
    vif = {"id": str(uuid.uuid4()), "address": f"fa:16:3e:00:{number // 250:02x}:{number % 250:02x}", "meta": {}}
    vif |= {"network": {"id": network, "bridge": "br-int", "label": f"net{number % NETWORKS}", "subnets": [subnet]}}
    vif |= {"type": "ovs", "details": {"port_filter": True}, "devname": "tap", "ovs_interfaceid": vif["id"]}
    vif |= {"qbh_params": None, "qbg_params": None, "active": True, "vnic_type": "normal", "profile": {}}
    vif |= {"preserve_on_delete": False, "delegate_create": True}
    return json.dumps([vif])


def _instance(number: int, uuid_: str, project: str, user: str) -> dict[str, Any]:
    made = START + datetime.timedelta(seconds=number)
    row = {
        "uuid": uuid_,
        "project_id": project,
        "user_id": user,
        "display_name": f"s{number}",
        "hostname": f"s{number}",
    }
    row |= {"vm_state": "active", "power_state": 1, "host": f"away-{number % 10}", "node": f"away-{number % 10}"}
    row |= {"launched_at": made, "created_at": made, "updated_at": made, "image_ref": str(uuid.uuid4()), "vcpus": 1}
    row |= {"instance_type_id": 1, "memory_mb": 2048, "root_gb": 20, "reservation_id": "r-abcdefgh", "locked": False}
    row |= {"hidden": False, "progress": 0, "config_drive": "", "availability_zone": "nova", "launch_index": 0}
    return row | {"kernel_id": "", "ramdisk_id": "", "auto_disk_config": True, "root_device_name": "/dev/vda"}


def _device(server: str) -> dict[str, Any]:
    row = {"instance_uuid": server, "volume_id": str(uuid.uuid4()), "uuid": str(uuid.uuid4()), "encrypted": False}
    row |= {"device_name": "/dev/vdb", "source_type": "volume", "destination_type": "volume"}
    return row | {"delete_on_termination": False, "attachment_id": str(uuid.uuid4())}


def _spec(server: str) -> str:
    return json.dumps(
        _object("RequestSpec", "1.15", {"instance_uuid": server, "availability_zone": None, "scheduler_hints": {}})
    )


def _volume(number: int, volume: str, common: dict[str, Any]) -> dict[str, Any]:
    attached = number % 3 == 0
    row = {"id": volume, "display_name": f"v{number}", "created_at": START + datetime.timedelta(seconds=number)}
    row |= {"status": "in-use" if attached else "available", "attach_status": "attached" if attached else "detached"}
    return row | common | {"use_quota": True}


def _attachment(volume: str) -> dict[str, Any]:
    row = {"id": str(uuid.uuid4()), "volume_id": volume, "instance_uuid": str(uuid.uuid4()), "mountpoint": "/dev/vdb"}
    return row | {"attach_status": "attached", "attach_mode": "rw", "attach_time": START, "deleted": False}


def service(cell: Any, host: str) -> None:
    """A compute that was heard of just now."""
    row = {"host": host, "binary": "nova-compute", "topic": "compute", "report_count": 1, "version": 74}
    row |= {"disabled": False, "forced_down": False, "last_seen_up": now(), "uuid": str(uuid.uuid4())}
    cell.db.run(add, schema.nova_cell.tables["services"], row)

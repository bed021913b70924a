"""Rows of the cell database that every case begins with."""

# fmt: off - tables of calls and rows are read line by line

import hashlib
import json
from typing import Any

from conductor_objects import names, things

NETWORK_INFO = [
    {
        "id": names.PORT,
        "address": "fa:16:3e:00:00:01",
        "network": {"id": names.NETWORK, "bridge": "br-int", "label": "net", "subnets": [], "meta": {}},
        "type": "ovs",
        "details": {},
        "devname": "tap1",
        "ovs_interfaceid": None,
        "qbh_params": None,
        "qbg_params": None,
        "active": True,
        "vnic_type": "normal",
        "profile": {},
        "preserve_on_delete": False,
        "delegate_create": True,
        "meta": {},
    }
]


def rows() -> dict[str, list[dict[str, Any]]]:
    """Table -> rows."""
    found = {**_servers(), **_hosts(), **_parts(), **_history(), **_rest()}
    return {table: [_dated(row) for row in rows] for table, rows in found.items()}


def _dated(row: dict[str, Any]) -> dict[str, Any]:
    return {"created_at": names.LONG_AGO, "deleted": 0, **row}


def _server(number: int, uuid: str, name: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "uuid": uuid,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        "display_name": name,
        "hostname": name,
        "vm_state": "active",
        "power_state": 1,
        "host": names.HOST,
        "node": names.HOST,
        "compute_id": 1,
        "launched_on": names.HOST,
        "launched_at": names.LONG_AGO,
        "memory_mb": 512,
        "vcpus": 1,
        "root_gb": 1,
        "ephemeral_gb": 0,
        "image_ref": names.IMAGE,
        "instance_type_id": 1,
        "launch_index": 0,
        "reservation_id": f"r-{name}",
        "locked": False,
        "cleaned": 0,
        "hidden": False,
        "progress": 0,
        "auto_disk_config": True,
        "shutdown_terminate": False,
        "disable_terminate": False,
        "config_drive": "",
        **changes,
    }


def _servers() -> dict[str, list[dict[str, Any]]]:
    gone = {"deleted": 4, "deleted_at": names.LAST, "terminated_at": names.LAST, "vm_state": "deleted"}
    other = {"project_id": names.OTHER_PROJECT, "user_id": names.OTHER_USER, "created_at": names.LATER}
    away = {"host": names.OTHER_HOST, "node": names.OTHER_HOST, "compute_id": 2, "created_at": names.LAST}
    rebooting = {"task_state": "reboot_started", "updated_at": names.LAST}
    instances = [
        _server(1, names.ACTIVE, "active", key_name="key", access_ip_v4="192.0.2.7"),
        _server(2, names.BROKEN, "broken", vm_state="error", host=None, node=None, compute_id=None, launched_at=None),
        _server(3, names.REBOOTING, "rebooting", **rebooting, **other),
        _server(4, names.GONE, "gone", cleaned=1, **gone),
        _server(5, names.RESIZED, "resized", vm_state="resized", instance_type_id=2, memory_mb=1024, vcpus=2, **away),
    ]
    return {
        "instances": instances,
        "instance_extra": [_extra(number, uuid) for number, uuid in _present()],
        "instance_info_caches": [
            {"id": number, "instance_uuid": uuid, "network_info": json.dumps(NETWORK_INFO if number == 1 else [])}
            for number, uuid in _present()
        ],
        "instance_metadata": [
            {"id": 1, "instance_uuid": names.ACTIVE, "key": "role", "value": "web"},
            {"id": 2, "instance_uuid": names.ACTIVE, "key": "tier", "value": "1"},
            {"id": 3, "instance_uuid": names.ACTIVE, "key": "old", "value": "x", "deleted": 3},
        ],
        "instance_system_metadata": [
            {"id": 1, "instance_uuid": names.ACTIVE, "key": "image_min_ram", "value": "0"},
            {"id": 2, "instance_uuid": names.RESIZED, "key": "old_vm_state", "value": "active"},
        ],
        "instance_id_mappings": [{"id": number, "uuid": uuid} for number, uuid in _present()],
    }


def _present() -> list[tuple[int, str]]:
    return [(1, names.ACTIVE), (2, names.BROKEN), (3, names.REBOOTING), (5, names.RESIZED)]


def _extra(number: int, uuid: str) -> dict[str, Any]:
    current = things.wire(things.flavor(2 if uuid == names.RESIZED else 1))
    old = things.wire(things.flavor(1)) if uuid == names.RESIZED else None
    row = {"id": number, "instance_uuid": uuid, "flavor": json.dumps({"cur": current, "old": old, "new": None})}
    if uuid == names.RESIZED:
        row["migration_context"] = things.text(things.migration_context(uuid))
    if uuid == names.ACTIVE:
        requests = [
            {
                "count": 1,
                "spec": [{"vendor_id": "8086"}],
                "alias_name": "net",
                "is_new": False,
                "numa_policy": "legacy",
                "request_id": names.uuid(0x9C1, 1),
                "requester_id": None,
            }
        ]
        row |= {
            "numa_topology": things.text(things.numa_topology(uuid)),
            "pci_requests": json.dumps(requests),
            "keypairs": things.text(things.made("KeyPairList", objects=[things.key_pair()])),
            "device_metadata": things.text(things.device_metadata()),
            "trusted_certs": things.text(things.made("TrustedCerts", ids=["one", "two"])),
            "vcpu_model": things.text(things.vcpu_model()),
            "resources": things.text(things.resources()),
        }
    return row


def _parts() -> dict[str, list[dict[str, Any]]]:
    mac = "fa:16:3e:00:00:0{}"
    return {
        "block_device_mapping": [
            _device(1, names.ACTIVE, names.VOLUME, "/dev/vda", boot_index=0),
            _device(2, names.ACTIVE, names.SHARED_VOLUME, "/dev/vdb"),
            _device(3, names.RESIZED, names.SHARED_VOLUME, "/dev/vdb"),
            _device(
                4,
                names.BROKEN,
                None,
                "/dev/vda",
                source_type="image",
                destination_type="local",
                image_id=names.IMAGE,
                boot_index=0,
                connection_info=None,
            ),
            _device(5, names.ACTIVE, names.LOOSE_VOLUME, "/dev/vdc", deleted=5, deleted_at=names.LAST),
        ],
        "virtual_interfaces": [
            {
                "id": 1,
                "instance_uuid": names.ACTIVE,
                "address": mac.format(1),
                "uuid": names.PORT,
                "tag": "public",
                "network_id": 7,
            },
            {"id": 2, "instance_uuid": names.RESIZED, "address": mac.format(2), "uuid": names.uuid(0x21, 2)},
        ],
        "pci_devices": [
            _pci(1, "0000:81:00.1", status="allocated", instance_uuid=names.ACTIVE, request_id=names.uuid(0x9C1, 1)),
            _pci(2, "0000:81:00.2", parent_addr="0000:81:00.0", dev_type="type-VF"),
            _pci(3, "0000:81:00.3", status="claimed", instance_uuid=names.RESIZED, compute_node_id=2),
        ],
        "share_mapping": [
            {
                "id": 1,
                "uuid": names.SHARE_MAPPING,
                "instance_uuid": names.ACTIVE,
                "share_id": names.SHARE,
                "status": "inactive",
                "tag": "share",
                "export_location": "192.0.2.9:/share",
                "share_proto": "NFS",
            }
        ],
        "tags": [{"resource_id": names.ACTIVE, "tag": tag} for tag in ("blue", "red")],
        "console_auth_tokens": [_token(1, names.TOKEN, names.FAR_OFF), _token(2, names.DEAD_TOKEN, 1000)],
        "security_groups": [_security_group(1, "default"), _security_group(2, "web")],
        "security_group_instance_association": [
            {"id": 1, "security_group_id": 1, "instance_uuid": names.ACTIVE},
        ],
    }


def _device(number: int, server: str, volume: str | None, name: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "uuid": names.uuid(0xBD, number),
        "instance_uuid": server,
        "volume_id": volume,
        "device_name": name,
        "source_type": "volume",
        "destination_type": "volume",
        "volume_size": 1,
        "delete_on_termination": False,
        "no_device": False,
        "boot_index": None,
        "device_type": "disk",
        "disk_bus": "virtio",
        "connection_info": json.dumps({"serial": volume}),
        "encrypted": False,
        "attachment_id": names.uuid(0xAD, number),
        **changes,
    }


def _pci(number: int, address: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "uuid": names.uuid(0x9C1D, number),
        "compute_node_id": 1,
        "address": address,
        "product_id": "1520",
        "vendor_id": "8086",
        "dev_type": "type-PCI",
        "dev_id": f"pci_{number}",
        "label": "label_8086_1520",
        "status": "available",
        "extra_info": json.dumps({"capabilities": "{}"}),
        "numa_node": 0,
        **changes,
    }


def _token(number: int, token: str, expires: int) -> dict[str, Any]:
    digest = hashlib.sha256(token.encode()).hexdigest()
    return {
        "id": number,
        "token_hash": digest,
        "console_type": "novnc",
        "host": names.HOST,
        "port": 5900,
        "internal_access_path": None,
        "instance_uuid": names.ACTIVE,
        "expires": expires,
        "access_url_base": "http://192.0.2.1:6080/vnc_auto.html",
        "tls_port": None,
    }


def _security_group(number: int, name: str) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "description": f"{name} group",
        "project_id": names.PROJECT,
        "user_id": names.USER,
    }


def _hosts() -> dict[str, list[dict[str, Any]]]:
    return {
        "services": [
            _service(1, names.HOST, "nova-compute", "compute"),
            _service(2, names.OTHER_HOST, "nova-compute", "compute", disabled=True, disabled_reason="repair"),
            _service(3, "control", "nova-scheduler", "scheduler", version=69),
            _service(4, "old", "nova-compute", "compute", deleted=4, version=40),
        ],
        "compute_nodes": [_node(1, names.NODE1, names.HOST), _node(2, names.NODE2, names.OTHER_HOST, mapped=0)],
    }


def _service(number: int, host: str, binary: str, topic: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "uuid": names.uuid(0x5E4, number),
        "host": host,
        "binary": binary,
        "topic": topic,
        "report_count": 7,
        "disabled": False,
        "forced_down": False,
        "version": 71,
        "last_seen_up": names.LAST,
        **changes,
    }


def _node(number: int, uuid: str, host: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "uuid": uuid,
        "host": host,
        "hypervisor_hostname": host,
        "hypervisor_type": "QEMU",
        "hypervisor_version": 8002002,
        "host_ip": f"192.0.2.{number}",
        "vcpus": 8,
        "vcpus_used": 1,
        "memory_mb": 16384,
        "memory_mb_used": 512,
        "local_gb": 100,
        "local_gb_used": 1,
        "free_ram_mb": 15872,
        "free_disk_gb": 99,
        "disk_available_least": 90,
        "current_workload": 0,
        "running_vms": 1,
        "cpu_info": json.dumps({"arch": "x86_64"}),
        "metrics": "[]",
        "stats": json.dumps({"num_instances": "1"}),
        "numa_topology": None,
        "pci_stats": None,
        "supported_instances": json.dumps([["x86_64", "kvm", "hvm"]]),
        "cpu_allocation_ratio": 4.0,
        "ram_allocation_ratio": 1.0,
        "disk_allocation_ratio": 0.0,
        "mapped": 1,
        "service_id": None,
        **changes,
    }


def _history() -> dict[str, list[dict[str, Any]]]:
    moved = {
        "instance_uuid": names.RESIZED,
        "source_compute": names.HOST,
        "source_node": names.HOST,
        "dest_compute": names.OTHER_HOST,
        "dest_node": names.OTHER_HOST,
        "dest_host": "192.0.2.2",
        "old_instance_type_id": 1,
        "new_instance_type_id": 2,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        "dest_compute_id": 2,
    }
    return {
        "migrations": [
            _migration(1, names.MIGRATION, "finished", "resize", updated_at=names.LATER, **moved),
            _migration(
                2,
                names.LIVE_MIGRATION,
                "running",
                "live-migration",
                **moved | {"instance_uuid": names.ACTIVE, "created_at": names.LATER},
            ),
            _migration(
                3,
                names.OLD_MIGRATION,
                "error",
                "evacuation",
                updated_at=names.LAST,
                **moved | {"instance_uuid": names.BROKEN},
            ),
            _migration(4, names.uuid(0x316, 4), "confirmed", "migration", **moved),
        ],
        "instance_actions": [
            _action(1, names.ACTIVE, "create", names.OTHER_REQUEST, finish_time=names.LATER),
            _action(2, names.ACTIVE, "stop", names.REQUEST),
            _action(3, names.BROKEN, "create", names.REQUEST, message="Error"),
        ],
        "instance_actions_events": [
            {"id": 1, "event": "compute_stop_instance", "action_id": 2, "start_time": names.LATER, "host": names.HOST},
            {
                "id": 2,
                "event": "compute_create",
                "action_id": 1,
                "start_time": names.LONG_AGO,
                "result": "Success",
                "finish_time": names.LATER,
            },
        ],
        "instance_faults": [
            {"id": 1, "instance_uuid": names.BROKEN, "code": 500, "message": "first", "host": names.HOST},
            {
                "id": 2,
                "instance_uuid": names.BROKEN,
                "code": 400,
                "message": "second",
                "details": "why",
                "created_at": names.LATER,
                "host": names.HOST,
            },
            {"id": 3, "instance_uuid": names.ACTIVE, "code": 500, "message": "only", "host": names.HOST},
        ],
    }


def _migration(number: int, uuid: str, status: str, kind: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "uuid": uuid,
        "status": status,
        "migration_type": kind,
        "hidden": False,
        "cross_cell_move": False,
        **changes,
    }


def _action(number: int, server: str, action: str, request: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "instance_uuid": server,
        "action": action,
        "request_id": request,
        "start_time": names.LONG_AGO,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        **changes,
    }


def _rest() -> dict[str, list[dict[str, Any]]]:
    period = {"period_beginning": names.LONG_AGO, "period_ending": names.LATER}
    log = {"task_name": "audit", "task_items": 3, "errors": 0, **period}
    usage = {"project_id": names.PROJECT, "user_id": names.USER, "availability_zone": "nova"}
    numbers = {
        "tot_reads": 10,
        "tot_read_bytes": 100,
        "tot_writes": 20,
        "tot_write_bytes": 200,
        "curr_reads": 1,
        "curr_read_bytes": 2,
        "curr_writes": 3,
        "curr_write_bytes": 4,
    }
    return {
        "task_log": [
            {"id": 1, "state": "DONE", "host": names.HOST, "message": "done", **log},
            {"id": 2, "state": "RUNNING", "host": names.OTHER_HOST, "message": "busy", **log},
        ],
        "volume_usage_cache": [
            {
                "id": 1,
                "volume_id": names.VOLUME,
                "instance_uuid": names.ACTIVE,
                "curr_last_refreshed": names.LONG_AGO,
                **usage,
                **numbers,
            }
        ],
        "s3_images": [{"id": 1, "uuid": names.IMAGE}],
    }

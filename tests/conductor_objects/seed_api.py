"""Rows of the API database that every case begins with."""

# fmt: off - tables of calls and rows are read line by line

import json
from typing import Any

from conductor_objects import names, things


def place(name: str) -> str:
    """What stands for the URL of a database (api, cell, cell0) until there is one."""
    return f"<url of {name}>"


def rows() -> dict[str, list[dict[str, Any]]]:
    """Table -> rows. URLs of databases are written as `place` says."""
    found = {
        "cell_mappings": [
            _cell(1, names.CELL0, "cell0", "none:///"),
            _cell(2, names.CELL1, "cell1", "fake://"),
            _cell(3, names.uuid(0xCE11, 2), "off", "fake://", disabled=True),
        ],
        "host_mappings": [{"id": 1, "host": names.HOST, "cell_id": 2}, {"id": 2, "host": "node-3", "cell_id": 3}],
        "instance_mappings": [
            _mapping(1, names.ACTIVE, 2),
            _mapping(2, names.BROKEN, 2),
            _mapping(3, names.RESIZED, 2),
            _mapping(4, names.GONE, 2, queued_for_delete=True),
            _mapping(5, names.PLANNED, None),
            _mapping(6, names.REBOOTING, 2, project_id=names.OTHER_PROJECT, user_id=None),
        ],
        "flavors": [
            _flavor(1),
            _flavor(2),
            _flavor(3, is_public=False, description="for few"),
            _flavor(4, disabled=True),
        ],
        "flavor_extra_specs": [
            {"id": 1, "flavor_id": 1, "key": "hw:cpu_policy", "value": "shared"},
            {"id": 2, "flavor_id": 1, "key": "quota:cpu_shares", "value": "10"},
        ],
        "flavor_projects": [{"id": 1, "flavor_id": 3, "project_id": names.PROJECT}],
        "aggregates": [
            {"id": 1, "uuid": names.AGGREGATE, "name": "fast"},
            {"id": 2, "uuid": names.ZONE_AGGREGATE, "name": "zone"},
        ],
        "aggregate_hosts": [
            {"id": 1, "host": names.HOST, "aggregate_id": 1},
            {"id": 2, "host": names.HOST, "aggregate_id": 2},
            {"id": 3, "host": names.OTHER_HOST, "aggregate_id": 2},
        ],
        "aggregate_metadata": [
            {"id": 1, "aggregate_id": 1, "key": "ssd", "value": "true"},
            {"id": 2, "aggregate_id": 2, "key": "availability_zone", "value": "az-1"},
        ],
        "instance_groups": [_group(1, names.GROUP, "together"), _group(2, names.LOOSE_GROUP, "empty")],
        "instance_group_policy": [
            {"id": 1, "policy": "anti-affinity", "group_id": 1, "rules": json.dumps({"max_server_per_host": 2})},
            {"id": 2, "policy": "affinity", "group_id": 2, "rules": None},
        ],
        "instance_group_member": [
            {"id": 1, "instance_uuid": names.ACTIVE, "group_id": 1},
            {"id": 2, "instance_uuid": names.BROKEN, "group_id": 1},
        ],
        "key_pairs": [_key(1, "key"), _key(2, "spare"), _key(3, "third")],
        "request_specs": [
            {"id": 1, "instance_uuid": names.ACTIVE, "spec": _spec(names.ACTIVE)},
            {"id": 2, "instance_uuid": names.BROKEN, "spec": _spec(names.BROKEN, _grouped())},
        ],
        "build_requests": [_build()],
        "quotas": [
            {"id": 1, "project_id": names.PROJECT, "resource": "cores", "hard_limit": 5},
            {"id": 2, "project_id": names.PROJECT, "resource": "instances", "hard_limit": -1},
        ],
        "project_user_quotas": [
            {"id": 1, "user_id": names.USER, "project_id": names.PROJECT, "resource": "cores", "hard_limit": 4}
        ],
        "quota_classes": [{"id": 1, "class_name": "default", "resource": "ram", "hard_limit": 4096}],
    }
    return {table: [_dated(row) for row in rows] for table, rows in found.items()}


def _dated(row: dict[str, Any]) -> dict[str, Any]:
    return {"created_at": names.LONG_AGO, **row}


def _cell(number: int, uuid: str, name: str, transport: str, disabled: bool = False) -> dict[str, Any]:
    file = "cell" if number == 2 else "cell0"
    return {
        "id": number,
        "uuid": uuid,
        "name": name,
        "transport_url": transport,
        "disabled": disabled,
        "database_connection": place(file),
    }


def _mapping(number: int, uuid: str, cell: int | None, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "instance_uuid": uuid,
        "cell_id": cell,
        "project_id": names.PROJECT,
        "user_id": names.USER,
        "queued_for_delete": False,
        **changes,
    }


def _flavor(number: int, **changes: Any) -> dict[str, Any]:
    columns = (
        "id",
        "name",
        "flavorid",
        "memory_mb",
        "vcpus",
        "root_gb",
        "ephemeral_gb",
        "swap",
        "rxtx_factor",
        "vcpu_weight",
        "disabled",
        "is_public",
        "description",
    )
    flavor = things.flavor(number)
    return {column: getattr(flavor, column) for column in columns} | changes


def _group(number: int, uuid: str, name: str) -> dict[str, Any]:
    return {"id": number, "uuid": uuid, "name": name, "project_id": names.PROJECT, "user_id": names.USER}


def _key(number: int, name: str) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "user_id": names.USER,
        "fingerprint": "aa:bb",
        "type": "ssh",
        "public_key": f"ssh-rsa AAAA {name}",
    }


def _spec(uuid: str, group: Any = None) -> str:
    return things.text(things.request_spec(uuid, instance_group=group, ignore_hosts=None, requested_resources=None))


def _grouped() -> Any:
    return things.made(
        "InstanceGroup",
        id=1,
        uuid=names.GROUP,
        name="together",
        project_id=names.PROJECT,
        user_id=names.USER,
        policy="anti-affinity",
        members=None,
        hosts=None,
    )


def _build() -> dict[str, Any]:
    request = things.build_request()
    return {
        "id": 1,
        "instance_uuid": request.instance_uuid,
        "project_id": request.project_id,
        "instance": things.text(request.instance),
        "tags": things.text(request.tags),
        "block_device_mappings": things.text(request.block_device_mappings),
    }

"""One of everything in a project, and a request for each operation that has a fair chance there."""

from __future__ import annotations

import base64
import json
import uuid
from typing import Any

from fakes.api import PROJECT

from keel_common.db.stores.cinder import (
    attachments,
    backups,
    encryptions,
    group_snapshots,
    group_types,
    groups,
    messages,
    metadata,
    qos,
    quotas,
    services,
    snapshots,
    transfers,
    types,
    volumes,
    workers,
)
from keel_common.db.stores.cinder.rows import TABLES, insert
from keel_common.domain.volume.transfers import crypt_hash
from keel_contract.cinder import objects

HOST, BACKEND, CLUSTER = "node-1@csi#standard", "node-1@csi", "pool"
KEY, SALT = "0123456789abcdef", "abcdef01"
_OWNER = {"user_id": "member-user", "project_id": PROJECT}
Row = dict[str, Any]


def build(conn: Any) -> dict[str, str]:
    """Write the rows; name -> id."""
    for host, binary in ((BACKEND, "cinder-volume"), ("node-2@csi", "cinder-volume"), ("bk", "cinder-backup")):
        services.register(conn, host, binary, availability_zone="nova", replication_status="enabled")
        row = services.get(conn, host, binary)
        services.beat(conn, [row["id"]])
    cluster = {"name": CLUSTER, "binary": "cinder-volume", "disabled": False, "frozen": False, "race_preventer": 0}
    insert(conn, TABLES["clusters"], {**cluster, "replication_status": "enabled"})
    quotas.set_class_limits(conn, "default", {"volumes": 99, "snapshots": 99})
    made: dict[str, str] = {}
    kind = types.create(conn, "gold", None, True, {"replication_enabled": "<is> True"})
    made["type"] = kind["id"]
    made["private"] = types.create(conn, "private", None, False, {"a": "b"}, ["given"])["id"]
    made["crypt"] = types.create(conn, "crypt", None, True, {})["id"]
    encryption = {"provider": "luks", "cipher": "aes", "key_size": 256, "control_location": "front-end"}
    encryptions.create(conn, made["crypt"], encryption)
    made["plain"] = types.create(conn, "plain", None, True, {"k": "v"})["id"]
    types.set_default(conn, PROJECT, kind["id"])
    specs = qos.create(conn, "fast", "back-end", {"iops": "1"})
    made["qos"], made["used_qos"] = specs["id"], qos.create(conn, "slow", "back-end", {})["id"]
    qos.associate(conn, made["used_qos"], made["plain"])
    _volumes(conn, made)
    _groups(conn, made)
    made["message"] = messages.create(conn, PROJECT, "req-1", "EXTEND_VOLUME", ttl_seconds=1000)["id"]
    frozen = services.register(conn, "node-3@csi", "cinder-volume", availability_zone="nova", frozen=True)
    services.beat(conn, [frozen["id"]])
    workers.create(conn, "Volume", made["volume"], "creating")
    return made


def _volume(conn: Any, made: dict[str, str], **values: Any) -> str:
    common = {
        "host": HOST,
        "size": 1,
        "status": "available",
        "attach_status": "detached",
        "volume_type_id": made["type"],
    }
    fixed = {"availability_zone": "nova", "bootable": False, "multiattach": False, "shared_targets": True}
    return volumes.create(conn, {**_OWNER, **common, **fixed, **values}, {"k": "v"}, {"readonly": "False"})["id"]


def _snapshot(conn: Any, made: dict[str, str], volume: str, **values: Any) -> str:
    common = {"volume_id": volume, "status": "available", "progress": "100%", "volume_size": 1}
    row = snapshots.create(conn, {**_OWNER, **common, "volume_type_id": made["type"], **values}, {"k": "v"})
    return row["id"]


def _volumes(conn: Any, made: dict[str, str]) -> None:
    made["volume"] = _volume(conn, made)
    metadata.add(conn, metadata.IMAGE, made["volume"], {"os": "linux"})
    made["cut_volume"] = _volume(conn, made)
    made["snapshot"] = _snapshot(conn, made, made["cut_volume"])
    made["creating"] = _snapshot(conn, made, _volume(conn, made), status="creating")
    made["attached"] = _volume(conn, made, status="in-use", attach_status="attached")
    made["attaching"] = _volume(conn, made, status="attaching")
    made["detaching"] = _volume(conn, made, status="detaching", attach_status="attached")
    made["extending"] = _volume(conn, made, status="extending")
    metadata.add(conn, metadata.ADMIN, made["extending"], {"extend_new_size": "2", "extend_reservations": "[]"})
    made["moving"] = _volume(conn, made, migration_status="migrating")
    made["target"] = _volume(conn, made, migration_status=f"target:{made['moving']}")
    held = {"instance_uuid": None, "attach_status": "attached", "attach_mode": "rw"}
    made["attachment"] = attachments.create(conn, made["attached"], held)["id"]
    backup = {**_OWNER, "volume_id": made["volume"], "size": 1, "status": "available", "host": "bk", "service": "s"}
    made["backup"] = backups.create(conn, backup, {"k": "v"})["id"]
    offered = volumes.get(conn, _volume(conn, made))
    values = {"salt": SALT, "crypt_hash": crypt_hash(SALT, KEY), "no_snapshots": False}
    made["transfer"] = transfers.create(conn, offered, values)["id"]


def _group(conn: Any, made: dict[str, str], type_id: str, **values: Any) -> str:
    common = {"host": HOST, "status": "available", "availability_zone": "nova", "group_type_id": type_id}
    return groups.create(conn, {**_OWNER, **common, **values}, [made["type"]])["id"]


def _groups(conn: Any, made: dict[str, str]) -> None:
    specs = {"group_replication_enabled": "<is> True"}
    made["group_type"] = group_types.create(conn, "replicated", None, True, specs)["id"]
    made["free_group_type"] = group_types.create(conn, "free", None, True, {"k": "v"})["id"]
    old = group_types.get_by_name(conn, group_types.CONSISTENCY_TYPE)["id"]
    for name, type_id, status in (
        ("group", made["group_type"], "disabled"),
        ("on", made["group_type"], "enabled"),
        ("old", old, "disabled"),
    ):
        made[name] = _group(conn, made, type_id, replication_status=status)
        made[f"{name}_member"] = _volume(conn, made, group_id=made[name], replication_status=status)
    made["empty"] = _group(conn, made, made["group_type"])
    made["old_empty"] = _group(conn, made, old)
    for name, group, type_id in (("cut", "group", made["group_type"]), ("old_cut", "old", old)):
        values = {**_OWNER, "group_id": made[group], "group_type_id": type_id, "status": "available"}
        made[name] = group_snapshots.create(conn, values)["id"]
        _snapshot(conn, made, made[f"{group}_member"], group_snapshot_id=made[name])


def answers(made: dict[str, str]) -> dict[str, Any]:
    """What peers on the bus answer."""
    return {
        "get_pools": [],
        "accept_transfer": {},
        "initialize_connection": {"driver_volume_type": "fake", "data": {}},
        "attachment_update": {"driver_volume_type": "fake"},
        "get_capabilities": {"vendor_name": "v"},
        "check_support_to_force_delete": True,
        "export_record": {"backup_service": "s", "backup_url": "e30="},
        "validate_host_capacity": True,
        "list_replication_targets": {"replication_targets": []},
        "migrate_volume_completion": made["target"],
        "get_manageable_volumes": [],
        "get_manageable_snapshots": [],
        "work_cleanup": ([], []),
        "get_log_levels": objects.LogLevelList(objects=[]),
        "thaw_host": True,
    }


def record() -> str:
    """A backup record nobody has imported."""
    return base64.b64encode(json.dumps({"id": str(uuid.uuid4()), "size": 1}).encode()).decode()


class Image:
    """Glance with one image."""

    def show(self, context: Any, image_id: str) -> Row:
        return {"id": image_id, "status": "active", "size": 10, "min_disk": 0}

    def list(self, context: Any, **filters: Any) -> list[Row]:
        return []

    def create(self, context: Any, image: Row) -> Row:
        return {"id": str(uuid.uuid4()), **image}


class Projects:
    """Keystone where every project exists."""

    def project_exists(self, project_id: str, context: Any = None) -> bool:
        return True

"""A fair request for each of the 218 operations: whom in the world its path names, its query, its body.

Names in braces stand for ids of the world (world.build); what is no name there stays as it is.
"""

from __future__ import annotations

import json
from typing import Any

from fakes.api import OTHER, PROJECT

from api.volume import world

_CONNECTOR = {"host": "node-1"}
_NO_SUCH = "00000000-0000-4000-8000-000000000000"


#: collection -> the name of the one the path parameter stands for.
IDS = {
    "attachments": "attachment",
    "backups": "backup",
    "cgsnapshots": "old_cut",
    "consistencygroups": "old",
    "group_snapshots": "cut",
    "group_types": "group_type",
    "groups": "group",
    "messages": "message",
    "os-volume-transfer": "transfer",
    "qos-specs": "qos",
    "snapshots": "snapshot",
    "types": "type",
    "volume-transfers": "transfer",
    "volumes": "volume",
}
#: Path parameters that are no id of the world, by operation or by collection.
PLAIN = {
    "capabilities": world.BACKEND,
    "clusters": world.CLUSTER,
    "default-types": PROJECT,
    "extensions": "os-hosts",
    "os-hosts": world.BACKEND,
    "os-quota-class-sets": "default",
    "os-quota-sets": PROJECT,
}
#: Operations whose first parameter names another one.
OTHER_ID = {
    "DELETE /groups/{id}": "empty",
    "POST /groups/{id}/action #delete": "empty",
    "DELETE /consistencygroups/{id}": "old_empty",
    "POST /consistencygroups/{id}/delete": "old_empty",
    "POST /groups/{id}/action #disable_replication": "on",
    "POST /groups/{id}/action #failover_replication": "on",
    "DELETE /group_types/{id}": "free_group_type",
    "DELETE /types/{id}": "private",
    "GET /types/{type_id}/os-volume-type-access": "private",
    "POST /types/{id}/action #addProjectAccess": "private",
    "POST /types/{id}/action #removeProjectAccess": "private",
    "POST /types/{type_id}/encryption": "private",
    "GET /types/{type_id}/encryption": "crypt",
    "GET /types/{type_id}/encryption/{id}": "crypt",
    "PUT /types/{type_id}/encryption/{id}": "crypt",
    "DELETE /types/{type_id}/encryption/{id}": "crypt",
    "POST /types/{type_id}/extra_specs": "plain",
    "GET /types/{type_id}/extra_specs/{id}": "plain",
    "PUT /types/{type_id}/extra_specs/{id}": "plain",
    "DELETE /types/{type_id}/extra_specs/{id}": "plain",
    "DELETE /group_types/{group_type_id}/group_specs/{id}": "free_group_type",
    "GET /group_types/{group_type_id}/group_specs/{id}": "free_group_type",
    "PUT /group_types/{group_type_id}/group_specs/{id}": "free_group_type",
    "POST /snapshots/{id}/action #os-update_snapshot_status": "creating",
    "POST /volumes/{id}/action #os-begin_detaching": "attached",
    "POST /volumes/{id}/action #os-detach": "attached",
    "POST /volumes/{id}/action #os-force_detach": "attached",
    "POST /volumes/{id}/action #os-roll_detaching": "detaching",
    "POST /volumes/{id}/action #os-unreserve": "attaching",
    "POST /volumes/{id}/action #os-extend_volume_completion": "extending",
    "POST /volumes/{id}/action #os-migrate_volume_completion": "moving",
    "POST /volumes/{id}/action #revert": "cut_volume",
}
#: Second path parameters.
KEYS = {"encryption": "cipher", "/volumes/{volume_id}/encryption/{id}": "encryption_key_id"}
QUERIES = {
    "GET /qos-specs/{id}/associate": "vol_type_id={type}",
    "GET /qos-specs/{id}/disassociate": "vol_type_id={type}",
    "GET /manageable_volumes": f"host={world.BACKEND}",
    "GET /manageable_volumes/detail": f"host={world.BACKEND}",
    "GET /manageable_snapshots": f"host={world.BACKEND}",
    "GET /manageable_snapshots/detail": f"host={world.BACKEND}",
    "GET /os-volume-manage": f"host={world.BACKEND}",
    "GET /os-volume-manage/detail": f"host={world.BACKEND}",
    "GET /os-snapshot-manage": f"host={world.BACKEND}",
    "GET /os-snapshot-manage/detail": f"host={world.BACKEND}",
}
_MANAGE = {"volume": {"host": world.BACKEND, "ref": {"source-name": "x"}}}
_MANAGE_CUT = {"snapshot": {"volume_id": "{volume}", "ref": {"source-name": "x"}}}
_ENCRYPTION = {"encryption": {"provider": "luks", "control_location": "front-end"}}
BODIES: dict[str, Any] = {
    "POST /attachments": {"attachment": {"volume_uuid": "{volume}"}},
    "PUT /attachments/{id}": {"attachment": {"connector": _CONNECTOR}},
    "POST /backups": {"backup": {"volume_id": "{volume}"}},
    "POST /backups/import_record": {"backup-record": {"backup_service": "s", "backup_url": "RECORD"}},
    "PUT /backups/{id}": {"backup": {"name": "n"}},
    "POST /backups/{id}/action #os-reset_status": {"os-reset_status": {"status": "error"}},
    "POST /backups/{id}/restore": {"restore": {"volume_id": "{cut_volume}"}},
    "POST /cgsnapshots": {"cgsnapshot": {"consistencygroup_id": "{old}"}},
    "PUT /clusters/enable": {"name": world.CLUSTER},
    "PUT /clusters/disable": {"name": world.CLUSTER},
    "POST /consistencygroups": {"consistencygroup": {"volume_types": "{type}"}},
    "POST /consistencygroups/create_from_src": {"consistencygroup-from-src": {"cgsnapshot_id": "{old_cut}"}},
    "POST /consistencygroups/{id}/delete": {},
    "PUT /consistencygroups/{id}": {"consistencygroup": {"name": "n"}},
    "PUT /consistencygroups/{id}/update": {"consistencygroup": {"name": "n"}},
    "PUT /default-types/{id}": {"default_type": {"volume_type": "{plain}"}},
    "POST /group_snapshots": {"group_snapshot": {"group_id": "{group}"}},
    "POST /group_snapshots/{id}/action #reset_status": {"reset_status": {"status": "error"}},
    "POST /group_types": {"group_type": {"name": "new"}},
    "PUT /group_types/{id}": {"group_type": {"name": "new"}},
    "POST /group_types/{group_type_id}/group_specs": {"group_specs": {"a": "b"}},
    "PUT /group_types/{group_type_id}/group_specs/{id}": {"k": "w"},
    "POST /groups": {"group": {"group_type": "{group_type}", "volume_types": ["{type}"]}},
    "DELETE /groups/{id}": {"delete": {}},
    "PUT /groups/{id}": {"group": {"name": "n"}},
    "POST /groups/action #create-from-src": {"create-from-src": {"group_snapshot_id": "{cut}"}},
    "POST /groups/{id}/action #reset_status": {"reset_status": {"status": "error"}},
    "POST /manageable_volumes": _MANAGE,
    "POST /os-volume-manage": _MANAGE,
    "POST /manageable_snapshots": _MANAGE_CUT,
    "POST /os-snapshot-manage": _MANAGE_CUT,
    "PUT /os-hosts/{id}": {"status": "disable"},
    "PUT /os-quota-class-sets/{id}": {"quota_class_set": {"volumes": 9}},
    "PUT /os-quota-sets/{id}": {"quota_set": {"backups": 9}},
    "PUT /os-services/disable": {"host": world.BACKEND, "binary": "cinder-volume"},
    "PUT /os-services/enable": {"host": world.BACKEND, "binary": "cinder-volume"},
    "PUT /os-services/disable-log-reason": {
        "host": world.BACKEND,
        "binary": "cinder-volume",
        "disabled_reason": "r",
    },
    "PUT /os-services/failover_host": {"host": world.BACKEND},
    "PUT /os-services/freeze": {"host": world.BACKEND},
    "PUT /os-services/thaw": {"host": "node-3@csi"},
    "PUT /os-services/get-log": {"binary": "cinder-api"},
    "PUT /os-services/set-log": {"binary": "cinder-api", "prefix": "no.such", "level": "INFO"},
    "POST /qos-specs": {"qos_specs": {"name": "new"}},
    "PUT /qos-specs/{id}": {"qos_specs": {"a": "b"}},
    "PUT /qos-specs/{id}/delete_keys": {"keys": ["iops"]},
    "POST /snapshots": {"snapshot": {"volume_id": "{volume}"}},
    "PUT /snapshots/{id}": {"snapshot": {"name": "n"}},
    "POST /snapshots/{id}/action #os-reset_status": {"os-reset_status": {"status": "error"}},
    "POST /snapshots/{id}/action #os-update_snapshot_status": {"os-update_snapshot_status": {"status": "available"}},
    "POST /snapshots/{snapshot_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /snapshots/{snapshot_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /snapshots/{snapshot_id}/metadata/{id}": {"meta": {"k": "w"}},
    "POST /types": {"volume_type": {"name": "new"}},
    "PUT /types/{id}": {"volume_type": {"name": "new"}},
    "POST /types/{id}/action #addProjectAccess": {"addProjectAccess": {"project": OTHER}},
    "POST /types/{id}/action #removeProjectAccess": {"removeProjectAccess": {"project": "given"}},
    "POST /types/{type_id}/encryption": _ENCRYPTION,
    "PUT /types/{type_id}/encryption/{id}": _ENCRYPTION,
    "POST /types/{type_id}/extra_specs": {"extra_specs": {"a": "b"}},
    "PUT /types/{type_id}/extra_specs/{id}": {"k": "w"},
    "POST /volumes": {"volume": {"size": 1}},
    "PUT /volumes/{id}": {"volume": {"name": "n"}},
    "POST /volumes/{volume_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /volumes/{volume_id}/metadata": {"metadata": {"a": "b"}},
    "PUT /volumes/{volume_id}/metadata/{id}": {"meta": {"k": "w"}},
    "POST /workers/cleanup": {},
    **{
        f"POST /{family}": {"transfer": {"volume_id": "{volume}"}}
        for family in ("os-volume-transfer", "volume-transfers")
    },
    **{
        f"POST /{family}/{{id}}/accept": {"accept": {"auth_key": world.KEY}}
        for family in ("os-volume-transfer", "volume-transfers")
    },
}
#: Values under the key of an action on a volume; {} for the others.
ACTIONS: dict[str, Any] = {
    "os-attach": {"mountpoint": "/dev/vdb", "host_name": "node-1"},
    "os-extend": {"new_size": 2},
    "os-force_detach": {"connector": _CONNECTOR},
    "os-initialize_connection": {"connector": _CONNECTOR},
    "os-migrate_volume": {"host": "node-2@csi"},
    "os-migrate_volume_completion": {"new_volume": "{target}"},
    "os-reimage": {"image_id": _NO_SUCH},
    "os-reset_status": {"status": "error"},
    "os-retype": {"new_type": "{plain}"},
    "os-set_bootable": {"bootable": True},
    "os-set_image_metadata": {"metadata": {"a": "b"}},
    "os-terminate_connection": {"connector": _CONNECTOR},
    "os-unset_image_metadata": {"key": "os"},
    "os-update_readonly_flag": {"readonly": True},
    "os-volume_upload_image": {"image_name": "i"},
    "revert": {"snapshot_id": "{snapshot}"},
}


def request(op_id: str, made: dict[str, str]) -> tuple[str, str, Any]:
    """(method, path with its query, body) of an operation."""
    method, _, rest = op_id.partition(" ")
    path, _, action = rest.partition(" #")
    query = QUERIES.get(op_id, "")
    body = BODIES.get(op_id)
    if action and body is None:
        body = {action: ACTIONS.get(action, {}) if path.startswith("/volumes/") else {}}
    filled = _filled(json.dumps(body), made).replace("RECORD", world.record())
    return method, _path(op_id, path, made) + (f"?{_filled(query, made)}" if query else ""), json.loads(filled)


def _filled(text: str, made: dict[str, str]) -> str:
    for name, value in made.items():
        text = text.replace("{" + name + "}", value)
    return text


def _path(op_id: str, path: str, made: dict[str, str]) -> str:
    parts = path.split("/")
    collection = parts[1]
    first = made[OTHER_ID[op_id]] if op_id in OTHER_ID else PLAIN.get(collection) or made.get(IDS.get(collection, ""))
    seen = 0
    for place, part in enumerate(parts):
        if part.startswith("{"):
            key = KEYS.get(path) or KEYS.get(parts[place - 1], "k")
            parts[place] = key if seen else str(first)
            seen += 1
    return "/".join(parts)

"""Values for the parameters of Cinder's clients.

Whatever a client hands on as it is gets a made-up text. What it looks into, for the host to send to above all, is a
real object; where a cluster may stand before the host there is a second one with it.
"""

import datetime
import types

from cinder import objects

A = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
B = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
C = "cccccccc-cccc-4ccc-8ccc-cccccccccccc"
HOST = "hostA@backend1#pool1"
CLUSTER = "clusterA@backend1#pool1"
FLAGS = (
    "allow_attached_volume", "allow_reschedule", "cascade", "discover", "error", "force", "force_copy",
    "force_host_copy", "no_snapshots", "sync", "unmanage_only", "volume_is_new",
)  # fmt: skip


def samples():
    """Name of a parameter -> value."""
    for cls in (objects.Volume, objects.Snapshot):
        cls.create_worker = lambda self, pinned=True: True  # writes a row before some sends; there is no database
    found = {
        "backup": objects.Backup(id=A, host="<backup.host>", volume_id=B, project_id="p", user_id="u", metadata={}),
        "timestamp": datetime.datetime(2026, 1, 2, 3, 4, 5),
        "dest_backend": _backend(None),
        "dest_backend~clustered": _backend("clusterB@backend2#pool2"),
        "request_spec": _spec(volume_id=B),
        "request_spec_list": [_spec(volume_id=C)],
        "group_spec": _spec(group_id=A),
    }
    for name, host in (("host", HOST), ("backend_id", HOST), ("backend", HOST), ("backup_host", "<backup_host>")):
        found[name] = host
    for name, make in _RESOURCES.items():
        found[name], found[f"{name}~clustered"] = make(None), make(CLUSTER)
    found["new_volume"], found["new_volume~clustered"] = _volume(None, C), _volume(CLUSTER, C)
    found["vref"], found["vref~clustered"] = _volume(None), _volume(CLUSTER)
    for name in FLAGS:
        found[name] = True
    for value in found.values():
        for part in value if isinstance(value, list) else [value]:
            if hasattr(part, "obj_reset_changes"):
                part.obj_reset_changes()
    return found


def _spec(**values):
    return objects.RequestSpec(volume_properties=objects.VolumeProperties(size=1), **values)


def _backend(cluster):
    return types.SimpleNamespace(host="hostB@backend2#pool2", cluster_name=cluster, capabilities={"free": 1})


def _volume(cluster, id_=B):
    return objects.Volume(
        id=id_, host=HOST, cluster_name=cluster, size=1, status="available", project_id="p", user_id="u"
    )


def _snapshot(cluster):
    return objects.Snapshot(id=C, volume_id=B, volume=_volume(cluster), project_id="p", user_id="u")


def _group(cluster):
    return objects.Group(id=A, host=HOST, cluster_name=cluster, name="group", project_id="p", user_id="u")


def _group_snapshot(cluster):
    return objects.GroupSnapshot(id=A, group_id=B, group=_group(cluster), name="snap", project_id="p", user_id="u")


def _service(cluster):
    cluster = cluster and cluster.partition("#")[0]
    return objects.Service(id=1, host=HOST.partition("#")[0], binary="cinder-volume", cluster_name=cluster)


def _cleanup(cluster):
    cluster = cluster and cluster.partition("#")[0]
    return objects.CleanupRequest(host=HOST.partition("#")[0], cluster_name=cluster, binary="cinder-volume")


_RESOURCES = {
    "volume": _volume,
    "snapshot": _snapshot,
    "group": _group,
    "group_snapshot": _group_snapshot,
    "service": _service,
    "cleanup_request": _cleanup,
}

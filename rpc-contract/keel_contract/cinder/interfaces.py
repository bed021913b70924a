"""The RPC interfaces of Cinder (cinder 29.0.0 rpc_client and rpc_server): topics, methods, arguments, older peers.

A message often goes out at a low version although an argument needs a newer peer: the level says what the peer must
understand, the version after the colon is what stands in the message.
"""

from __future__ import annotations

from typing import Any

from keel_contract import versions
from keel_contract.interface import (
    REQUIRED,
    Arg,
    Interface,
    Level,
    call,
    cast,
    convert,
    fanout,
    levels,
    rename,
    table,
    takes,
    told,
)

_HOST_IN_TOPIC = "3.6"


def _without_cluster(backend: dict[str, Any]) -> dict[str, Any]:
    """A destination as volume services below 3.5 know it."""
    return {key: value for key, value in backend.items() if key != "cluster_name"}


def volume_address(topic: str, server: str | None, pin: str | None) -> tuple[str, str | None]:
    """Topic and server of ``host@backend#pool``: the pool never counts, from 3.6 on each backend has its own topic."""
    if server is None:
        return topic, None
    backend = server.partition("#")[0]
    if pin is not None and versions.older(pin, _HOST_IN_TOPIC):
        return topic, backend
    return f"{topic}.{backend}", backend.partition("@")[0]


SCHEDULER = Interface(
    name="scheduler",
    suite="cinder",
    version="3.12",
    topics=("cinder-scheduler",),
    methods=table(
        [
            cast("create_backup", takes("backup"), levels("3.12:3.0")),
            cast(
                "create_group",
                takes(
                    "group",
                    group_spec=None,
                    group_filter_properties=None,
                    request_spec_list=None,
                    filter_properties_list=None,
                ),
                levels("3.0"),
            ),
            cast(
                "create_snapshot",
                takes("volume", "snapshot", "backend", request_spec=None, filter_properties=None),
                levels("3.9:3.0"),
            ),
            cast(
                "create_volume",
                takes(
                    "volume",
                    Arg("backup_id", None, since="3.10"),
                    snapshot_id=None,
                    image_id=None,
                    request_spec=None,
                    filter_properties=None,
                ),
                levels("3.10:3.0", "3.0"),
            ),
            cast("do_cleanup", takes("cleanup_request"), levels("3.4")),
            cast(
                "extend_volume",
                takes("volume", "new_size", "reservations", request_spec=None, filter_properties=None),
                levels("3.2:3.0"),
            ),
            call("get_log_levels", takes("log_request"), levels("3.7")),
            call("get_pools", takes(filters=None), levels("3.0")),
            cast("manage_existing", takes("volume", told("request_spec"), filter_properties=None), levels("3.0")),
            cast(
                "manage_existing_snapshot",
                takes("volume", "snapshot", "ref", told("request_spec"), filter_properties=None),
                levels("3.11:3.0"),
            ),
            cast(
                "migrate_volume",
                takes(
                    "volume",
                    Arg("backend", since="3.3", below=rename("host")),
                    Arg("force_copy", False, since="3.3", below=rename("force_host_copy"), absent=REQUIRED),
                    told("request_spec"),
                    told("filter_properties"),
                ),
                (Level("3.3", "3.3"), Level("3.0", "3.0", method="migrate_volume_to_host")),
            ),
            cast(
                "notify_service_capabilities",
                takes(
                    "service_name",
                    "capabilities",
                    Arg("backend", None, since="3.5", below=rename("host")),
                    Arg("timestamp", None, since="3.5"),
                ),
                levels("3.5", "3.1"),
            ),
            cast("retype", takes("volume", told("request_spec"), filter_properties=None), levels("3.0")),
            cast("set_log_levels", takes("log_request"), levels("3.7")),
            fanout(
                "update_service_capabilities",
                takes(
                    Arg("cluster_name", None, since="3.3"),
                    Arg("timestamp", None, since="3.3"),
                    service_name=None,
                    host=None,
                    capabilities=None,
                ),
                levels("3.3", "3.0"),
                extra=True,
            ),
            call(
                "validate_host_capacity", takes("backend", "request_spec", told("filter_properties")), levels("3.8:3.0")
            ),
            call("work_cleanup", takes("cleanup_request"), levels("3.4")),
            cast(
                "migrate_volume_to_host",
                takes("volume", "host", "force_host_copy", "request_spec", filter_properties=None),
                (),
                sent=False,
            ),
        ]
    ),
)

VOLUME = Interface(
    name="volume",
    suite="cinder",
    version="3.20",
    topics=("cinder-volume",),
    address=volume_address,
    methods=table(
        [
            call(
                "accept_transfer",
                takes("volume_id", "new_user", "new_project", Arg("no_snapshots", False, since="3.16")),
                levels("3.16", "3.0"),
            ),
            call(
                "attach_volume",
                takes(
                    "volume_id", "instance_uuid", "host_name", "mountpoint", "mode", Arg("volume", None, since="3.3")
                ),
                levels("3.3", "3.0"),
                to="volume",
            ),
            call("attachment_delete", takes("attachment_id", "vref"), levels("3.9"), to="vref"),
            call("attachment_update", takes("vref", "connector", "attachment_id"), levels("3.9"), to="vref"),
            cast("copy_volume_to_image", takes("volume_id", "image_meta"), levels("3.0")),
            cast("create_group", takes("group"), levels("3.0"), to="group"),
            cast(
                "create_group_from_src",
                takes("group", group_snapshot=None, source_group=None),
                levels("3.0"),
                to="group",
            ),
            cast("create_group_snapshot", takes("group_snapshot"), levels("3.0"), to="group_snapshot.group"),
            cast("create_snapshot", takes("snapshot"), levels("3.0")),
            cast(
                "create_volume",
                takes("volume", request_spec=None, filter_properties=None, allow_reschedule=True),
                levels("3.0"),
                to="volume",
            ),
            cast("delete_group", takes("group"), levels("3.0"), to="group"),
            cast("delete_group_snapshot", takes("group_snapshot"), levels("3.0"), to="group_snapshot.group"),
            cast("delete_snapshot", takes("snapshot", unmanage_only=False), levels("3.0"), to="snapshot.volume"),
            cast("delete_volume", takes("volume", unmanage_only=False, cascade=False), levels("3.0"), to="volume"),
            call(
                "detach_volume",
                takes("volume_id", Arg("volume", None, since="3.4"), attachment_id=None),
                levels("3.4", "3.0"),
                to="volume",
            ),
            cast("disable_replication", takes("group"), levels("3.14"), to="group"),
            cast("do_cleanup", takes("cleanup_request"), levels("3.7"), to="cleanup_request"),
            cast("enable_replication", takes("group"), levels("3.14"), to="group"),
            cast("extend_volume", takes("volume", "new_size", "reservations"), levels("3.0"), to="volume"),
            cast(
                "extend_volume_completion",
                takes("volume", "new_size", "reservations", "error"),
                levels("3.19"),
                to="volume",
            ),
            cast(
                "failover",
                takes(secondary_backend_id=None),
                (Level("3.8", "3.8"), Level("3.0", "3.0", method="failover_host")),
            ),
            fanout("failover_completed", takes("updates"), levels("3.8")),
            cast(
                "failover_replication",
                takes("group", allow_attached_volume=False, secondary_backend_id=None),
                levels("3.14"),
                to="group",
            ),
            call("freeze_host", takes(), levels("3.0")),
            call(
                "get_backup_device",
                takes(
                    "backup",
                    Arg("want_objects", True, since="3.2", absent=False),
                    Arg("async_call", True, since="3.17", absent=False),
                ),
                (Level("3.17", "3.17", mode="cast"), *levels("3.2", "3.0")),
                modes=("call", "cast"),
            ),
            call("get_capabilities", takes("discover"), levels("3.0")),
            call("get_log_levels", takes("log_request"), levels("3.12")),
            call(
                "get_manageable_snapshots",
                takes(
                    "marker",
                    "limit",
                    "offset",
                    "sort_keys",
                    "sort_dirs",
                    Arg("want_objects", True, since="3.10", absent=False),
                ),
                levels("3.10", "3.0"),
            ),
            call(
                "get_manageable_volumes",
                takes(
                    "marker",
                    "limit",
                    "offset",
                    "sort_keys",
                    "sort_dirs",
                    Arg("want_objects", True, since="3.10", absent=False),
                ),
                levels("3.10", "3.0"),
            ),
            call("initialize_connection", takes("volume", "connector"), levels("3.0"), to="volume"),
            call("initialize_connection_snapshot", takes("snapshot_id", "connector"), levels("3.13")),
            call("list_replication_targets", takes("group"), levels("3.14"), to="group"),
            cast("manage_existing", takes("volume", ref=None), levels("3.0"), to="volume"),
            cast("manage_existing_snapshot", takes("snapshot", ref=None), levels("3.0")),
            cast(
                "migrate_volume",
                takes(
                    "volume",
                    Arg("host", since="3.5", below=convert(_without_cluster)),
                    Arg("new_type_id", None, sent=False),
                    Arg("diff", None, sent=False),
                    force_host_copy=False,
                ),
                levels("3.5", "3.0"),
                to="volume",
            ),
            call("migrate_volume_completion", takes("volume", "new_volume", error=False), levels("3.0"), to="volume"),
            fanout("publish_service_capabilities", takes(), levels("3.0")),
            cast(
                "reimage",
                takes("volume", "image_meta", Arg("image_snap", None, since="3.20")),
                levels("3.20", "3.18"),
                to="volume",
            ),
            cast("remove_export", takes("volume_id"), levels("3.0"), modes=("cast", "call")),
            cast("remove_export_snapshot", takes("snapshot_id"), levels("3.13"), modes=("cast", "call")),
            cast(
                "retype",
                takes(
                    "volume",
                    "new_type_id",
                    Arg("host", since="3.5", below=convert(_without_cluster)),
                    migration_policy="never",
                    reservations=None,
                    old_reservations=None,
                ),
                levels("3.5", "3.0"),
                to="volume",
            ),
            cast("revert_to_snapshot", takes("volume", "snapshot"), levels("3.15"), to="volume"),
            call("secure_file_operations_enabled", takes("volume"), levels("3.0"), to="volume"),
            cast("set_log_levels", takes("log_request"), levels("3.12")),
            call("terminate_connection", takes("volume_id", "connector", force=False), levels("3.0")),
            call("terminate_connection_snapshot", takes("snapshot_id", "connector", force=False), levels("3.13")),
            call("thaw_host", takes(), levels("3.0")),
            cast("update_group", takes("group", add_volumes=None, remove_volumes=None), levels("3.0"), to="group"),
            call(
                "update_migrated_volume", takes("volume", "new_volume", "volume_status"), levels("3.0"), to="new_volume"
            ),
            cast("failover_host", takes(secondary_backend_id=None), (), sent=False),
        ]
    ),
)

BACKUP = Interface(
    name="backup",
    suite="cinder",
    version="2.4",
    topics=("cinder-backup",),
    methods=table(
        [
            call("check_support_to_force_delete", takes(), levels("2.0")),
            cast("continue_backup", takes("backup", "backup_device"), levels("2.0"), to="backup.host"),
            cast("create_backup", takes("backup"), levels("2.0"), to="backup.host"),
            cast("delete_backup", takes("backup"), levels("2.0"), to="backup.host"),
            call("export_record", takes("backup"), levels("2.0"), to="backup.host"),
            call("get_log_levels", takes("log_request"), levels("2.1")),
            cast("import_record", takes("backup", "backup_service", "backup_url", "backup_hosts"), levels("2.0")),
            fanout("publish_service_capabilities", takes(), levels("2.2")),
            cast("reset_status", takes("backup", "status"), levels("2.0"), to="backup.host"),
            cast(
                "restore_backup",
                takes("backup", "volume_id", Arg("volume_is_new", None, since="2.4", absent=REQUIRED)),
                levels("2.4:2.0", "2.0"),
            ),
            cast("set_log_levels", takes("log_request"), levels("2.1")),
        ]
    ),
)

"""The RPC interfaces of Nova: topics, methods, arguments, older peers (nova 34.0.0 rpc_client and rpc_server).

Arguments carry their wire names: ``scheduled_node``, where a real client's method takes ``node``.
"""

from __future__ import annotations

from keel_contract.interface import (
    REFUSE,
    Arg,
    Interface,
    Level,
    call,
    cast,
    convert,
    fanout,
    levels,
    table,
    takes,
    told,
)
from keel_contract.nova import legacy
from keel_contract.nova.interface_compute import COMPUTE

__all__ = ["BASE", "COMPUTE", "COMPUTE_TASK", "CONDUCTOR", "SCHEDULER"]

BASE = Interface(
    name="base",
    suite="nova",
    namespace="baseapi",
    version="1.1",
    topics=("compute", "compute-alt", "conductor", "scheduler"),
    objects=False,
    methods=table(
        [
            call("get_backdoor_port", takes(), levels("1.1")),
            call("ping", takes("arg"), levels("1.0")),
        ]
    ),
)

CONDUCTOR = Interface(
    name="conductor",
    suite="nova",
    version="3.0",
    topics=("conductor",),
    methods=table(
        [
            call("object_action", takes("objinst", "objmethod", "args", "kwargs"), levels("3.0")),
            call("object_backport_versions", takes("objinst", "object_versions"), levels("3.0")),
            call(
                "object_class_action_versions",
                takes("objname", "objmethod", "object_versions", "args", "kwargs"),
                levels("3.0"),
            ),
            call("provider_fw_rule_get_all", takes(), (), sent=False),
        ]
    ),
)

# Not pinnable: the newest version is always sent.
COMPUTE_TASK = Interface(
    name="compute_task",
    suite="nova",
    namespace="compute_task",
    version="1.26",
    topics=("conductor",),
    methods=table(
        [
            call(
                "attach_volume",
                takes(
                    "instance",
                    "volume",
                    "device",
                    "disk_bus",
                    "device_type",
                    tag=None,
                    supports_multiattach=False,
                    delete_on_termination=False,
                ),
                levels("1.26"),
                long=True,
                modes=("call", "cast"),
            ),
            cast(
                "build_instances",
                takes(
                    "instances",
                    "image",
                    Arg("filter_properties", since="1.10", below=convert(legacy.with_plain_flavor)),
                    "admin_password",
                    "injected_files",
                    Arg("requested_networks", since="1.9", below=convert(legacy.network_tuples)),
                    "security_groups",
                    Arg("request_spec", None, since="1.18"),
                    Arg("host_lists", None, since="1.19"),
                    Arg("block_device_mapping", None, until="1.8", below=convert(legacy.plain), absent=None),
                    Arg("legacy_bdm", True, until="1.8", absent=True),
                ),
                (*levels("1.19", "1.18", "1.10", "1.9", "1.8"), Level("1.5", "1.5", until="1.7")),
            ),
            cast("cache_images", takes("aggregate", "image_ids"), levels("1.21")),
            cast(
                "confirm_snapshot_based_resize", takes("instance", "migration"), levels("1.22"), modes=("cast", "call")
            ),
            cast(
                "live_migrate_instance",
                takes("instance", "scheduler_hint", "block_migration", "disk_over_commit", "request_spec"),
                levels("1.15"),
            ),
            call(
                "migrate_server",
                takes(
                    Arg("instance", since="1.6", below=convert(legacy.plain)),
                    "scheduler_hint",
                    "live",
                    "rebuild",
                    Arg("flavor", since="1.10", below=convert(legacy.plain)),
                    "block_migration",
                    "disk_over_commit",
                    Arg("clean_shutdown", True, since="1.11"),
                    Arg("request_spec", None, since="1.13"),
                    Arg("host_list", None, since="1.20"),
                    reservations=None,
                ),
                levels("1.20", "1.13", "1.11", "1.10", "1.6", "1.4"),
                long=True,
                modes=("call", "cast"),
            ),
            cast(
                "rebuild_instance",
                takes(
                    "instance",
                    "orig_image_ref",
                    "image_ref",
                    "injected_files",
                    "new_pass",
                    "orig_sys_metadata",
                    "bdms",
                    Arg("request_spec", None, since="1.12"),
                    Arg("reimage_boot_volume", False, since="1.24", below=REFUSE),
                    Arg("target_state", None, since="1.25", below=REFUSE),
                    told("recreate", False),
                    told("on_shared_storage", False),
                    preserve_ephemeral=False,
                    host=None,
                ),
                levels("1.25", "1.24", "1.12", "1.8"),
            ),
            cast("revert_snapshot_based_resize", takes("instance", "migration"), levels("1.23")),
            cast(
                "schedule_and_build_instances",
                takes(
                    "build_requests",
                    "request_specs",
                    "image",
                    "admin_password",
                    "injected_files",
                    "requested_networks",
                    "block_device_mapping",
                    Arg("tags", None, since="1.17"),
                ),
                levels("1.17", "1.16"),
            ),
            cast(
                "unshelve_instance", takes("instance", Arg("request_spec", None, since="1.14")), levels("1.14", "1.3")
            ),
        ]
    ),
)

SCHEDULER = Interface(
    name="scheduler",
    suite="nova",
    version="4.5",
    topics=("scheduler",),
    methods=table(
        [
            fanout("delete_aggregate", takes("aggregate"), levels("4.1")),
            fanout("delete_instance_info", takes("host_name", "instance_uuid"), levels("4.2")),
            call(
                "select_destinations",
                takes(
                    Arg("spec_obj", since="4.3", read=legacy.request_spec),
                    Arg("request_spec", until="4.3", made=lambda given: legacy.request_properties(given["spec_obj"])),
                    Arg(
                        "filter_properties", until="4.3", made=lambda given: legacy.filter_properties(given["spec_obj"])
                    ),
                    Arg("instance_uuids", None, since="4.4"),
                    Arg("return_objects", False, since="4.5", below=REFUSE),
                    Arg("return_alternates", False, since="4.5", below=REFUSE),
                ),
                levels("4.5", "4.4", "4.3", "4.0"),
                long=True,
            ),
            fanout("sync_instance_info", takes("host_name", "instance_uuids"), levels("4.2")),
            fanout("update_aggregates", takes("aggregates"), levels("4.1")),
            fanout("update_instance_info", takes("host_name", "instance_info"), levels("4.2")),
        ]
    ),
)

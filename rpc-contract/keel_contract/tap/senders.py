"""Who sent a message.

A message does not name its sender. Two things tell: what it is (only a nova-compute saves its ComputeNode), and the
queue it wants its reply on, which one process uses for all its calls. So a process is known by name as soon as one of
its calls has named its host. Until then it is known by its kind and a number.

Who sends what: nova 34.0.0 and cinder 29.0.0, flows and rpc_client.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keel_contract.tap.addresses import interface_of
from keel_contract.tap.text import printable
from keel_contract.tap.wire import Message, objects_in

API, CONDUCTOR, COMPUTE, SCHEDULER = "nova-api", "nova-conductor", "nova-compute", "nova-scheduler"
CINDER_API, CINDER_SCHEDULER, VOLUME = "cinder-api", "cinder-scheduler", "cinder-volume"
UNKNOWN = "?"

# Interface -> the kind of process that sends its methods unless the next table says otherwise.
_USUAL = {
    ("nova", "compute"): API,
    ("nova", "base"): UNKNOWN,
    ("nova", "compute_task"): API,
    ("nova", "conductor"): COMPUTE,
    ("nova", "scheduler"): COMPUTE,
    ("cinder", "volume"): CINDER_API,
    ("cinder", "scheduler"): CINDER_API,
    ("cinder", "backup"): CINDER_API,
}
_BY_METHOD: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("nova", "compute"): {
        **dict.fromkeys(
            (
                "attach_volume",
                "build_and_run_instance",
                "cache_images",
                "check_can_live_migrate_destination",
                "confirm_snapshot_based_resize_at_source",
                "finish_revert_snapshot_based_resize_at_source",
                "finish_snapshot_based_resize_at_dest",
                "live_migration",
                "prep_resize",
                "prep_snapshot_based_resize_at_dest",
                "prep_snapshot_based_resize_at_source",
                "rebuild_instance",
                "reserve_block_device_name",
                "revert_snapshot_based_resize_at_dest",
                "unshelve_instance",
            ),
            CONDUCTOR,
        ),
        **dict.fromkeys(
            (
                "check_can_live_migrate_source",
                "check_instance_shared_storage",
                "drop_move_claim_at_destination",
                "finish_resize",
                "finish_revert_resize",
                "post_live_migration_at_destination",
                "pre_live_migration",
                "resize_instance",
                "rollback_live_migration_at_destination",
            ),
            COMPUTE,
        ),
    },
    ("nova", "compute_task"): {"build_instances": COMPUTE},
    ("nova", "scheduler"): {"select_destinations": CONDUCTOR, "update_aggregates": API, "delete_aggregate": API},
    ("cinder", "volume"): dict.fromkeys(
        ("create_volume", "extend_volume", "manage_existing", "migrate_volume", "publish_service_capabilities"),
        CINDER_SCHEDULER,
    ),
    ("cinder", "scheduler"): {"update_service_capabilities": VOLUME, "notify_service_capabilities": VOLUME},
}
# Arguments whose value is the host of the sender: method -> argument.
_HOST_ARGUMENT = {
    "sync_instance_info": "host_name",
    "update_instance_info": "host_name",
    "delete_instance_info": "host_name",
    "update_service_capabilities": "host",
    "notify_service_capabilities": "backend",
}
# What a process asks a conductor about itself: (object, method) -> place of its own host in the arguments.
_HOST_OF_QUESTION = {
    ("Service", "get_by_args"): 0,
    ("Service", "get_by_compute_host"): 0,
    ("InstanceList", "get_by_host"): 0,
    ("InstanceList", "get_by_host_and_node"): 0,
    ("ComputeNodeList", "get_all_by_host"): 0,
    ("ComputeNode", "get_by_host_and_nodename"): 0,
    ("MigrationList", "get_in_progress_by_host_and_node"): 0,
    ("MigrationList", "get_in_progress_and_error"): 0,
}


@dataclass(frozen=True, slots=True)
class Sender:
    """``kind`` is the name of a binary or "?"; ``name`` its host, or a number while that is not known."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Report:
    """What a service said about its own version (its row of ``services``)."""

    binary: str
    host: str
    version: int


class Senders:
    """Learns from every message; ``of`` answers with what is known by then."""

    def __init__(self) -> None:
        self._hosts: dict[str, set[str]] = defaultdict(set)
        self._kinds: dict[str, str] = {}
        self._numbers: dict[str, dict[str, int]] = defaultdict(dict)
        self.reports: dict[tuple[str, str], Report] = {}

    def of(self, message: Message) -> Sender:
        """Who sent ``message``."""
        kind, certain = self._kind(message)
        host = _host(message)
        for report in _reports(message):
            self.reports[report.binary, report.host] = report
        queue = message.reply_queue if isinstance(message.reply_queue, str) else None
        if queue is None:
            return Sender(kind, host or "")
        if certain or host:
            self._kinds[queue] = kind
        if host:
            self._hosts[queue].add(host)
        kind, known = self._kinds.get(queue, kind), self._hosts.get(queue)
        return Sender(kind, host or _one_of(known) if known else self._number(kind, queue))

    @staticmethod
    def _kind(message: Message) -> tuple[str, bool]:
        """The kind of process, and whether no other sends this method."""
        interface = interface_of(message.to.topic, message.namespace)
        if interface is None or not isinstance(message.method, str) or message.method not in interface.methods:
            return UNKNOWN, False
        place = (interface.suite, interface.name)
        known = _BY_METHOD.get(place, {}).get(message.method)
        return (known, True) if known else (_USUAL.get(place, UNKNOWN), False)

    def _number(self, kind: str, queue: str) -> str:
        numbers = self._numbers[kind]
        return f"#{numbers.setdefault(queue, len(numbers) + 1)}"


def _one_of(hosts: set[str]) -> str:
    """A process that serves several hosts, as keel-compute-kubevirt does, and a message that tells none of them."""
    first, *more = sorted(hosts)
    return f"{first} +{len(more)}" if more else first


def _host(message: Message) -> str | None:
    """The host that the message shows its sender to be on."""
    args = message.args
    if not isinstance(args, dict) or not isinstance(message.method, str):
        return None
    found: Any = None
    if message.method in _HOST_ARGUMENT:
        found = args.get(_HOST_ARGUMENT[message.method])
        found = found.get("host") if isinstance(found, dict) else found
    elif message.method == "object_class_action_versions":
        place = _HOST_OF_QUESTION.get((str(args.get("objname")), str(args.get("objmethod"))))
        values = args.get("args")
        found = values[place] if place is not None and isinstance(values, list) and len(values) > place else None
    elif message.method == "object_action" and args.get("objmethod") in ("save", "create"):
        own = next(objects_in(args.get("objinst"), "nova"), None)
        if own is not None and own.name in ("Service", "ComputeNode") and isinstance(own.data, dict):
            found = own.data.get("host")
    return printable(found) if isinstance(found, str) and found else None


def _reports(message: Message) -> list[Report]:
    """Services that tell their version in this message: a nova-compute saves its own row every ten seconds."""
    if message.method not in ("object_action", "object_class_action_versions") or message.to.suite != "nova":
        return []
    found = []
    for seen in objects_in(message.args, "nova"):
        data = seen.data
        if seen.name == "Service" and isinstance(data, dict):
            binary, host, version = (data.get(key) for key in ("binary", "host", "version"))
            if isinstance(binary, str) and isinstance(host, str) and isinstance(version, int):
                found.append(Report(printable(binary), printable(host), version))
    return found

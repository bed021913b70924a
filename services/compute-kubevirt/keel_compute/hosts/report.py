"""What a host says of itself: service row, compute node row, Placement provider."""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import Any

import os_traits

from keel_compute.errors import is_fault
from keel_compute.hosts import node as facts
from keel_compute.site import Site
from keel_contract.context import Context
from keel_contract.nova import objects

LOG = logging.getLogger(__name__)

BINARY = "nova-compute"
TOPIC = "compute"
HYPERVISOR = "KubeVirt"
NOT_FOUND = ("HostBinaryNotFound", "ComputeHostNotFound", "ServiceNotFound")
AUTO = "AUTO: "
"""Start of the disabled reason that this service writes and may take back (as Nova's drivers do)."""
COUNTED = ("deleted", "shelved_offloaded")
"""vm_states whose servers use nothing of the host (nova 34.0.0 resource tracker)."""
_TRAITS = frozenset(os_traits.get_traits())


class Report:
    """The records of one host. Methods are called by one thread at a time (the lock sees to it)."""

    def __init__(self, site: Site, host: str) -> None:
        self._site = site
        self._remote = site.remote
        self.host = host
        self.service: Any = None
        self.compute: Any = None
        self._sent: dict[str, Any] = {}
        self._asked = time.monotonic()
        self._lock = threading.Lock()

    # -- service

    def register(self, context: Context, version: int) -> None:
        """Find or create the service row and write our version into it."""
        with self._lock:
            try:
                found = self._remote.class_action(context, "Service", "get_by_host_and_binary", self.host, BINARY)
            except Exception as error:
                if not is_fault(error, *NOT_FOUND):
                    raise
                found = None
            if found is None:
                found = objects.Service(host=self.host, binary=BINARY, topic=TOPIC, report_count=0, version=version)
                self._remote.action(context, found, "create")
            elif found.version != version:
                found.version = version
                self._remote.action(context, found, "save")
            self.service = found

    def beat(self, context: Context) -> None:
        """One heartbeat: report_count goes up (nova 34.0.0 servicegroup db driver)."""
        with self._lock:
            self.service.report_count = self.service.report_count + 1
            self._remote.action(context, self.service, "save")

    def follow_cordon(self, context: Context, node: dict) -> None:
        """Disable the service while the node takes no new pods; a reason that an operator wrote is left alone."""
        wanted = not facts.schedulable(node)
        with self._lock:
            current = self._remote.class_action(context, "Service", "get_by_compute_host", self.host)
            ours = not current.disabled or (current.disabled_reason or "").startswith(AUTO)
            if ours and bool(current.disabled) != wanted:
                current.disabled = wanted
                current.disabled_reason = f"{AUTO}the Kubernetes node takes no new guests" if wanted else None
                self._remote.action(context, current, "save")
            self.service = current

    # -- compute node

    def describe(self, context: Context, node: dict) -> None:
        """Find or create the compute node row of this host."""
        with self._lock:
            found = self._find(context)
            if found is None:
                found = objects.ComputeNode(
                    uuid=facts.compute_uuid(node, self._site.conf.keel.cluster),
                    host=self.host,
                    service_id=self.service.id,
                    **self._static(node),
                    **_usage(node, self._disk(node), []),
                )
                for kind in ("cpu", "ram", "disk"):
                    setattr(found, f"{kind}_allocation_ratio", facts.ratio(self._site.conf, kind))
                self._remote.action(context, found, "create")
            self.compute = found

    def _find(self, context: Context) -> Any:
        try:
            found = self._remote.class_action(context, "ComputeNodeList", "get_all_by_host", self.host)
        except Exception as error:
            if is_fault(error, *NOT_FOUND):
                return None
            raise
        nodes = list(found.objects)
        if len(nodes) > 1:
            raise RuntimeError(f"Host {self.host} has {len(nodes)} compute nodes; a Kubernetes node has one")
        if nodes and nodes[0].hypervisor_type != HYPERVISOR:
            raise RuntimeError(
                f"Host {self.host} belongs to a {nodes[0].hypervisor_type} compute; it is not taken over"
            )
        return nodes[0] if nodes else None

    def _disk(self, node: dict) -> int:
        return self._site.conf.kubevirt.disk_gb or facts.disk_gb(node)

    def _static(self, node: dict) -> dict[str, Any]:
        arch = facts.architecture(node)
        return {
            "hypervisor_hostname": self.host,
            "hypervisor_type": HYPERVISOR,
            "hypervisor_version": self._site.conf.kubevirt.hypervisor_version,
            "host_ip": facts.address(node) or self._site.conf.my_ip,
            "vcpus": facts.vcpus(node),
            "memory_mb": facts.memory_mb(node),
            "local_gb": self._disk(node),
            "cpu_info": json.dumps({"arch": arch, "model": facts.cpu_model(node)}),
            "metrics": "[]",
            "supported_hv_specs": [objects.HVSpec(arch=arch, hv_type="kvm", vm_mode="hvm")],
        }

    def count(self, context: Context, node: dict, instances: list[Any]) -> None:
        """Write usage and capacity of the compute node; nothing is sent when nothing changed."""
        static = self._static(node)
        wanted = {**static, **_usage(node, static["local_gb"], instances)}
        with self._lock:
            for name, value in wanted.items():
                if name == "supported_hv_specs":
                    continue
                if _differs(self.compute.get(name), value):
                    setattr(self.compute, name, value)
            if self.compute.changes():
                self._remote.action(context, self.compute, "save", prune_stats=True)

    # -- placement

    def offer(self, node: dict, disabled: bool) -> None:
        """Provider, inventories and traits at Placement; only what changed since the last time is sent."""
        placement = self._site.clients.placement
        uuid = self.compute.uuid
        with self._lock:
            if time.monotonic() - self._asked > self._site.conf.compute.resource_provider_association_refresh:
                # Somebody else may have changed the provider: everything is compared anew now and then.
                self._sent.clear()
                self._asked = time.monotonic()
            if not self._sent:
                placement.ensure_provider(uuid, self.host)
                self._sent["ratios"] = self._current_ratios(uuid)
            inventories = facts.inventories(node, self._site.conf, self._sent["ratios"])
            if inventories != self._sent.get("inventories"):
                placement.set_inventory(uuid, inventories)
                self._sent["inventories"] = inventories
            traits = {*facts.ALWAYS, *facts.CAPABILITIES, *facts.cpu_traits(node, _TRAITS)}
            if disabled:
                traits.add(facts.DISABLED)
            if traits != self._sent.get("traits"):
                gone = (self._sent.get("traits") or set()) - traits
                placement.set_traits(uuid, traits, gone | ({facts.DISABLED} - traits))
                self._sent["traits"] = traits

    def _current_ratios(self, uuid: str) -> dict[str, dict]:
        return self._site.clients.placement.inventories(uuid)


def _differs(current: Any, wanted: Any) -> bool:
    return str(current) != str(wanted) if current is not None and wanted is not None else current != wanted


def _usage(node: dict, disk: int, instances: list[Any]) -> dict[str, Any]:
    counted = [each for each in instances if each.vm_state not in COUNTED]
    cpus = sum(each.flavor.vcpus for each in counted)
    memory = sum(each.flavor.memory_mb for each in counted)
    local = sum(each.flavor.root_gb + each.flavor.ephemeral_gb for each in counted if each.image_ref)
    return {
        "vcpus_used": cpus,
        "memory_mb_used": memory,
        "local_gb_used": local,
        "free_ram_mb": facts.memory_mb(node) - memory,
        "free_disk_gb": disk - local,
        "disk_available_least": disk - local,
        "running_vms": len(counted),
        "current_workload": sum(1 for each in counted if each.task_state in ("scheduling", "networking", "spawning")),
        "stats": _stats(counted),
    }


def _stats(instances: list[Any]) -> dict[str, str]:
    """Counts that weighers read: num_instances, io_workload, by state, by project, by os_type (nova 34.0.0 stats)."""
    found: dict[str, int] = {"failed_builds": 0, "num_instances": len(instances), "io_workload": 0}
    busy = ("image_uploading", "image_pending_upload", "image_snapshot", "resize_prep", "resize_migrating")
    for each in instances:
        names = [f"num_vm_{each.vm_state}", f"num_task_{each.task_state}", f"num_proj_{each.project_id}"]
        names.append(f"num_os_type_{each.os_type}")
        if each.vm_state in ("resized", "building") or each.task_state in busy or each.task_state == "spawning":
            names.append("io_workload")
        for name in names:
            found[name] = found.get(name, 0) + 1
    return {name: str(value) for name, value in found.items()} if instances else {"failed_builds": "0"}

"""What a Kubernetes node offers to Nova: pure functions of the Node object."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from keel_compute.kubevirt.spec import HOSTNAME_LABEL
from keel_compute.kubevirt.state import condition

_UNITS: dict[str, int | Decimal] = {
    "": 1,
    "m": Decimal("0.001"),
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "P": 10**15,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
}
CAPABILITIES = (
    "COMPUTE_IMAGE_TYPE_QCOW2",
    "COMPUTE_IMAGE_TYPE_RAW",
    "COMPUTE_IMAGE_TYPE_ISO",
    "COMPUTE_IMAGE_TYPE_VMDK",
    "COMPUTE_IMAGE_TYPE_VDI",
    "COMPUTE_IMAGE_TYPE_VHD",
    "COMPUTE_IMAGE_TYPE_VHDX",
    "COMPUTE_NET_ATTACH_INTERFACE",
    "COMPUTE_VOLUME_MULTI_ATTACH",
    "COMPUTE_SECURITY_UEFI_SECURE_BOOT",
    "COMPUTE_SECURITY_STATELESS_FIRMWARE",
)
"""Driver abilities as traits (nova 34.0.0 compute_reports capability_traits)."""
ALWAYS = ("COMPUTE_NODE", "OWNER_NOVA")
DISABLED = "COMPUTE_STATUS_DISABLED"
_FEATURE = "cpu-feature.node.kubevirt.io/"
_ARCH = {"amd64": "x86_64", "arm64": "aarch64", "s390x": "s390x"}


def quantity(text: str | int | float) -> Decimal:
    """A Kubernetes quantity such as "500m", "16Gi" or "1e3" as a number."""
    match = re.fullmatch(r"([+-]?[0-9.]+)([eE][+-]?[0-9]+)?([a-zA-Z]*)", str(text).strip())
    if match is None or match[3] not in _UNITS:
        raise ValueError(f"{text!r} is not a quantity")
    return Decimal(match[1] + (match[2] or "")) * _UNITS[match[3]]


def vcpus(node: Mapping[str, Any]) -> int:
    """Whole CPUs that pods may use."""
    return int(quantity(node["status"]["allocatable"].get("cpu", 0)))


def memory_mb(node: Mapping[str, Any]) -> int:
    """MiB of memory that pods may use."""
    return int(quantity(node["status"]["allocatable"].get("memory", 0)) // 2**20)


def disk_gb(node: Mapping[str, Any]) -> int:
    """GiB of ephemeral storage that pods may use."""
    return int(quantity(node["status"]["allocatable"].get("ephemeral-storage", 0)) // 2**30)


def hostname_label(node: Mapping[str, Any]) -> str:
    """The value that pins a pod to this node."""
    return node["metadata"].get("labels", {}).get(HOSTNAME_LABEL) or node["metadata"]["name"]


def architecture(node: Mapping[str, Any]) -> str:
    """Nova's name of the CPU architecture."""
    labels = node["metadata"].get("labels") or {}
    arch = labels.get("kubernetes.io/arch") or node["status"].get("nodeInfo", {}).get("architecture") or "amd64"
    return _ARCH.get(arch, arch)


def address(node: Mapping[str, Any]) -> str | None:
    """The node's internal address."""
    for each in node["status"].get("addresses") or ():
        if each["type"] == "InternalIP":
            return each["address"]
    return None


def ready(node: Mapping[str, Any]) -> bool:
    """True while the kubelet reports: a host whose node is not ready is down."""
    return condition(dict(node), "Ready").get("status") == "True"


def schedulable(node: Mapping[str, Any]) -> bool:
    """False when the node is cordoned or KubeVirt takes it out."""
    labels = node["metadata"].get("labels") or {}
    return not node.get("spec", {}).get("unschedulable") and labels.get("kubevirt.io/schedulable", "true") == "true"


def compute_uuid(node: Mapping[str, Any], cluster: str) -> str:
    """The uuid of a new compute node record: the same for the same node and deployment, whoever computes it."""
    return str(uuid.uuid5(uuid.UUID(node["metadata"]["uid"]), cluster))


def cpu_traits(node: Mapping[str, Any], known: frozenset[str]) -> set[str]:
    """HW_CPU_X86_* traits of the CPU features that KubeVirt labelled, as far as they are standard traits."""
    found = set()
    for label, value in (node["metadata"].get("labels") or {}).items():
        if label.startswith(_FEATURE) and value == "true":
            name = label.removeprefix(_FEATURE).upper().replace("-", "_").replace(".", "_")
            trait = f"HW_CPU_X86_{name}"
            if trait in known:
                found.add(trait)
    return found


def cpu_model(node: Mapping[str, Any]) -> str:
    """The host model KubeVirt found, "" when it did not label one."""
    prefix = "host-model-cpu.node.kubevirt.io/"
    for label in node["metadata"].get("labels") or {}:
        if label.startswith(prefix):
            return label.removeprefix(prefix)
    return ""


def inventories(node: Mapping[str, Any], conf: Any, current: Mapping[str, Mapping[str, Any]]) -> dict[str, dict]:
    """What Placement is told. Ratios: the option, else the inventory's, else the initial option (nova 34.0.0)."""
    totals = {
        "VCPU": (vcpus(node), conf.reserved_host_cpus, "cpu"),
        "MEMORY_MB": (memory_mb(node), conf.reserved_host_memory_mb, "ram"),
        "DISK_GB": (conf.kubevirt.disk_gb or disk_gb(node), -(-conf.reserved_host_disk_mb // 1024), "disk"),
    }
    return {
        name: {
            "total": total,
            "reserved": min(reserved, total),
            "min_unit": 1,
            "max_unit": total,
            "step_size": 1,
            "allocation_ratio": ratio(conf, kind, current.get(name, {}).get("allocation_ratio")),
        }
        for name, (total, reserved, kind) in totals.items()
        if total > 0
    }


def ratio(conf: Any, kind: str, current: float | None = None) -> float:
    """The allocation ratio of "cpu", "ram" or "disk"."""
    wanted = conf[f"{kind}_allocation_ratio"]
    if wanted:
        return wanted
    return current if current is not None else conf[f"initial_{kind}_allocation_ratio"]

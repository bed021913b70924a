"""What KubeVirt's webhooks write into and refuse of VirtualMachines and their instances."""

from __future__ import annotations

import random
import uuid
from typing import Any

from ..errors import cause, denied
from ..kinds import CLUSTER_INSTANCETYPE, INSTANCETYPE, VM, VMI
from ..launcher import guest_memory
from ..quantity import binary
from ..store import Store, clone
from . import Admission, Review
from .template import check_template

VM_MUTATOR, VM_VALIDATOR = "virtualmachines-mutator.kubevirt.io", "virtualmachine-validator.kubevirt.io"
VMI_MUTATOR = "virtualmachineinstances-mutator.kubevirt.io"
VMI_CREATE, VMI_UPDATE = (
    "virtualmachineinstances-create-validator.kubevirt.io",
    "virtualmachineinstances-update-validator.kubevirt.io",
)
STRATEGIES = ("Always", "Halted", "Manual", "Once", "RerunOnFailure", "WaitAsReceiver")
PCI_TOPOLOGY = "kubevirt.io/pci-topology-version"
MAX_VCPUS = 512
GIB = 1 << 30


def register(admission: Admission, store: Store, seeded: random.Random) -> None:
    hooks = _Hooks(store, seeded)
    admission.reports_schema(VM, VM_MUTATOR)
    admission.mutating(VM, hooks.complete_vm, VM_MUTATOR)
    admission.validating(VM, hooks.check_vm, VM_VALIDATOR)
    admission.mutating(VMI, hooks.complete_vmi, VMI_MUTATOR)
    admission.validating(VMI, hooks.check_vmi_create, VMI_CREATE)
    admission.validating(VMI, hooks.check_vmi_update, VMI_UPDATE)


class _Hooks:
    def __init__(self, store: Store, seeded: random.Random):
        self._store, self._random = store, seeded

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    # -- VirtualMachine

    def complete_vm(self, review: Review) -> None:
        template = review.obj.get("spec", {}).get("template") if isinstance(review.obj.get("spec"), dict) else None
        if not isinstance(template, dict) or not isinstance(template.get("spec"), dict):
            return  # the schema says what is wrong
        spec = template["spec"]
        domain = spec.get("domain")
        if not isinstance(domain, dict):
            return
        spec.setdefault("architecture", "amd64")
        machine = domain.setdefault("machine", {})
        if not machine.get("type"):
            machine["type"] = "q35"
        if review.operation != "CREATE":
            return
        firmware = domain.setdefault("firmware", {})
        firmware.setdefault("uuid", self._uuid())
        firmware.setdefault("serial", self._uuid())
        if template.get("metadata") is None:
            template["metadata"] = {}
        review.obj["metadata"].setdefault("annotations", {}).setdefault(PCI_TOPOLOGY, "v3")
        template["metadata"].setdefault("annotations", {}).setdefault(PCI_TOPOLOGY, "v3")

    def check_vm(self, review: Review) -> None:
        if review.operation == "DELETE" or review.subresource or review.writer.trusted:
            return
        spec = review.obj["spec"]
        causes = _strategy_causes(spec, review)
        if not spec.get("template"):
            causes.append(cause("Required", "spec.template", "missing virtual machine template."))
            raise denied(VM_VALIDATOR, causes)
        causes += check_template(spec["template"], "spec.template", creating_vmi=False)
        causes += self._instancetype_causes(review)
        causes += _data_volume_causes(spec)
        if causes:
            raise denied(VM_VALIDATOR, causes)

    def _instancetype_causes(self, review: Review) -> list[dict[str, str]]:
        """Fields of the template that the instancetype also sets."""
        wanted = review.obj["spec"].get("instancetype")
        if not wanted or not wanted.get("name"):
            return []
        namespaced = "cluster" not in (wanted.get("kind") or "cluster").lower()
        key, place = (INSTANCETYPE, review.namespace) if namespaced else (CLUSTER_INSTANCETYPE, "")
        if self._store.get(key, place, wanted["name"]) is None:
            review.writer.warnings.append(f'failed to find instancetype: {key} "{wanted["name"]}" not found')
            return []
        domain = review.obj["spec"]["template"]["spec"]["domain"]
        path = "spec.template.spec.domain"
        paths = [
            f"{path}.cpu.{name}" for name in ("sockets", "cores", "threads") if (domain.get("cpu") or {}).get(name)
        ]
        paths += [f"{path}.memory.guest"] if (domain.get("memory") or {}).get("guest") else []
        for group in ("requests", "limits"):
            given = (domain.get("resources") or {}).get(group) or {}
            paths += [f"{path}.resources.{group}.{name}" for name in ("cpu", "memory") if name in given]
        return [
            cause("Invalid", found, f"VM field(s) {found} conflicts with selected instance type") for found in paths
        ]

    # -- VirtualMachineInstance

    def complete_vmi(self, review: Review) -> None:
        vmi = review.obj
        spec = vmi.get("spec")
        if not isinstance(spec, dict) or not isinstance(spec.get("domain"), dict):
            return
        if review.operation == "UPDATE":
            assert review.old is not None
            if "status" in review.old:
                vmi["status"] = clone(review.old["status"])
            return
        if spec["domain"].get("firmware") is None:
            spec["domain"]["firmware"] = {"uuid": self._uuid()}
        _default_instance(spec)
        now = vmi["metadata"]["creationTimestamp"]
        finalizers = vmi["metadata"].setdefault("finalizers", [])
        if "kubevirt.io/foregroundDeleteVirtualMachine" not in finalizers:
            finalizers.append("kubevirt.io/foregroundDeleteVirtualMachine")
        vmi["status"] = {
            "phase": "Pending",
            "phaseTransitionTimestamps": [{"phase": "Pending", "phaseTransitionTimestamp": now}],
            "currentCPUTopology": {name: spec["domain"]["cpu"][name] for name in ("sockets", "cores", "threads")},
            "runtimeUser": 107,
            "guestOSInfo": {},
        }
        memory = (spec["domain"].get("memory") or {}).get("guest")
        if memory:
            vmi["status"]["memory"] = {"guestAtBoot": memory, "guestCurrent": memory, "guestRequested": memory}

    def check_vmi_create(self, review: Review) -> None:
        if review.operation != "CREATE":
            return
        causes = check_template({"spec": review.obj["spec"], "metadata": review.obj["metadata"]}, "", creating_vmi=True)
        if causes:
            raise denied(VMI_CREATE, causes)

    def check_vmi_update(self, review: Review) -> None:
        if review.operation != "UPDATE" or review.writer.trusted:
            return
        assert review.old is not None
        if review.obj["spec"] != review.old["spec"]:
            raise denied(VMI_UPDATE, [cause("NotSupported", "", "update of VMI object is restricted")])
        reserved = (
            "kubevirt.io/nodeName",
            "kubevirt.io/created-by",
            "kubevirt.io/migrationJobUID",
            "kubevirt.io/migrationTargetNodeName",
        )
        new, old = (obj["metadata"].get("labels") or {} for obj in (review.obj, review.old))
        if any(new.get(label) != old.get(label) for label in reserved):
            raise denied(
                VMI_UPDATE,
                [
                    cause(
                        "NotSupported",
                        "metadata.labels",
                        "modification of kubevirt.io/ labels on a VMI object is prohibited",
                    )
                ],
            )


def _strategy_causes(spec: dict[str, Any], review: Review) -> list[dict[str, str]]:
    running, strategy = spec.get("running"), spec.get("runStrategy")
    if running is not None:
        review.writer.warnings.append("spec.running is deprecated, please use spec.runStrategy instead.")
    if running is not None and strategy:
        return [
            cause(
                "Invalid",
                "spec.running",
                (
                    "Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please "
                    "use RunStrategy instead"
                ),
            )
        ]
    if running is None and not strategy:
        return [
            cause(
                "Required",
                "spec.running",
                (
                    "One of Running or RunStrategy must be specified. Note that Running is deprecated, "
                    "please use RunStrategy instead"
                ),
            )
        ]
    if strategy and strategy not in STRATEGIES:
        return [cause("Invalid", "spec.runStrategy", f"Invalid RunStrategy ({strategy})")]
    if strategy == "WaitAsReceiver":
        return [
            cause(
                "NotSupported",
                "spec.runStrategy",
                "DecentralizedLiveMigration feature gate is not enabled in kubevirt-config",
            )
        ]
    return []


def _data_volume_causes(spec: dict[str, Any]) -> list[dict[str, str]]:
    causes = []
    used = {v["dataVolume"]["name"] for v in spec["template"]["spec"].get("volumes") or () if "dataVolume" in v}
    for index, template in enumerate(spec.get("dataVolumeTemplates") or ()):
        path = f"spec.dataVolumeTemplates[{index}]"
        name = (template.get("metadata") or {}).get("name")
        if not name:
            causes.append(
                cause("Required", f"{path}.name", "'name' field must not be empty for DataVolumeTemplate entry.")
            )
        elif name not in used:
            causes.append(
                cause(
                    "Required",
                    path,
                    f"DataVolumeTemplate entry {path} must be referenced in the VMI template's 'volumes' list",
                )
            )
        inner = template.get("spec") or {}
        if bool(inner.get("pvc")) == bool(inner.get("storage")):
            causes.append(
                cause("Invalid", f"{path}.spec", "Data volume should have either PVC or Storage, not both or none")
            )
        sources = [key for key, value in (inner.get("source") or {}).items() if value is not None]
        if len(sources) != 1 and not inner.get("sourceRef"):
            causes.append(
                cause("Invalid", f"{path}.spec", "Data volume should have exactly one source, or a sourceRef")
            )
    return causes


def _default_instance(spec: dict[str, Any]) -> None:
    """What an instance gets on top of its template."""
    domain = spec["domain"]
    spec.setdefault("architecture", "amd64")
    domain.setdefault("machine", {}).setdefault("type", "q35")
    cpu = domain.get("cpu")
    if cpu is None:
        cpu = domain["cpu"] = {}
    for name in ("sockets", "cores", "threads"):
        cpu[name] = cpu.get(name) or 1
    cpu.setdefault("model", "host-model")
    if not cpu.get("maxSockets"):
        cpu["maxSockets"] = max(cpu["sockets"], min(cpu["sockets"] * 4, MAX_VCPUS // (cpu["cores"] * cpu["threads"])))
    amount = guest_memory(spec)
    if domain.get("memory") is None:
        domain["memory"] = {}
    memory = domain["memory"]
    if amount and not memory.get("guest"):
        memory["guest"] = binary(amount)
    if amount >= GIB and not memory.get("maxGuest") and not memory.get("hugepages"):
        memory["maxGuest"] = binary(amount * 4)
    if domain.get("features") is None:
        domain["features"] = {}
    domain["features"].setdefault("acpi", {"enabled": True})
    spec.setdefault("evictionStrategy", "None")
    if domain.get("devices") is None:
        domain["devices"] = {}
    _default_devices(spec, domain["devices"])


def _default_devices(spec: dict[str, Any], devices: dict[str, Any]) -> None:
    for disk in devices.get("disks") or ():
        if not any(kind in disk for kind in ("disk", "lun", "cdrom")):
            disk["disk"] = {}
        for kind in ("disk", "lun", "cdrom"):
            if disk.get(kind) is not None:
                disk[kind].setdefault("bus", "sata")
    if not devices.get("interfaces") and not spec.get("networks") and devices.get("autoattachPodInterface", True):
        devices["interfaces"] = [{"name": "default", "bridge": {}}]
        spec["networks"] = [{"name": "default", "pod": {}}]
    for row in devices.get("interfaces") or ():
        row.setdefault("model", "virtio")

"""The rules for the template of a machine, the same for an instance: volumes, disks, networks, CPU, memory."""

from __future__ import annotations

import re
from typing import Any

from .. import quantity
from ..errors import cause
from ..launcher import vcpus
from ..metadata import is_dns_label
from .networks import check_networks

Causes = list[dict[str, str]]

RESERVED_LABELS = (
    "kubevirt.io/created-by",
    "kubevirt.io/migrationJobUID",
    "kubevirt.io/nodeName",
    "kubevirt.io/migrationTargetNodeName",
    "kubevirt.io/schedulable",
    "kubevirt.io/install-strategy",
)
BUSES = {"disk": ("virtio", "scsi", "sata", "usb"), "lun": ("virtio", "scsi", "sata"), "cdrom": ("scsi", "sata", "usb")}
CLOUD_INIT = ("cloudInitNoCloud", "cloudInitConfigDrive")
CACHES, IO_MODES = ("none", "writethrough", "writeback"), ("native", "default", "threads")
_SERIAL = re.compile(r"[A-Za-z0-9_.+-]+")
_MACHINE = re.compile(r"q35.*|pc-q35-.*")


def check_template(template: dict[str, Any], path: str, creating_vmi: bool) -> Causes:
    """Everything the webhooks refuse; ``creating_vmi`` adds the rules only an instance must fulfil."""
    spec = template["spec"]
    at = f"{path}.spec" if path else "spec"
    causes = _labels(template.get("metadata") or {}, f"{path}.metadata" if path else "metadata")
    causes += _names(spec, at)
    causes += _volumes(spec, at, creating_vmi)
    causes += _disks(spec, at, creating_vmi)
    causes += check_networks(spec, at)
    causes += _cpu(spec, at)
    causes += _memory(spec, at, creating_vmi)
    causes += _firmware(spec, at)
    return causes


def _labels(metadata: dict[str, Any], at: str) -> Causes:
    found = [label for label in metadata.get("labels") or {} if label in RESERVED_LABELS]
    return [
        cause(
            "NotSupported",
            f"{at}.labels",
            f'creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited: "{label}"',
        )
        for label in found
    ]


def _names(spec: dict[str, Any], at: str) -> Causes:
    causes = []
    for name in ("hostname", "subdomain"):
        if spec.get(name) and not is_dns_label(spec[name]):
            text = (
                f"{at}.{name} does not conform to the kubernetes DNS_LABEL rules : a lowercase RFC 1123 "
                "label must consist of lower case alphanumeric characters or '-'"
            )
            causes.append(cause("Invalid", f"{at}.{name}", text))
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        causes.append(
            cause("Invalid", f"{at}.terminationGracePeriodSeconds", "terminationGracePeriodSeconds must be positive")
        )
    strategy = spec.get("evictionStrategy")
    if strategy not in (None, "None", "LiveMigrate", "LiveMigrateIfPossible", "External"):
        causes.append(
            cause(
                "Invalid",
                f"{at}.evictionStrategy",
                f"{at}.evictionStrategy is set with an unrecognized option: {strategy}",
            )
        )
    return causes


def _volumes(spec: dict[str, Any], at: str, creating_vmi: bool) -> Causes:
    causes, seen, cloud_inits = [], set(), 0
    disks = {disk["name"] for disk in (spec["domain"].get("devices") or {}).get("disks") or ()}
    filesystems = {row["name"] for row in (spec["domain"].get("devices") or {}).get("filesystems") or ()}
    for index, volume in enumerate(spec.get("volumes") or ()):
        field, name = f"{at}.volumes[{index}]", volume["name"]
        if name in seen:
            causes.append(cause("Invalid", f"{field}.name", f"{field} and {at}.volumes must not have the same Name."))
        seen.add(name)
        if not is_dns_label(name):
            causes.append(cause("Invalid", f"{field}.name", f"{field}.name must conform to DNS label rules"))
        sources = [key for key in volume if key != "name"]
        if len(sources) != 1:
            causes.append(cause("Invalid", field, f"{field} must have exactly one source type set"))
        if (
            creating_vmi
            and name not in disks | filesystems
            and "downwardMetrics" not in volume
            and "memoryDump" not in volume
        ):
            causes.append(cause("Invalid", f"{field}.name", f"{field}.name '{name}' not found."))
        cloud_inits += sum(kind in volume for kind in CLOUD_INIT)
        for kind in CLOUD_INIT:
            if kind in volume:
                causes += _cloud_init(volume[kind], f"{field}.{kind}")
    if cloud_inits > 1:
        causes.append(cause("Invalid", f"{at}.volumes", f"{at}.volumes must have max one cloudInit volume set"))
    return causes


def _cloud_init(source: dict[str, Any], at: str) -> Causes:
    user = [name for name in ("userData", "userDataBase64", "secretRef") if source.get(name)]
    network = [name for name in ("networkData", "networkDataBase64", "networkDataSecretRef") if source.get(name)]
    causes = []
    if len(user) > 1:
        causes.append(cause("Invalid", at, f"{at} must have only one userdatasource set."))
    if not user and not network:
        causes.append(cause("Invalid", at, f"{at} must have at least one userdatasource or one networkdatasource set."))
    for name in ("userData", "networkData"):
        if len(source.get(name) or "") > 2048:
            text = f"{at}.{name} exceeds 2048 byte limit. Should use UserDataSecretRef for larger data."
            causes.append(cause("Invalid", f"{at}.{name}", text))
    return causes


def _disks(spec: dict[str, Any], at: str, creating_vmi: bool) -> Causes:
    causes: Causes = []
    seen: set[str] = set()
    orders: dict[int, str] = {}
    volumes = {volume["name"] for volume in spec.get("volumes") or ()}
    devices = spec["domain"].get("devices") or {}
    for index, disk in enumerate(devices.get("disks") or ()):
        field, name = f"{at}.domain.devices.disks[{index}]", disk["name"]
        if name in seen:
            causes.append(
                cause("Invalid", f"{field}.name", f"{field} and {at}.domain.devices.disks must not have the same Name.")
            )
        seen.add(name)
        if not is_dns_label(name):
            causes.append(cause("Invalid", f"{field}.name", f"{field}.name must conform to DNS label rules"))
        if name not in volumes and "cdrom" not in disk:
            where = f"{field}.name" if creating_vmi else f"{at}.domain.devices.disks[{index}].name"
            causes.append(cause("Invalid", where, f"{where} '{name}' not found."))
        causes += _device(disk, field)
        causes += _boot_order(disk, field, orders)
    for index, interface in enumerate(devices.get("interfaces") or ()):
        causes += _boot_order(interface, f"{at}.domain.devices.interfaces[{index}]", orders)
    return causes


def _boot_order(device: dict[str, Any], field: str, orders: dict[int, str]) -> Causes:
    order = device.get("bootOrder")
    if order is None:
        return []
    if order < 1:
        return [cause("Invalid", f"{field}.bootOrder", f"{field} must have a boot order > 0, if supplied")]
    if order in orders:
        return [
            cause(
                "Invalid", f"{field}.bootOrder", f"Boot order for {field}.bootOrder already set for a different device."
            )
        ]
    orders[order] = field
    return []


def _device(disk: dict[str, Any], field: str) -> Causes:
    causes = []
    kinds = [kind for kind in BUSES if disk.get(kind) is not None]
    if len(kinds) > 1:
        causes.append(cause("Invalid", field, f"{field} can only have a single target type defined"))
    for kind in kinds:
        device = disk[kind]
        bus = device.get("bus")
        if bus is None:
            continue
        if bus == "ide":
            causes.append(cause("NotSupported", f"{field}.{kind}.bus", "IDE bus is not supported"))
        elif bus not in BUSES[kind]:
            text = (
                f"Bus type {bus} is invalid for CD-ROM device"
                if kind == "cdrom" and bus == "virtio"
                else f"{field} is set with an unrecognized bus {bus}, must be one of: [{' '.join(BUSES[kind])}]"
            )
            causes.append(cause("NotSupported", f"{field}.{kind}.bus", text))
        if kind == "disk" and bus == "sata" and device.get("readonly"):
            causes.append(
                cause(
                    "NotSupported",
                    f"{field}.disk.bus",
                    f"{field} hard-disks do not support read-only when using the sata bus",
                )
            )
    serial = disk.get("serial")
    if serial is not None and serial != "":
        if len(serial) > 256:
            causes.append(
                cause(
                    "Invalid", f"{field}.serial", f"{field} must be less than or equal to 256 in length, if specified"
                )
            )
        elif not _SERIAL.fullmatch(serial):
            causes.append(
                cause(
                    "Invalid",
                    f"{field}.serial",
                    f"{field}.serial must be made up of the following characters [A-Za-z0-9_.+-], if specified",
                )
            )
    if disk.get("cache") not in (None, "", *CACHES):
        causes.append(cause("Invalid", f"{field}.cache", f"{field}.cache has invalid value {disk['cache']}"))
    if disk.get("io") not in (None, "", *IO_MODES):
        causes.append(
            cause(
                "NotSupported",
                f"{field}.io",
                f"Disk IO mode for {field}.io is not supported. Supported modes are: native, threads, default.",
            )
        )
    return causes


def _cpu(spec: dict[str, Any], at: str) -> Causes:
    cpu = spec["domain"].get("cpu") or {}
    causes = []
    field = f"{at}.domain.cpu"
    if vcpus(spec) > 512:
        causes.append(cause("Invalid", field, "number of vCPUs exceeds the limit of 512"))
    if cpu.get("maxSockets") and (cpu.get("sockets") or 1) > cpu["maxSockets"]:
        causes.append(
            cause(
                "Invalid",
                f"{field}.sockets",
                f"Number of sockets in CPU topology is greater than the maximum sockets allowed ({cpu['maxSockets']})",
            )
        )
    if cpu.get("isolateEmulatorThread") and not cpu.get("dedicatedCpuPlacement"):
        causes.append(
            cause(
                "Invalid",
                f"{field}.isolateEmulatorThread",
                "IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement",
            )
        )
    if (cpu.get("numa") or {}).get("guestMappingPassthrough") is not None:
        memory = spec["domain"].get("memory") or {}
        if not cpu.get("dedicatedCpuPlacement") or not memory.get("hugepages"):
            causes.append(
                cause(
                    "Invalid",
                    f"{field}.numa.guestMappingPassthrough",
                    "guestMappingPassthrough needs dedicatedCpuPlacement and hugepages",
                )
            )
    return causes


def _memory(spec: dict[str, Any], at: str, creating_vmi: bool) -> Causes:
    domain = spec["domain"]
    memory, resources = domain.get("memory") or {}, domain.get("resources") or {}
    causes = []
    field = f"{at}.domain.memory"
    guest = quantity.size(memory.get("guest")) if memory.get("guest") else None
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    if (
        creating_vmi
        and guest is None
        and "memory" not in requests
        and "memory" not in limits
        and not memory.get("hugepages")
    ):
        text = (
            "no memory requested, at least one of memory.guest, memory.hugepages.size or "
            "resources.requests.memory must be set"
        )
        causes.append(cause("Required", f"{field}.guest", text))
    if guest is not None and memory.get("maxGuest") and quantity.size(memory["maxGuest"]) < guest:
        causes.append(cause("Invalid", f"{field}.guest", "Guest memory is greater than the configured maxGuest memory"))
    page = (memory.get("hugepages") or {}).get("pageSize")
    if page and guest is not None and guest % quantity.size(page):
        causes.append(
            cause(
                "Invalid",
                f"{field}.guest",
                f"spec.domain.memory.guest '{memory['guest']}' is not a multiple of the page size {page}",
            )
        )
    for name in ("cpu", "memory"):
        if name in requests and name in limits and quantity.parse(requests[name]) > quantity.parse(limits[name]):
            where = f"{at}.domain.resources.requests.{name}"
            text = f"{where} '{requests[name]}' is greater than {at}.domain.resources.limits.{name} '{limits[name]}'"
            causes.append(cause("Invalid", where, text))
    return causes


def _firmware(spec: dict[str, Any], at: str) -> Causes:
    domain = spec["domain"]
    causes = []
    machine = (domain.get("machine") or {}).get("type")
    if machine and spec.get("architecture", "amd64") == "amd64" and not _MACHINE.fullmatch(machine):
        causes.append(
            cause(
                "Invalid",
                f"{at}.domain.machine.type",
                f"{at}.domain.machine.type is not supported: {machine} (allowed values: [q35* pc-q35*])",
            )
        )
    bootloader = (domain.get("firmware") or {}).get("bootloader") or {}
    if bootloader.get("efi") is not None and bootloader.get("bios") is not None:
        causes.append(
            cause(
                "Invalid",
                f"{at}.domain.firmware.bootloader.efi",
                f"{at}.domain.firmware.bootloader has both EFI and BIOS configured, but they are mutually exclusive.",
            )
        )
    smm = ((domain.get("features") or {}).get("smm")) or None
    smm_on = smm is not None and smm.get("enabled", True)
    if bootloader.get("efi") is not None and bootloader["efi"].get("secureBoot", True) and not smm_on:
        causes.append(
            cause(
                "Invalid",
                f"{at}.domain.features",
                (
                    f"{at}.domain.features has EFI SecureBoot enabled. SecureBoot requires SMM, which is "
                    "currently disabled."
                ),
            )
        )
    if (domain.get("devices") or {}).get("hostDevices"):
        causes.append(
            cause(
                "Invalid",
                f"{at}.domain.devices.hostDevices",
                "Host Devices feature gate is not enabled in kubevirt-config",
            )
        )
    return causes

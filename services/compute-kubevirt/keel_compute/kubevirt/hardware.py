"""Flavor extra specs and image properties as fields of a VirtualMachine's domain.

One rule a property: where it may be set (flavor, image), what it does, which values KubeVirt has. A value KubeVirt
cannot give is refused, never dropped in silence; properties that mean nothing here (quota of the host's disks and the
like) are in REFUSED. Flavor and image naming different values for one thing is refused as Nova does (nova 34.0.0
hardware checks).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from keel_compute.kubevirt.errors import Unsupported

MI = 1024 * 1024


def put(tree: dict, path: str, value: Any) -> None:
    """Set `value` at a dotted path, making the dicts on the way."""
    *way, last = path.split(".")
    for key in way:
        tree = tree.setdefault(key, {})
    tree[last] = value


def truth(value: Any) -> bool:
    """A boolean as Nova's extra specs and image properties write it; Unsupported for anything else."""
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on", "t", "y"):
        return True
    if text in ("0", "false", "no", "off", "f", "n", ""):
        return False
    raise Unsupported(f"{value!r} is not a boolean")


@dataclass(frozen=True)
class Rule:
    """A property: its key in the flavor and in the image (None: not there), and what it does to the domain."""

    flavor: str | None
    image: str | None
    act: Callable[[dict, str], None]


def _set(path: str, value: Any) -> Callable[[dict, str], None]:
    """A flag: a true value puts `value` at `path`, a false one nothing."""

    def act(domain: dict, given: str) -> None:
        if truth(given):
            put(domain, path, value() if callable(value) else value)

    return act


def _choice(choices: Mapping[str, tuple[str, Any] | None]) -> Callable[[dict, str], None]:
    """A word: each known one puts a value at a path, or nothing (None)."""

    def act(domain: dict, given: str) -> None:
        if given not in choices:
            raise Unsupported(f"{given!r} is not one of {', '.join(sorted(choices))}")
        chosen = choices[given]
        if chosen:
            put(domain, chosen[0], chosen[1]() if callable(chosen[1]) else chosen[1])

    return act


def _machine(domain: dict, given: str) -> None:
    if given != "q35" and not given.startswith("pc-q35-") and given not in ("virt", "s390-ccw-virtio"):
        raise Unsupported(f"machine type {given!r}")
    put(domain, "machine.type", given)


def _page_size(domain: dict, given: str) -> None:
    sizes = {"large": "2Mi", "2048": "2Mi", "2MB": "2Mi", "2MiB": "2Mi", "1048576": "1Gi", "1GB": "1Gi", "1GiB": "1Gi"}
    if given in ("small", "any", "4", "4KB", "4KiB"):
        return
    if given not in sizes:
        raise Unsupported(f"memory page size {given!r}")
    put(domain, "memory.hugepages.pageSize", sizes[given])


def _firmware(domain: dict, given: str) -> None:
    if given == "uefi":
        efi = domain.setdefault("firmware", {}).setdefault("bootloader", {}).setdefault("efi", {})
        # Must be written: KubeVirt switches secure boot on when it is left out.
        efi.setdefault("secureBoot", False)
    elif given == "bios":
        put(domain, "firmware.bootloader.bios", {})
    else:
        raise Unsupported(f"firmware type {given!r}")


def _secure_boot(domain: dict, given: str) -> None:
    if given in ("required", "optional") and "efi" in domain.get("firmware", {}).get("bootloader", {}):
        put(domain, "firmware.bootloader.efi.secureBoot", True)
        put(domain, "features.smm.enabled", True)
    elif given == "required":
        raise Unsupported("secure boot without UEFI firmware")
    elif given not in ("optional", "disabled"):
        raise Unsupported(f"secure boot {given!r}")


def _one(domain: dict, given: str) -> None:
    if str(given) != "1":
        raise Unsupported(f"{given!r}: only 1")


def _serial_ports(domain: dict, given: str) -> None:
    if str(given) not in ("0", "1"):
        raise Unsupported(f"{given!r} serial ports: at most 1")
    put(domain, "devices.autoattachSerialConsole", str(given) == "1")


def _windows(domain: dict, given: str) -> None:
    if given != "windows":
        return
    on = ("relaxed", "vapic", "vpindex", "synic", "frequencies", "reset", "runtime", "tlbflush", "ipi")
    for name in on:
        put(domain, f"features.hyperv.{name}", {})
    put(domain, "features.hyperv.spinlocks.spinlocks", 8191)
    put(domain, "features.hyperv.synictimer.direct", {})
    put(domain, "clock.utc", {})
    put(domain, "clock.timer.hpet.present", False)


def _inputs(bus: str) -> Callable[[], list[dict]]:
    return lambda: [{"name": "tablet", "type": "tablet", "bus": bus}]


RULES: tuple[Rule, ...] = (
    Rule("hw:cpu_policy", "hw_cpu_policy", _choice({"shared": None, "dedicated": ("cpu.dedicatedCpuPlacement", True)})),
    Rule("hw:cpu_thread_policy", "hw_cpu_thread_policy", _choice({"prefer": None})),
    Rule("hw:emulator_threads_policy", None, _choice({"isolate": ("cpu.isolateEmulatorThread", True)})),
    Rule("hw:mem_page_size", "hw_mem_page_size", _page_size),
    Rule("hw:numa_nodes", "hw_numa_nodes", _one),
    Rule("hw:pci_numa_affinity_policy", "hw_pci_numa_affinity_policy", _choice({"legacy": None, "preferred": None})),
    Rule(
        "hw:watchdog_action",
        "hw_watchdog_action",
        _choice(
            {
                "disabled": None,
                "poweroff": ("devices.watchdog", lambda: {"name": "watchdog", "i6300esb": {"action": "poweroff"}}),
                "reset": ("devices.watchdog", lambda: {"name": "watchdog", "i6300esb": {"action": "reset"}}),
            }
        ),
    ),
    Rule("hw:vif_multiqueue_enabled", "hw_vif_multiqueue_enabled", _set("devices.networkInterfaceMultiqueue", True)),
    Rule("hide_hypervisor_id", "img_hide_hypervisor_id", _set("features.kvm.hidden", True)),
    Rule("hw:hide_hypervisor_id", None, _set("features.kvm.hidden", True)),
    Rule(
        "hw:tpm_version",
        "hw_tpm_version",
        _choice({"2.0": ("devices.tpm", lambda: {"persistent": True})}),
    ),
    Rule("hw:serial_port_count", "hw_serial_port_count", _serial_ports),
    Rule(
        "hw:sound_model",
        "hw_sound_model",
        _choice({name: ("devices.sound", lambda n=name: {"name": "sound", "model": n}) for name in ("ich9", "ac97")}),
    ),
    Rule("hw:input_bus", "hw_input_bus", _choice({b: ("devices.inputs", _inputs(b)) for b in ("usb", "virtio")})),
    Rule("hw:machine_type", "hw_machine_type", _machine),
    Rule("hw:firmware_type", "hw_firmware_type", _firmware),
    Rule("os:secure_boot", "os_secure_boot", _secure_boot),
    Rule(
        None, "hw_firmware_stateless", _choice({"true": ("firmware.bootloader.efi.persistent", False), "false": None})
    ),
    Rule(
        None,
        "hw_video_model",
        _choice(
            {
                **{name: ("devices.video.type", name) for name in ("vga", "cirrus", "virtio", "bochs", "ramfb")},
                "none": ("devices.autoattachGraphicsDevice", False),
            }
        ),
    ),
    Rule(None, "hw_pointer_model", _choice({"usbtablet": ("devices.inputs", _inputs("usb")), "ps2mouse": None})),
    Rule(None, "os_type", _windows),
    Rule(None, "hw_time_hpet", _set("clock.timer.hpet.present", True)),
)
"""In this order: firmware before secure boot, which asks for it."""

REFUSED = (
    "hw:cpu_dedicated_mask",
    "hw:cpu_realtime",
    "hw:numa_cpus.",
    "hw:numa_mem.",
    "hw:pmem",
    "hw:viommu_model",
    "hw:virtio_packed_ring",
    "hw:maxphysaddr_mode",
    "hw:locked_memory",
    "hw:ephemeral_encryption",
    "hw:mem_encryption",
    "hw:redirected_usb_ports",
    "hw_video:ram_max_mb",
    "quota:disk_",
    "quota:vif_",
    "accel:device_profile",
    "pci_passthrough:alias",
)
"""Flavor keys (or starts of keys) that ask for what this driver does not give."""

REFUSED_IMAGE = (
    "hw_cpu_realtime_mask",
    "hw_numa_cpus.",
    "hw_numa_mem.",
    "hw_pmem",
    "hw_viommu_model",
    "hw_virtio_packed_ring",
    "hw_mem_encryption",
    "hw_ephemeral_encryption",
    "hw_locked_memory",
)

DISK_BUSES = ("virtio", "scsi", "sata", "usb")
CDROM_BUSES = ("sata", "scsi", "usb")
VIF_MODELS = ("virtio", "e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139")


def choice_of(properties: Mapping[str, Any], key: str, known: tuple[str, ...], default: str) -> str:
    """An image property that must be one of `known`."""
    value = properties.get(key) or default
    if value not in known:
        raise Unsupported(f"image property {key}={value} is not one of {', '.join(known)}")
    return value


def domain(vcpus: int, memory_mb: int, extra_specs: Mapping[str, str], properties: Mapping[str, Any]) -> dict:
    """The `domain` of a VirtualMachine without its disks and interfaces.

    `memory_mb` is MiB as in a flavor; `properties` are image properties under their own names. Raises Unsupported.
    """
    _refuse(extra_specs, REFUSED, "flavor extra spec")
    _refuse(properties, REFUSED_IMAGE, "image property")
    result: dict = {
        "cpu": topology(vcpus, extra_specs, properties),
        "memory": {"guest": f"{memory_mb}Mi"},
        "machine": {"type": "q35"},
        "devices": {"autoattachPodInterface": False},
    }
    for rule in RULES:
        value = _value(rule, extra_specs, properties)
        if value is None:
            continue
        try:
            rule.act(result, value)
        except Unsupported as refused:
            raise Unsupported(f"{rule.flavor or rule.image}: {refused}") from None
    if truth(extra_specs.get("hw_rng:allowed", "true")) and properties.get("hw_rng_model", "virtio") == "virtio":
        put(result, "devices.rng", {})
    _quota(result, vcpus, extra_specs)
    return result


def _refuse(given: Mapping[str, Any], refused: tuple[str, ...], what: str) -> None:
    for key, value in given.items():
        if value not in (None, "", "False", "false") and key.startswith(refused):
            raise Unsupported(f"{what} {key}={value}")


def _value(rule: Rule, extra_specs: Mapping[str, str], properties: Mapping[str, Any]) -> str | None:
    flavor = extra_specs.get(rule.flavor) if rule.flavor else None
    image = properties.get(rule.image) if rule.image else None
    if flavor is not None and image is not None and str(flavor) != str(image):
        raise Unsupported(f"flavor {rule.flavor}={flavor} and image {rule.image}={image} contradict each other")
    value = flavor if flavor is not None else image
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def topology(vcpus: int, extra_specs: Mapping[str, str], properties: Mapping[str, Any]) -> dict:
    """cpu.sockets x cores x threads; unset parts are filled so that the product is `vcpus` (sockets first)."""
    parts: dict[str, int] = {}
    for name in ("sockets", "cores", "threads"):
        value = extra_specs.get(f"hw:cpu_{name}") or properties.get(f"hw_cpu_{name}")
        if value:
            parts[name] = int(value)
    fixed = 1
    for value in parts.values():
        fixed *= value
    missing = [name for name in ("sockets", "cores", "threads") if name not in parts]
    if vcpus % fixed or (not missing and fixed != vcpus):
        raise Unsupported(f"CPU topology {parts} does not give {vcpus} vCPUs")
    for name in missing:
        parts[name] = vcpus // fixed
        fixed = vcpus
    return {name: parts[name] for name in ("sockets", "cores", "threads")}


def _quota(result: dict, vcpus: int, extra_specs: Mapping[str, str]) -> None:
    quota, period = extra_specs.get("quota:cpu_quota"), extra_specs.get("quota:cpu_period", "100000")
    if quota and int(quota) > 0:
        put(result, "resources.limits.cpu", f"{int(quota) * 1000 * vcpus // int(period)}m")
    for kind in ("limit", "reservation"):
        target = "limits" if kind == "limit" else "requests"
        if value := extra_specs.get(f"quota:cpu_{kind}"):
            put(result, f"resources.{target}.cpu", value)
        if value := extra_specs.get(f"quota:memory_{kind}"):
            put(result, f"resources.{target}.memory", f"{value}Mi")

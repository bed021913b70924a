"""Template changes that reach a running instance without a restart, and the sign for those that cannot."""

from __future__ import annotations

from typing import Any

from .. import instancetypes, quantity
from ..kinds import REVISION, VM, VMI
from ..launcher import is_hotplugged
from ..store import Object, clone
from .base import Base, drop_condition, is_true, set_condition
from .live_update import CPU_CHANGE, MEMORY_CHANGE

Spec = dict[str, Any]

LIVE_FIELDS = ("nodeSelector", "affinity", "tolerations")
HOTPLUG_BUSES, HOTPLUG_BINDINGS = ("virtio", "scsi"), ("bridge", "sriov")
RESTART_TEXT = "a non-live-updatable field was changed in the template spec"
UPDATE_WEBHOOK = "virtualmachineinstances-update-validator.kubevirt.io"
GIB, MEMORY_STEP = 1 << 30, 2 << 20


def follow_template(controller: Base, vm: Object, vmi: Object | None) -> tuple[str, str] | None:
    """Copy what may change live to the instance; returns reason and text of what is refused."""
    if vmi is None or vmi["metadata"].get("deletionTimestamp") or vmi.get("status", {}).get("phase") != "Running":
        return None
    try:
        template = instancetypes.expand(controller.cluster.store, vm)
    except instancetypes.Missing as error:
        return "FailedFindInstancetype", str(error)
    failure = _refused_volume(template, vmi["spec"])
    if failure:
        return failure
    changes: list[str] = []
    wanted = clone(vmi["spec"])
    _live_fields(template, wanted)
    _volumes(template, wanted, vmi)
    _interfaces(template, wanted)
    failure = _resize(template, wanted, vmi, changes)
    now = controller.stamp()

    def change(vmi: Object) -> None:
        vmi["spec"] = wanted
        for name in changes:
            set_condition(vmi, name, True, now, probe=True)

    if wanted != vmi["spec"]:
        controller.modify(VMI, vmi, change)
    _forget_unplugged(controller, vm, vmi)
    _note_restart(controller, vm, wanted, vmi)
    return failure


def _live_fields(template: Spec, wanted: Spec) -> None:
    for name in LIVE_FIELDS:
        if template.get(name) is None:
            wanted.pop(name, None)
        else:
            wanted[name] = clone(template[name])


def _volumes(template: Spec, wanted: Spec, vmi: Object) -> None:
    volumes = {volume["name"]: volume for volume in template.get("volumes") or ()}
    disks = {disk["name"]: disk for disk in _devices(template).get("disks") or ()}
    present = {volume["name"] for volume in wanted.get("volumes") or ()}
    leaving = {row["name"] for row in vmi["status"].get("volumeStatus") or ()} - present
    gone = {v["name"] for v in wanted.get("volumes") or () if is_hotplugged(v) and v["name"] not in volumes}
    ready = volumes.keys() & disks.keys() - present - leaving
    new = [name for name in volumes if name in ready and is_hotplugged(volumes[name])]
    if gone or new:
        devices = wanted["domain"].setdefault("devices", {})
        kept_volumes = [volume for volume in wanted.get("volumes") or () if volume["name"] not in gone]
        kept_disks = [disk for disk in devices.get("disks") or () if disk["name"] not in gone]
        wanted["volumes"] = kept_volumes + [clone(volumes[name]) for name in new]
        devices["disks"] = kept_disks + [clone(disks[name]) for name in new]


def _refused_volume(template: Spec, spec: Spec) -> tuple[str, str] | None:
    """Why a volume to be plugged in is not acceptable to a running guest."""
    present = {volume["name"] for volume in spec.get("volumes") or ()}
    hot = {volume["name"] for volume in template.get("volumes") or () if is_hotplugged(volume)} - present
    for index, disk in enumerate(_devices(template).get("disks") or ()):
        if disk["name"] not in hot:
            continue
        device = next((kind for kind in ("disk", "lun", "cdrom") if kind in disk), "disk")
        bus = (disk.get(device) or {}).get("bus")
        text = ""
        if device == "cdrom":
            text = f"hotplugged Disk {disk['name']} must be of type disk or lun"
        elif bus not in HOTPLUG_BUSES or (device == "lun" and bus != "scsi"):
            text = (
                f"hotplugged Disk {disk['name']} does not use a supported bus; disk at index {index} uses "
                f"{bus or 'none'}"
            )
        if text:
            return "HotPlugVolumeError", f'admission webhook "{UPDATE_WEBHOOK}" denied the request: {text}'
    return None


# -- network interfaces


def _interfaces(template: Spec, wanted: Spec) -> None:
    """New bridge and SR-IOV interfaces are added; of present ones only the state changes."""
    networks = {network["name"]: network for network in template.get("networks") or ()}
    given = {row["name"]: row for row in _devices(template).get("interfaces") or ()}
    devices = wanted["domain"].setdefault("devices", {})
    present = {row["name"]: row for row in devices.get("interfaces") or ()}
    for name, row in present.items():
        if name in given and given[name].get("state") != row.get("state"):
            row.pop("state", None)
            if given[name].get("state"):
                row["state"] = given[name]["state"]
    new = [name for name, row in given.items() if name not in present and name in networks and _pluggable(row)]
    if new:
        devices["interfaces"] = [*(devices.get("interfaces") or ()), *(clone(given[name]) for name in new)]
        wanted["networks"] = [*(wanted.get("networks") or ()), *(clone(networks[name]) for name in new)]


def _pluggable(row: dict[str, Any]) -> bool:
    return row.get("state") != "absent" and any(row.get(kind) is not None for kind in HOTPLUG_BINDINGS)


def _forget_unplugged(controller: Base, vm: Object, vmi: Object) -> None:
    """Interfaces that were asked to be absent and are gone from the guest leave both specs."""
    plugged = {row["name"] for row in vmi["status"].get("interfaces") or ()}
    absent = {row["name"] for row in _devices(vmi["spec"]).get("interfaces") or () if row.get("state") == "absent"}
    gone = absent - plugged

    def drop(spec: Spec) -> None:
        spec["networks"] = [row for row in spec.get("networks") or () if row["name"] not in gone]
        devices = _devices(spec)
        devices["interfaces"] = [row for row in devices.get("interfaces") or () if row["name"] not in gone]

    if gone:
        controller.modify(VM, vm, lambda vm: drop(vm["spec"]["template"]["spec"]))
        controller.modify(VMI, vmi, lambda vmi: drop(vmi["spec"]))


# -- CPU and memory


def _resize(template: Spec, wanted: Spec, vmi: Object, changes: list[str]) -> tuple[str, str] | None:
    """More sockets, more memory: taken over where the instance allows it."""
    sockets, cpu = (template["domain"].get("cpu") or {}).get("sockets") or 1, wanted["domain"]["cpu"]
    if cpu["sockets"] < sockets <= cpu.get("maxSockets", 0):
        if is_true(vmi, CPU_CHANGE):
            return "HotPlugCPUError", "another CPU hotplug is in progress"
        cpu["sockets"] = sockets
        changes.append(CPU_CHANGE)
    asked = (template["domain"].get("memory") or {}).get("guest")
    memory = wanted["domain"].get("memory") or {}
    if asked and memory.get("maxGuest") and _size(memory["guest"]) < _size(asked) <= _size(memory["maxGuest"]):
        at_boot = _size(vmi["status"].get("memory", {}).get("guestAtBoot"))
        if at_boot >= GIB and _size(asked) % MEMORY_STEP == 0 and is_true(vmi, "LiveMigratable"):
            if is_true(vmi, MEMORY_CHANGE):
                return "HotPlugMemoryError", "another memory hotplug is in progress"
            memory["guest"] = asked
            changes.append(MEMORY_CHANGE)
    return None


def _size(text: str | None) -> int:
    return quantity.size(text)


# -- what needs a restart


def _note_restart(controller: Base, vm: Object, running: Spec, vmi: Object) -> None:
    """RestartRequired while the template differs, beyond what changed live, from what the instance started with."""
    generation = (vmi["metadata"].get("annotations") or {}).get("kubevirt.io/vm-generation")
    name = f"revision-start-vm-{vm['metadata']['uid']}-{generation}"
    revision = controller.get(REVISION, vm["metadata"]["namespace"], name)
    vm_now = controller.get(VM, vm["metadata"]["namespace"], vm["metadata"]["name"])
    if revision is None or vm_now is None:
        return
    store = controller.cluster.store
    started = {**vm_now, "spec": {**vm_now["spec"], "template": revision["data"]["spec"]["template"]}}
    before, after = instancetypes.expand(store, started), instancetypes.expand(store, vm_now)
    present = {row["name"] for row in _devices(running).get("interfaces") or ()}
    size = (running["domain"]["cpu"]["sockets"], (running["domain"].get("memory") or {}).get("guest"))
    now = controller.stamp()
    if _settled(before, present, size) != _settled(after, present, _asked_size(after)):
        controller.modify(
            VM, vm, lambda vm: set_condition(vm, "RestartRequired", True, now, "", RESTART_TEXT, probe=True)
        )
    else:
        controller.modify(VM, vm, lambda vm: drop_condition(vm, "RestartRequired"))


def _asked_size(spec: Spec) -> tuple[int, str | None]:
    domain = spec["domain"]
    return (domain.get("cpu") or {}).get("sockets") or 1, (domain.get("memory") or {}).get("guest")


def _settled(spec: Spec, plugged: set[str], size: tuple[int, str | None]) -> Any:
    """A template without everything that can change live, together with its size."""
    kept = clone({key: value for key, value in spec.items() if key not in (*LIVE_FIELDS, "networks")})
    hot = {volume["name"] for volume in kept.get("volumes") or () if is_hotplugged(volume)}
    kept["volumes"] = [volume for volume in kept.get("volumes") or () if volume["name"] not in hot]
    devices = kept["domain"].setdefault("devices", {})
    devices["disks"] = [disk for disk in devices.get("disks") or () if disk["name"] not in hot]
    kept["domain"].setdefault("cpu", {}).pop("sockets", None)
    kept["domain"].setdefault("memory", {}).pop("guest", None)
    rows = devices.pop("interfaces", None) or []
    # Interfaces that the guest has, or once had, are no difference; others could not be plugged in.
    strangers = [
        row for row in rows if row["name"] not in plugged and not _pluggable(row) and row.get("state") != "absent"
    ]
    return kept, strangers, size[0], _size(size[1])


def _devices(spec: Spec) -> dict[str, Any]:
    return spec["domain"].get("devices") or {}

"""VirtualMachineInstancetypes: the parts of a template they supply when an instance is made."""

from __future__ import annotations

from typing import Any

from .kinds import CLUSTER_INSTANCETYPE, INSTANCETYPE
from .store import Object, Store, clone


class Missing(Exception):
    """The instancetype a machine names is not there."""


def find(store: Store, vm: Object) -> Object | None:
    """The instancetype of a machine, None when it names none. Raises Missing."""
    wanted = vm["spec"].get("instancetype")
    if not wanted or not wanted.get("name"):
        return None
    kind = (wanted.get("kind") or "VirtualMachineClusterInstancetype").lower()
    namespaced = kind in ("virtualmachineinstancetype", "virtualmachineinstancetypes")
    key = INSTANCETYPE if namespaced else CLUSTER_INSTANCETYPE
    found = store.get(key, vm["metadata"]["namespace"] if namespaced else "", wanted["name"])
    if found is None:
        raise Missing(f'{key} "{wanted["name"]}" not found')
    return found


def expand(store: Store, vm: Object) -> dict[str, Any]:
    """The template's spec with the instancetype's CPU, memory and devices in it. Raises Missing."""
    spec = clone(vm["spec"]["template"]["spec"])
    found = find(store, vm)
    if found is None:
        return spec
    given, domain = found["spec"], spec.setdefault("domain", {})
    cpu = domain.setdefault("cpu", {})
    cpu.update(sockets=given["cpu"]["guest"], cores=1, threads=1)
    for source, target in (
        ("model", "model"),
        ("dedicatedCPUPlacement", "dedicatedCpuPlacement"),
        ("isolateEmulatorThread", "isolateEmulatorThread"),
        ("numa", "numa"),
        ("realtime", "realtime"),
        ("maxSockets", "maxSockets"),
    ):
        if given["cpu"].get(source):
            cpu[target] = given["cpu"][source]
    memory = domain.setdefault("memory", {})
    memory["guest"] = given["memory"]["guest"]
    for name in ("hugepages", "maxGuest"):
        if given["memory"].get(name):
            memory[name] = given["memory"][name]
    devices = domain.setdefault("devices", {})
    for name in ("gpus", "hostDevices"):
        if given.get(name):
            devices[name] = given[name]
    for name in ("nodeSelector", "schedulerName"):
        if given.get(name):
            spec[name] = given[name]
    if given.get("launchSecurity"):
        domain["launchSecurity"] = given["launchSecurity"]
    if given.get("ioThreadsPolicy"):
        domain["ioThreadsPolicy"] = given["ioThreadsPolicy"]
    return spec

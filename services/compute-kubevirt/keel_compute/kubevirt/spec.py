"""The VirtualMachine of a Nova server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from keel_common.kube import VM, names
from keel_compute.kubevirt import cloudinit
from keel_compute.kubevirt.disks import Disk
from keel_compute.kubevirt.hardware import domain
from keel_compute.kubevirt.nics import Nic

HOSTNAME_LABEL = "kubernetes.io/hostname"
DEFAULT_SHUTDOWN = 60
"""Seconds of [DEFAULT]shutdown_timeout."""


@dataclass(frozen=True)
class Machine:
    """All that decides how the VirtualMachine looks. `node_label` is the node's kubernetes.io/hostname.

    `memory_mb` in MiB, `shutdown_timeout` in seconds (image property os_shutdown_timeout or [DEFAULT]shutdown_timeout).
    """

    server: str
    project: str
    host: str
    node_label: str
    vcpus: int
    memory_mb: int
    extra_specs: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, Any] = field(default_factory=dict)
    hostname: str | None = None
    disks: Sequence[Disk] = ()
    nics: Sequence[Nic] = ()
    config_drive: bool = False
    ssh_key: bool = False
    shutdown_timeout: int = DEFAULT_SHUTDOWN


def virtual_machine(machine: Machine, namespace: str) -> dict:
    """The object to apply. Raises Unsupported for hardware that KubeVirt does not have.

    runStrategy Manual: only start and stop requests change the power state, a guest that shuts itself down stays down
    and a lost node restarts nothing. The node is pinned by label, so that the Nova host and the Kubernetes node agree.
    """
    labels = names.labels(names.COMPUTE, machine.project, server=machine.server)
    body = VM.body(
        names.vm(machine.server),
        namespace,
        spec={
            "runStrategy": "Manual",
            "template": {"metadata": {"labels": dict(labels)}, "spec": _instance(machine)},
        },
    )
    body["metadata"]["labels"] = {**labels, names.HOST: machine.host}
    return body


def _instance(machine: Machine) -> dict:
    body: dict[str, Any] = {
        "domain": _domain(machine),
        "nodeSelector": {HOSTNAME_LABEL: machine.node_label},
        # External: a drain is told to Nova, never done behind its back.
        "evictionStrategy": "External",
        "terminationGracePeriodSeconds": machine.shutdown_timeout,
        "volumes": [disk.volume() for disk in machine.disks],
        "networks": [nic.network() for nic in machine.nics],
    }
    if machine.config_drive:
        body["volumes"].append(cloudinit.volume(machine.server))
        if machine.ssh_key:
            body["accessCredentials"] = cloudinit.credentials(machine.server)
    if hostname := _label(machine.hostname):
        body["hostname"] = hostname
    architecture = machine.properties.get("hw_architecture") or machine.properties.get("architecture")
    if architecture:
        body["architecture"] = {"x86_64": "amd64", "aarch64": "arm64"}.get(architecture, architecture)
    return body


def _domain(machine: Machine) -> dict:
    body = domain(machine.vcpus, machine.memory_mb, machine.extra_specs, machine.properties)
    body.setdefault("firmware", {}).update(uuid=machine.server, serial=machine.server)
    devices = body["devices"]
    devices["disks"] = [disk.disk() for disk in machine.disks]
    if machine.config_drive:
        devices["disks"].append(cloudinit.disk())
    devices["interfaces"] = [nic.interface() for nic in machine.nics]
    return body


def _label(hostname: str | None) -> str | None:
    """The first label of a host name (spec.hostname takes no dots)."""
    return hostname.split(".")[0][:63].strip("-").lower() or None if hostname else None


def attach_patch(template: dict, disk: Disk) -> list[dict]:
    """JSON patch that adds a disk; [] when it is there already. `template` is spec.template.spec of the machine."""
    volumes = template.get("volumes") or []
    if any(each["name"] == disk.name for each in volumes):
        return []
    return [
        *_append("/spec/template/spec/volumes", volumes, disk.volume()),
        *_append("/spec/template/spec/domain/devices/disks", template["domain"]["devices"].get("disks"), disk.disk()),
    ]


def detach_patch(template: dict, name: str) -> list[dict]:
    """JSON patch that takes disk and volume `name` out; each removal is guarded by a test of the name."""
    return [
        *_remove("/spec/template/spec/volumes", template.get("volumes"), name),
        *_remove("/spec/template/spec/domain/devices/disks", template["domain"]["devices"].get("disks"), name),
    ]


def plug_patch(template: dict, nic: Nic) -> list[dict]:
    """JSON patch that adds a network card; [] when it is there already."""
    networks = template.get("networks") or []
    if any(each["name"] == nic.name for each in networks):
        return []
    interfaces = template["domain"]["devices"].get("interfaces")
    return [
        *_append("/spec/template/spec/networks", networks, nic.network()),
        *_append("/spec/template/spec/domain/devices/interfaces", interfaces, nic.interface()),
    ]


def unplug_patch(template: dict, name: str) -> list[dict]:
    """JSON patch that takes interface and network `name` out (for a stopped machine)."""
    return [
        *_remove("/spec/template/spec/networks", template.get("networks"), name),
        *_remove(
            "/spec/template/spec/domain/devices/interfaces", template["domain"]["devices"].get("interfaces"), name
        ),
    ]


def absent_patch(template: dict, name: str) -> list[dict]:
    """JSON patch that asks a running guest to give up interface `name` (state absent)."""
    path = "/spec/template/spec/domain/devices/interfaces"
    for index, each in enumerate(template["domain"]["devices"].get("interfaces") or ()):
        if each["name"] == name and each.get("state") != "absent":
            return [
                {"op": "test", "path": f"{path}/{index}/name", "value": name},
                {"op": "add", "path": f"{path}/{index}/state", "value": "absent"},
            ]
    return []


def _append(path: str, current: list | None, value: dict) -> list[dict]:
    if not current:
        return [{"op": "add", "path": path, "value": [value]}]
    return [{"op": "add", "path": f"{path}/-", "value": value}]


def _remove(path: str, current: list | None, name: str) -> list[dict]:
    for index, each in enumerate(current or ()):
        if each["name"] == name:
            return [
                {"op": "test", "path": f"{path}/{index}/name", "value": name},
                {"op": "remove", "path": f"{path}/{index}"},
            ]
    return []

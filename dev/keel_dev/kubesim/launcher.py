"""The virt-launcher pod of a VirtualMachineInstance: resources, node selection, mounts, annotations."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from . import quantity
from .store import Object

IMAGE = "quay.io/kubevirt/virt-launcher:v1.9.0"
CPU_RATIO = 10


def vcpus(spec: dict[str, Any]) -> int:
    """Guest CPUs of a VMI spec: sockets x cores x threads."""
    cpu = spec.get("domain", {}).get("cpu") or {}
    return (cpu.get("sockets") or 1) * (cpu.get("cores") or 1) * (cpu.get("threads") or 1)


def guest_memory(spec: dict[str, Any]) -> int:
    """Bytes of guest memory: memory.guest, or the memory request or limit."""
    domain = spec.get("domain", {})
    resources = domain.get("resources") or {}
    text = (domain.get("memory") or {}).get("guest")
    text = text or (resources.get("requests") or {}).get("memory") or (resources.get("limits") or {}).get("memory")
    return quantity.size(text)


def overhead(spec: dict[str, Any]) -> int:
    """Bytes the launcher itself needs."""
    return (250 << 20) + (8 << 20) * vcpus(spec)


def claim_of(volume: dict[str, Any]) -> str:
    """The claim a volume of a VMI mounts, "" for other kinds of volume. A DataVolume's claim has its name."""
    if "persistentVolumeClaim" in volume:
        return volume["persistentVolumeClaim"]["claimName"]
    if "dataVolume" in volume:
        return volume["dataVolume"]["name"]
    if "ephemeral" in volume:
        return volume["ephemeral"].get("persistentVolumeClaim", {}).get("claimName", "")
    return ""


def is_hotplugged(volume: dict[str, Any]) -> bool:
    return any(bool((volume.get(name) or {}).get("hotpluggable")) for name in ("persistentVolumeClaim", "dataVolume"))


def pod_body(vmi: Object, target: dict[str, Any] | None = None, ready_volumes: list[str] | None = None) -> Object:
    """The launcher pod; ``target`` (labels, antiAffinity, nodeSelector) is added for a migration's second pod."""
    metadata, spec = vmi["metadata"], vmi["spec"]
    labels = {
        **(metadata.get("labels") or {}),
        "kubevirt.io": "virt-launcher",
        "kubevirt.io/created-by": metadata["uid"],
        "vm.kubevirt.io/name": metadata["name"],
        "vmi.kubevirt.io/id": metadata["name"],
    }
    labels.pop("kubevirt.io/nodeName", None)
    annotations = {"kubevirt.io/domain": metadata["name"]}
    networks = _networks(vmi)
    if networks:
        annotations["k8s.v1.cni.cncf.io/networks"] = json.dumps(networks, separators=(",", ":"))
    pod: Object = {
        "metadata": {
            "generateName": f"virt-launcher-{metadata['name']}-",
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [_owner(vmi)],
        },
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": (spec.get("terminationGracePeriodSeconds") or 0) + 15,
            "nodeSelector": _node_selector(spec),
            "containers": [{"name": "compute", "image": IMAGE, "resources": {"requests": _requests(spec)}}],
            "volumes": [
                {"name": volume["name"], "persistentVolumeClaim": {"claimName": claim_of(volume)}}
                for volume in spec.get("volumes") or ()
                if claim_of(volume) and (not is_hotplugged(volume) or volume["name"] in (ready_volumes or ()))
            ],
        },
    }
    for name in ("affinity", "tolerations", "priorityClassName", "schedulerName"):
        if spec.get(name):
            pod["spec"][name] = spec[name]
    if (spec.get("domain", {}).get("devices") or {}).get("logSerialConsole", True):
        pod["spec"]["containers"].append({"name": "guest-console-log", "image": IMAGE, "resources": {}})
    if target:
        pod["metadata"]["labels"].update(target["labels"])
        pod["spec"]["nodeSelector"] = {**target["nodeSelector"], **pod["spec"]["nodeSelector"]}
        pod["spec"]["affinity"] = {**(spec.get("affinity") or {}), "podAntiAffinity": target["antiAffinity"]}
    return pod


def _owner(vmi: Object) -> dict[str, Any]:
    return {
        "apiVersion": vmi["apiVersion"],
        "kind": vmi["kind"],
        "name": vmi["metadata"]["name"],
        "uid": vmi["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _requests(spec: dict[str, Any]) -> dict[str, str]:
    domain = spec.get("domain", {})
    asked = (domain.get("resources") or {}).get("requests") or {}
    dedicated = (domain.get("cpu") or {}).get("dedicatedCpuPlacement")
    cpu = str(vcpus(spec)) if dedicated else asked.get("cpu") or f"{-(-vcpus(spec) * 1000 // CPU_RATIO)}m"
    memory = quantity.size(asked.get("memory")) or guest_memory(spec)
    requests = {"cpu": cpu, "memory": str(memory + overhead(spec)), "devices.kubevirt.io/kvm": "1"}
    if (domain.get("devices") or {}).get("interfaces"):
        requests.update({"devices.kubevirt.io/tun": "1", "devices.kubevirt.io/vhost-net": "1"})
    devices = domain.get("devices") or {}
    for device in [*(devices.get("gpus") or ()), *(devices.get("hostDevices") or ())]:
        requests[device["deviceName"]] = str(int(requests.get(device["deviceName"], "0")) + 1)
    return requests


def _node_selector(spec: dict[str, Any]) -> dict[str, str]:
    domain = spec.get("domain", {})
    wanted = {"kubevirt.io/schedulable": "true", "kubernetes.io/arch": spec.get("architecture") or "amd64"}
    cpu = domain.get("cpu") or {}
    if cpu.get("model") not in (None, "", "host-model", "host-passthrough"):
        wanted[f"cpu-model.node.kubevirt.io/{cpu['model']}"] = "true"
    for feature in cpu.get("features") or ():
        if feature.get("policy", "require") in ("", "require"):
            wanted[f"cpu-feature.node.kubevirt.io/{feature['name']}"] = "true"
    if cpu.get("dedicatedCpuPlacement"):
        wanted["kubevirt.io/cpumanager"] = "true"
    machine = (domain.get("machine") or {}).get("type")
    if machine:
        wanted[f"machine-type.node.kubevirt.io/{machine}"] = "true"
    if (domain.get("launchSecurity") or {}).get("sev") is not None:
        wanted["kubevirt.io/sev"] = "true"
    return {**wanted, **(spec.get("nodeSelector") or {})}


def pod_interface(network: str) -> str:
    """The name of a secondary network's device in the pod."""
    return f"pod{hashlib.sha256(network.encode()).hexdigest()[:11]}"


def _networks(vmi: Object) -> list[dict[str, str]]:
    """The Multus annotation: secondary networks in the order of the spec."""
    interfaces = {row["name"]: row for row in (vmi["spec"]["domain"].get("devices") or {}).get("interfaces") or ()}
    found = []
    for network in vmi["spec"].get("networks") or ():
        multus = network.get("multus")
        interface = interfaces.get(network["name"], {})
        if not multus or interface.get("state") == "absent":
            continue
        namespace, _, name = multus["networkName"].rpartition("/")
        row = {
            "name": name,
            "namespace": namespace or vmi["metadata"]["namespace"],
            "interface": pod_interface(network["name"]),
        }
        if interface.get("macAddress"):
            row["mac"] = interface["macAddress"]
        found.append(row)
    return found

"""Nodes: their first shape, heartbeats, and what happens when one goes silent."""

from __future__ import annotations

from ..cluster import Cluster
from ..kinds import NODE, POD
from ..store import Object
from .base import Base, condition, is_true, set_condition

HEARTBEAT = "kubevirt.io/heartbeat"
SCHEDULABLE = "kubevirt.io/schedulable"
UNREACHABLE, NOT_READY = "node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"
CPU_MODELS = ("Haswell-noTSX", "IvyBridge", "Nehalem", "Penryn", "SandyBridge", "Skylake-Client", "Westmere")
CPU_FEATURES = (
    "aes",
    "apic",
    "avx",
    "avx2",
    "fma",
    "fxsr",
    "lahf_lm",
    "mmx",
    "pclmulqdq",
    "popcnt",
    "sse4.1",
    "sse4.2",
    "ssse3",
    "vmx",
)
MACHINE_TYPES = ("pc-q35-rhel9.2.0", "pc-q35-rhel9.4.0", "pc-q35-rhel9.6.0", "q35")
_FACT = "node:"


def node_state(cluster: Cluster, name: str) -> str:
    """ready, notready (its kubelet says so) or dead (silent). Kept over restarts."""
    return cluster.store.recall(f"{_FACT}{name}") or "ready"


def set_node_state(cluster: Cluster, name: str, state: str) -> None:
    """Raises ValueError for a word that is no state."""
    if state not in ("ready", "notready", "dead"):
        raise ValueError(f"unknown node state {state}; known are dead, notready, ready")
    cluster.store.remember(f"{_FACT}{name}", None if state == "ready" else state)
    cluster.engine.look("nodes", "", name)
    for pod in cluster.list(POD):
        if pod["spec"].get("nodeName") == name:
            cluster.engine.look("pods", pod["metadata"]["namespace"], pod["metadata"]["name"])


def node_body(
    name: str, number: int, cpu: str, memory: str, pods: str, now: str, labels: dict[str, str] | None = None
) -> Object:
    """A worker node with KubeVirt's labels, as its agents publish them."""
    own_labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "node-role.kubernetes.io/worker": "",
        "topology.kubernetes.io/region": "region-1",
        "topology.kubernetes.io/zone": "zone-1",
        SCHEDULABLE: "true",
        "kubevirt.io/cpumanager": "false",
        "host-model-cpu.node.kubevirt.io/Skylake-Client": "true",
        "cpu-vendor.node.kubevirt.io/Intel": "true",
        **{f"cpu-model.node.kubevirt.io/{model}": "true" for model in CPU_MODELS},
        **{f"cpu-model-migration.node.kubevirt.io/{model}": "true" for model in CPU_MODELS},
        **{f"cpu-feature.node.kubevirt.io/{feature}": "true" for feature in CPU_FEATURES},
        **{f"machine-type.node.kubevirt.io/{machine}": "true" for machine in MACHINE_TYPES},
        **(labels or {}),
    }
    capacity = {
        "cpu": cpu,
        "memory": memory,
        "pods": pods,
        "ephemeral-storage": "100Gi",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "devices.kubevirt.io/kvm": "1k",
        "devices.kubevirt.io/tun": "1k",
        "devices.kubevirt.io/vhost-net": "1k",
    }
    node: Object = {
        "metadata": {"name": name, "labels": own_labels, "annotations": {HEARTBEAT: now}},
        "spec": {"podCIDR": f"10.244.{number}.0/24", "podCIDRs": [f"10.244.{number}.0/24"]},
        "status": {
            "capacity": capacity,
            "allocatable": dict(capacity),
            "addresses": [
                {"type": "InternalIP", "address": f"192.168.100.{10 + number}"},
                {"type": "Hostname", "address": name},
            ],
            "nodeInfo": _node_info(name),
        },
    }
    for kind in ("MemoryPressure", "DiskPressure", "PIDPressure"):
        set_condition(node, kind, False, now, f"KubeletHasNo{kind}", "kubelet has sufficient resources available")
    set_condition(node, "Ready", True, now, "KubeletReady", "kubelet is posting ready status")
    for row in node["status"]["conditions"]:
        row["lastHeartbeatTime"] = now
    return node


def _node_info(name: str) -> dict[str, str]:
    return {
        "architecture": "amd64",
        "operatingSystem": "linux",
        "osImage": "Simulated Linux",
        "kernelVersion": "6.12.0",
        "containerRuntimeVersion": "containerd://2.1.0",
        "kubeletVersion": "v1.36.0",
        "kubeProxyVersion": "",
        "machineID": name,
        "systemUUID": name,
        "bootID": name,
    }


class Nodes(Base):
    name, manager, key = "nodes", "kubelet", NODE

    def reconcile(self, namespace: str, name: str) -> None:
        node = self.get(NODE, "", name)
        if node is None:
            self._collect_pods(name)
            return
        state = node_state(self.cluster, name)
        if state == "ready":
            self._beat(node)
        elif state == "notready":
            if is_true(node, "Ready"):
                self._set_ready(node, "False", "KubeletNotReady", "container runtime network not ready", NOT_READY)
            elif self.due(node, "pod-eviction"):
                self._evict(node)
        else:
            self._silent(node)

    def _beat(self, node: Object) -> None:
        if not is_true(node, "Ready"):
            self._set_ready(node, "True", "KubeletReady", "kubelet is posting ready status", "")
            return
        # The beat keeps at least two real seconds, however fast the clock runs: it wakes every watcher.
        clock = self.cluster.clock.state()
        if not self.due(node, "heartbeat", max(self.cluster.knobs.delay("heartbeat"), 2.0 * float(clock["speed"]))):
            return
        now = self.stamp()

        def change(node: Object) -> None:
            node["metadata"].setdefault("annotations", {})[HEARTBEAT] = now
            for row in node["status"]["conditions"]:
                row["lastHeartbeatTime"] = now

        self.modify(NODE, node, change)
        self.again(node, 0.0)

    def _silent(self, node: Object) -> None:
        ready = condition(node, "Ready")
        if ready and ready["status"] != "Unknown":
            if self.due(node, "node-grace"):
                self._set_ready(
                    node, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", UNREACHABLE
                )
            return
        if not self.due(node, "pod-eviction"):
            return
        if (node["metadata"].get("labels") or {}).get(SCHEDULABLE) != "false":
            self.modify(NODE, node, lambda node: node["metadata"]["labels"].update({SCHEDULABLE: "false"}))
            self.event(
                node,
                "Warning",
                "NodeUnresponsive",
                f"virt-handler is not responsive on node {node['metadata']['name']}",
            )
        self._evict(node)

    def _set_ready(self, node: Object, status: str, reason: str, message: str, taint: str) -> None:
        now = self.stamp()

        def change(node: Object) -> None:
            set_condition(node, "Ready", status, now, reason, message)
            for row in node["status"]["conditions"]:
                row["lastHeartbeatTime"] = now
            taints = [row for row in node["spec"].get("taints") or () if row["key"] not in (UNREACHABLE, NOT_READY)]
            if taint:
                taints += [{"key": taint, "effect": effect, "timeAdded": now} for effect in ("NoSchedule", "NoExecute")]
            node["spec"].pop("taints", None)
            if taints:
                node["spec"]["taints"] = taints
            if status == "True":
                node["metadata"]["labels"][SCHEDULABLE] = "true"
                node["metadata"].setdefault("annotations", {})[HEARTBEAT] = now

        self.modify(NODE, node, change)
        word = "NodeReady" if status == "True" else "NodeNotReady"
        self.event(node, "Normal", word, f"Node {node['metadata']['name']} status is now: {word}")

    def _evict(self, node: Object) -> None:
        """Pods of a lost node are marked; nobody is there to end them."""
        for pod in self.cluster.list(POD):
            if pod["spec"].get("nodeName") == node["metadata"]["name"]:
                self.delete(POD, pod)

    def _collect_pods(self, name: str) -> None:
        for pod in self.cluster.list(POD):
            if pod["spec"].get("nodeName") == name:
                self.delete(POD, pod, grace=0)

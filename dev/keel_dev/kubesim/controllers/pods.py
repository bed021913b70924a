"""Pods: the scheduler that places them and the kubelet that starts and ends them."""

from __future__ import annotations

from typing import Any

from cachetools import LRUCache

from .. import quantity
from ..cluster import Cluster
from ..kinds import NODE, POD, PVC, STORAGE_CLASS, VMI
from ..selectors import matches_expression, matches_selector
from ..store import Object
from .base import Base, Refs, is_true, own, set_condition
from .nodes import SCHEDULABLE, node_state

SELECTED_NODE = "volume.kubernetes.io/selected-node"
DOMAIN = "kubevirt.io/domain"
FINAL = ("Succeeded", "Failed")


class Pods(Base):
    name, manager, key = "pods", "kube-scheduler", POD

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self._known: LRUCache[str, dict[str, Any]] = LRUCache(10000)
        self.watches = {POD: self._route, NODE: self._waiting, PVC: self._users, VMI: self._launchers}

    def _route(self, pod: Object) -> Refs:
        ended = pod["metadata"].get("deletionTimestamp") or pod.get("status", {}).get("phase") in FINAL
        return own(pod) + (self._waiting(pod) if ended else [])

    def _waiting(self, _: Object) -> Refs:
        return [ref for pod in self.cluster.list(POD) if not pod["spec"].get("nodeName") for ref in own(pod)]

    def _users(self, claim: Object) -> Refs:
        place = claim["metadata"]
        pods = self.cluster.list(POD, place["namespace"])
        return [ref for pod in pods if place["name"] in claims_of(pod) for ref in own(pod)]

    def _launchers(self, vmi: Object) -> Refs:
        place = vmi["metadata"]
        return [
            ref
            for pod in self.cluster.list(POD, place["namespace"])
            if _domain(pod) == place["name"]
            for ref in own(pod)
        ]

    def reconcile(self, namespace: str, name: str) -> None:
        pod = self.get(POD, namespace, name)
        if pod is None or pod.get("status", {}).get("phase") in FINAL and not pod["metadata"].get("deletionTimestamp"):
            return
        node = pod["spec"].get("nodeName")
        if pod["metadata"].get("deletionTimestamp"):
            self._end(pod, node)
        elif not node:
            self._schedule(pod)
        elif pod["status"]["phase"] == "Pending":
            self._start(pod, node)
        else:
            self._watch_node(pod, node)

    # -- scheduling

    def _schedule(self, pod: Object) -> None:
        if not self.due(pod, "pod-schedule"):
            return
        waiting, reason = self._claims_wait(pod)
        if reason:
            self._unschedulable(pod, f"0/{len(self.cluster.list(NODE))} nodes are available: {reason}")
            return
        candidates, refusals = self._candidates(pod)
        if not candidates:
            self._unschedulable(pod, refusals)
            return
        node = min(candidates, key=lambda found: (found[0], found[1]["metadata"]["name"]))[1]["metadata"]["name"]
        if waiting:
            for claim in waiting:
                self.modify(
                    PVC, claim, lambda c: c["metadata"].setdefault("annotations", {}).setdefault(SELECTED_NODE, node)
                )
            self.again(pod, 1.0)
            return
        now = self.stamp()

        def bind(pod: Object) -> None:
            pod["spec"]["nodeName"] = node
            set_condition(pod, "PodScheduled", True, now)

        self.modify(POD, pod, bind)
        place = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        self.event(pod, "Normal", "Scheduled", f"Successfully assigned {place} to {node}")

    def _claims_wait(self, pod: Object) -> tuple[list[Object], str]:
        """Claims to be bound once a node is chosen, or the reason why no node will do."""
        waiting = []
        for name in claims_of(pod):
            claim = self.get(PVC, pod["metadata"]["namespace"], name)
            if claim is None:
                return [], f'persistentvolumeclaim "{name}" not found'
            if claim["metadata"].get("deletionTimestamp"):
                return [], f'persistentvolumeclaim "{name}" is being deleted'
            if claim.get("status", {}).get("phase") == "Bound":
                continue
            found = self.get(STORAGE_CLASS, "", claim["spec"].get("storageClassName") or "")
            if not found or found.get("volumeBindingMode") != "WaitForFirstConsumer":
                return [], "pod has unbound immediate PersistentVolumeClaims. preemption: not eligible"
            waiting.append(claim)
        return waiting, ""

    def _candidates(self, pod: Object) -> tuple[list[tuple[float, Object]], str]:
        """Nodes that fit with their load, and the scheduler's summary for when none does."""
        nodes, loads = self.cluster.list(NODE), self._loads()
        refused: dict[str, int] = {}
        fitting = []
        for node in nodes:
            load = loads.get(node["metadata"]["name"], {})
            reason = _refusal(pod, node) or self._apart(pod, node) or _short_of(pod, node, load)
            if reason:
                refused[reason] = refused.get(reason, 0) + 1
            else:
                fitting.append((float(load.get("cpu", 0)), node))
        listed = ", ".join(f"{count} {reason}" for reason, count in sorted(refused.items()))
        return fitting, f"0/{len(nodes)} nodes are available: {listed}. preemption: 0/{len(nodes)} nodes are available"

    def _loads(self) -> dict[str, dict[str, Any]]:
        """node -> what its pods that have not finished ask for."""
        loads: dict[str, dict[str, Any]] = {}
        for pod in self.cluster.list(POD):
            node = pod["spec"].get("nodeName")
            if not node or pod.get("status", {}).get("phase") in FINAL:
                continue
            total = loads.setdefault(node, {})
            for name, amount in self._requests(pod).items():
                total[name] = total.get(name, 0) + amount
        return loads

    def _requests(self, pod: Object) -> dict[str, Any]:
        """A pod's requests never change: they are added up once."""
        uid = pod["metadata"]["uid"]
        found = self._known.get(uid)
        if found is None:
            found = self._known[uid] = requests_of(pod)
        return found

    def _apart(self, pod: Object, node: Object) -> str:
        """Required pod anti-affinity by host name."""
        terms = (
            pod["spec"]
            .get("affinity", {})
            .get("podAntiAffinity", {})
            .get("requiredDuringSchedulingIgnoredDuringExecution")
            or ()
        )
        for term in terms:
            for other in self.cluster.list(POD, pod["metadata"]["namespace"]):
                if (
                    other["spec"].get("nodeName") != node["metadata"]["name"]
                    or other.get("status", {}).get("phase") in FINAL
                ):
                    continue
                if matches_selector(term.get("labelSelector"), other["metadata"].get("labels") or {}):
                    return "node(s) didn't match pod anti-affinity rules"
        return ""

    def _unschedulable(self, pod: Object, message: str) -> None:
        now = self.stamp()
        self.modify(POD, pod, lambda pod: set_condition(pod, "PodScheduled", False, now, "Unschedulable", message))
        self.event(pod, "Warning", "FailedScheduling", message)
        self.again(pod, 5.0)

    # -- the kubelet

    def _start(self, pod: Object, node: str) -> None:
        if node_state(self.cluster, node) != "ready" or not self.due(pod, "pod-start"):
            return
        now = self.stamp()
        address = f"10.244.{sum(node.encode()) % 200}.{self.cluster.random.randrange(2, 250)}"

        def run(pod: Object) -> None:
            status = pod["status"]
            status.update(phase="Running", startTime=now, podIP=address, podIPs=[{"ip": address}])
            status["hostIP"] = "192.168.100.10"
            status["containerStatuses"] = [
                {
                    "name": container["name"],
                    "image": container["image"],
                    "imageID": f"{container['image']}@sha256:{'0' * 64}",
                    "ready": True,
                    "started": True,
                    "restartCount": 0,
                    "state": {"running": {"startedAt": now}},
                }
                for container in pod["spec"]["containers"]
            ]
            for kind in ("Initialized", "ContainersReady", "Ready"):
                set_condition(pod, kind, True, now)

        self.modify(POD, pod, run)

    def _watch_node(self, pod: Object, node: str) -> None:
        """The node controller marks pods of a silent node not ready."""
        found = self.get(NODE, "", node)
        if found is not None and not is_true(found, "Ready") and is_true(pod, "Ready"):
            now = self.stamp()
            self.modify(POD, pod, lambda pod: set_condition(pod, "Ready", False, now, "NodeNotReady"))
        elif found is not None and is_true(found, "Ready") and not is_true(pod, "Ready"):
            now = self.stamp()
            self.modify(POD, pod, lambda pod: set_condition(pod, "Ready", True, now))

    def _end(self, pod: Object, node: str | None) -> None:
        if node and node_state(self.cluster, node) == "dead" and self.get(NODE, "", node):
            return
        domain = _domain(pod)
        if domain:
            vmi = self.get(VMI, pod["metadata"]["namespace"], domain)
            guest = vmi is not None and vmi["metadata"]["uid"] == pod["metadata"]["labels"].get(
                "kubevirt.io/created-by"
            )
            if guest and vmi is not None and vmi.get("status", {}).get("phase") == "Running" and _runs_here(vmi, pod):
                return
        if self.due(pod, "pod-stop"):
            self.delete(POD, pod, grace=0)


def _runs_here(vmi: Object, pod: Object) -> bool:
    return pod["spec"].get("nodeName") == vmi.get("status", {}).get("nodeName")


def _domain(pod: Object) -> str:
    return (pod["metadata"].get("annotations") or {}).get(DOMAIN, "")


def claims_of(pod: Object) -> list[str]:
    """Names of the claims a pod mounts."""
    volumes = pod["spec"].get("volumes") or ()
    return [row["persistentVolumeClaim"]["claimName"] for row in volumes if row.get("persistentVolumeClaim")]


def requests_of(pod: Object) -> dict[str, Any]:
    total: dict[str, Any] = {"pods": quantity.parse(1)}
    for container in pod["spec"].get("containers") or ():
        for name, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            total[name] = total.get(name, 0) + quantity.parse(amount)
    return total


def _refusal(pod: Object, node: Object) -> str:
    spec, labels = pod["spec"], node["metadata"].get("labels") or {}
    if node.get("spec", {}).get("unschedulable"):
        return "node(s) were unschedulable"
    if not is_true(node, "Ready") or node.get("spec", {}).get("taints"):
        taint = next(iter(node.get("spec", {}).get("taints") or ()), {"key": "node.kubernetes.io/not-ready"})
        return f"node(s) had untolerated taint(s) {{{taint['key']}: }}"
    affinity = (
        spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    )
    terms = affinity.get("nodeSelectorTerms")
    fits = (
        any(all(matches_expression(e, labels) for e in term.get("matchExpressions") or ()) for term in terms)
        if terms
        else True
    )
    if not fits or any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return "node(s) didn't match Pod's node affinity/selector"
    return ""


def _short_of(pod: Object, node: Object, load: dict[str, Any]) -> str:
    room = node["status"].get("allocatable") or {}
    for name, amount in sorted(requests_of(pod).items()):
        if load.get(name, 0) + amount > quantity.parse(room.get(name, 0)):
            return "Too many pods" if name == "pods" else f"Insufficient {name}"
    return ""


__all__ = ["Pods", "SCHEDULABLE", "SELECTED_NODE", "claims_of"]

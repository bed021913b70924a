"""VirtualMachineInstanceMigrations: a second launcher pod, the hand-over, and the end of the first."""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..errors import StatusError
from ..kinds import MIGRATION, POD, VMI
from ..launcher import pod_body
from ..store import Object
from .base import Base, Refs, condition, finalizer, is_true, own
from .live_update import settle
from .pods import FINAL

FINALIZER = "kubevirt.io/migrationJobFinalize"
JOB, TARGET_NODE = "kubevirt.io/migrationJobUID", "kubevirt.io/migrationTargetNodeName"
UNSCHEDULABLE_SECONDS, KEPT, PARALLEL = 300.0, 5, 5
# Phases that only take time.
STEPS = {"Scheduled": "PreparingTarget", "PreparingTarget": "TargetReady", "TargetReady": "Running"}


class Migrations(Base):
    name, manager, key = "migrations", "virt-controller", MIGRATION

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {MIGRATION: self._route, VMI: self._of_instance, POD: self._of_pod}

    def _route(self, migration: Object) -> Refs:
        return [
            *own(migration),
            *(ref for m in self.cluster.list(MIGRATION) if _phase(m) == "Pending" for ref in own(m)),
        ]

    def _of_instance(self, vmi: Object) -> Refs:
        place = vmi["metadata"]
        return [
            ref
            for m in self.cluster.list(MIGRATION, place["namespace"])
            if m["spec"]["vmiName"] == place["name"]
            for ref in own(m)
        ]

    def _of_pod(self, pod: Object) -> Refs:
        uid = (pod["metadata"].get("labels") or {}).get(JOB)
        return (
            [ref for m in self.cluster.list(MIGRATION) if m["metadata"]["uid"] == uid for ref in own(m)] if uid else []
        )

    def reconcile(self, namespace: str, name: str) -> None:
        migration = self.get(MIGRATION, namespace, name)
        if migration is None:
            return
        phase = _phase(migration)
        vmi = self.get(VMI, namespace, migration["spec"]["vmiName"])
        if phase in FINAL:
            self._close(migration)
        elif migration["metadata"].get("deletionTimestamp"):
            self._abort(migration, vmi)
        elif vmi is None or vmi.get("status", {}).get("phase") in FINAL or vmi["metadata"].get("deletionTimestamp"):
            self._fail(migration, vmi, "VMI is not running any more")
        elif phase == "":
            if self.due(migration, "vm-sync"):
                self._set(migration, "Pending")
        elif phase == "Pending":
            self._begin(migration, vmi)
        elif phase == "Scheduling":
            self._wait_for_pod(migration, vmi)
        else:
            self._advance(migration, vmi, phase)

    def _set(self, migration: Object, phase: str) -> None:
        now = self.stamp()

        def change(migration: Object) -> None:
            status = migration.setdefault("status", {})
            status["phase"] = phase
            status.setdefault("phaseTransitionTimestamps", []).append({"phase": phase, "phaseTransitionTimestamp": now})
            if phase not in FINAL:
                finalizer(migration, FINALIZER, True)

        self.modify(MIGRATION, migration, change)

    def _target(self, migration: Object) -> Object | None:
        uid = migration["metadata"]["uid"]
        pods = self.cluster.list(POD, migration["metadata"]["namespace"])
        return next((pod for pod in pods if (pod["metadata"].get("labels") or {}).get(JOB) == uid), None)

    def _begin(self, migration: Object, vmi: Object) -> None:
        active = [m for m in self.cluster.list(MIGRATION) if _phase(m) not in ("", "Pending", *FINAL)]
        if len(active) >= PARALLEL or vmi["status"]["phase"] != "Running" or not self.due(migration, "migration-step"):
            return
        target = {
            "labels": {JOB: migration["metadata"]["uid"]},
            "nodeSelector": dict(migration["spec"].get("addedNodeSelector") or {}),
            "antiAffinity": _elsewhere(vmi),
        }
        target["nodeSelector"][f"machine-type.node.kubevirt.io/{vmi['status']['machine']['type']}"] = "true"
        ready = [row["name"] for row in vmi["status"].get("volumeStatus") or () if row.get("phase") == "Ready"]
        try:
            pod = self.create(POD, vmi["metadata"]["namespace"], pod_body(vmi, target, ready))
        except StatusError as error:
            self.event(migration, "Warning", "FailedCreate", f"Error creating pod: {error.message}")
            self.again(migration, 5.0)
            return
        self.event(migration, "Normal", "SuccessfulCreate", f"Created migration target pod {pod['metadata']['name']}")
        self._set(migration, "Scheduling")

    def _wait_for_pod(self, migration: Object, vmi: Object) -> None:
        pod = self._target(migration)
        if pod is None or pod["status"]["phase"] in FINAL:
            self._fail(migration, vmi, "Target pod is gone")
            return
        scheduled = condition(pod, "PodScheduled")
        if scheduled and scheduled["status"] == "False":
            text = (
                f"Migration target pod for VMI [{vmi['metadata']['namespace']}/{vmi['metadata']['name']}] "
                "is currently unschedulable."
            )
            self.event(migration, "Warning", "migrationTargetPodUnschedulable", text)
            if self.due(migration, "unschedulable", UNSCHEDULABLE_SECONDS):
                self._fail(migration, vmi, "Target pod was unschedulable for too long")
            return
        if not is_true(pod, "Ready"):
            return
        node = pod["spec"]["nodeName"]
        state = {
            "migrationUid": migration["metadata"]["uid"],
            "sourceNode": vmi["status"]["nodeName"],
            "sourcePod": self._source_pod(vmi),
            "targetNode": node,
            "targetPod": pod["metadata"]["name"],
        }

        def hand_over(vmi: Object) -> None:
            vmi["metadata"].setdefault("labels", {})[TARGET_NODE] = node
            vmi["status"].setdefault("activePods", {})[pod["metadata"]["uid"]] = node
            vmi["status"]["migrationState"] = state

        self.modify(VMI, vmi, hand_over)
        self.event(
            migration, "Normal", "SuccessfulHandOver", "Migration target pod is ready for preparation by virt-handler."
        )
        self._set(migration, "Scheduled")

    def _source_pod(self, vmi: Object) -> str:
        for pod in self.cluster.list(POD, vmi["metadata"]["namespace"]):
            labels = pod["metadata"].get("labels") or {}
            made = labels.get("kubevirt.io/created-by") == vmi["metadata"]["uid"]
            if (
                made
                and pod["spec"].get("nodeName") == vmi["status"]["nodeName"]
                and pod["status"]["phase"] == "Running"
            ):
                return pod["metadata"]["name"]
        return ""

    def _advance(self, migration: Object, vmi: Object, phase: str) -> None:
        target = self._target(migration)
        if target is None or target["status"]["phase"] in FINAL:
            self._fail(migration, vmi, "Target pod is gone")
            return
        outcome = self.cluster.knobs.guest(vmi["metadata"]["name"]).migration
        if phase in STEPS:
            if not self.due(migration, f"step {phase}", self.cluster.knobs.delay("migration-step")):
                return
            if STEPS[phase] == "Running":
                start = {"startTimestamp": self.stamp(), "mode": "PreCopy"}
                self.modify(VMI, vmi, lambda vmi: vmi["status"]["migrationState"].update(start))
                self.event(vmi, "Normal", "Migrating", "VirtualMachineInstance is migrating.")
            self._set(migration, STEPS[phase])
        elif outcome == "stalls":
            return
        elif self.due(migration, "migration-run"):
            if outcome == "fails":
                self._fail(migration, vmi, "Live migration failed: simulated failure")
            else:
                self._succeed(migration, vmi, target)

    def _succeed(self, migration: Object, vmi: Object, target: Object) -> None:
        now, node = self.stamp(), target["spec"]["nodeName"]
        source = vmi["status"]["migrationState"]["sourcePod"]

        def moved(vmi: Object) -> None:
            vmi["metadata"]["labels"]["kubevirt.io/nodeName"] = node
            vmi["metadata"]["labels"].pop(TARGET_NODE, None)
            status = vmi["status"]
            status["nodeName"] = node
            status["activePods"] = {target["metadata"]["uid"]: node}
            status.pop("evacuationNodeName", None)
            status["migrationState"].update(endTimestamp=now, completed=True)
            settle(vmi)

        self.modify(VMI, vmi, moved)
        self.event(vmi, "Normal", "Migrated", f"The VirtualMachineInstance migrated to node {node}.")
        old = self.get(POD, vmi["metadata"]["namespace"], source)
        if old is not None:
            self.modify(POD, old, _succeeded)
            # What is left of the finished pod is of no use; the target is the launcher now.
            self.delete(POD, old, grace=0)
        self.modify(POD, target, lambda pod: pod["metadata"]["labels"].pop(JOB))
        self.event(migration, "Normal", "SuccessfulMigration", "Source node reported migration succeeded")
        self._set(migration, "Succeeded")

    def _fail(self, migration: Object, vmi: Object | None, why: str) -> None:
        now = self.stamp()
        pod = self._target(migration)
        if pod is not None:
            self.delete(POD, pod, grace=0)
        if vmi is not None:
            uid = migration["metadata"]["uid"]

            def failed(vmi: Object) -> None:
                vmi["metadata"].get("labels", {}).pop(TARGET_NODE, None)
                state = vmi["status"].get("migrationState") or {}
                if state.get("migrationUid") == uid:
                    state.update(endTimestamp=now, completed=True, failed=True, failureReason=why)
                    node = vmi["status"]["nodeName"]
                    vmi["status"]["activePods"] = {
                        k: v for k, v in vmi["status"].get("activePods", {}).items() if v == node
                    }

            self.modify(VMI, vmi, failed)
        self.event(migration, "Warning", "FailedMigration", f"source node reported migration failed: {why}")
        self._set(migration, "Failed")

    def _abort(self, migration: Object, vmi: Object | None) -> None:
        if vmi is not None and _phase(migration) == "Running":

            def aborted(vmi: Object) -> None:
                state: dict[str, Any] = vmi["status"].get("migrationState") or {}
                state.update(abortRequested=True, abortStatus="Succeeded")

            self.modify(VMI, vmi, aborted)
        self.event(migration, "Normal", "SuccessfulAbortMigration", "Migration was aborted")
        self._fail(migration, vmi, "Live migration has been aborted")

    def _close(self, migration: Object) -> None:
        if FINALIZER in (migration["metadata"].get("finalizers") or ()):
            self.modify(MIGRATION, migration, lambda migration: finalizer(migration, FINALIZER, False))
            return
        name = migration["spec"]["vmiName"]
        done = [
            m
            for m in self.cluster.list(MIGRATION, migration["metadata"]["namespace"])
            if m["spec"]["vmiName"] == name and _phase(m) in FINAL
        ]
        done.sort(key=lambda m: int(m["metadata"]["resourceVersion"]))
        for old in done[:-KEPT]:
            self.delete(MIGRATION, old)


def _phase(migration: Object) -> str:
    return migration.get("status", {}).get("phase", "")


def _succeeded(pod: Object) -> None:
    pod["status"]["phase"] = "Succeeded"


def _elsewhere(vmi: Object) -> dict[str, Any]:
    selector = {"matchLabels": {"kubevirt.io/created-by": vmi["metadata"]["uid"]}}
    term = {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}

"""VirtualMachineInstances: from Pending through the launcher pod to a running guest, and to its end."""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..errors import StatusError
from ..kinds import DATAVOLUME, NODE, POD, PVC, STORAGE_CLASS, VMI
from ..launcher import claim_of, is_hotplugged, pod_body
from ..store import Object
from . import guest
from .base import Base, Refs, condition, drop_condition, finalizer, is_true, own, owner, set_condition
from .guest import to_phase
from .hotplug import Hotplug
from .live_update import Nics
from .nodes import node_state
from .pods import FINAL
from .vm import FINALIZER, FOREGROUND


class Instances(Base):
    name, manager, key = "vmi", "virt-controller", VMI

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self._hotplug, self._nics = Hotplug(self, self.volume_info), Nics(self)
        self.watches = {VMI: own, POD: self._of_pod, PVC: self._users, DATAVOLUME: self._users, NODE: self._on_node}

    def _of_pod(self, pod: Object) -> Refs:
        metadata = pod["metadata"]
        if (metadata.get("labels") or {}).get("kubevirt.io") == "hotplug-disk":
            launchers = [self.get(POD, namespace, name) for namespace, name in owner("Pod")(pod)]
            return [ref for launcher in launchers if launcher for ref in self._of_pod(launcher)]
        domain = (metadata.get("annotations") or {}).get("kubevirt.io/domain")
        return [(metadata["namespace"], domain)] if domain else []

    def _users(self, claim: Object) -> Refs:
        place = claim["metadata"]
        vmis = self.cluster.list(VMI, place["namespace"])
        return [
            ref for vmi in vmis if place["name"] in map(claim_of, vmi["spec"].get("volumes") or ()) for ref in own(vmi)
        ]

    def _on_node(self, node: Object) -> Refs:
        name = node["metadata"]["name"]
        return [
            ref for vmi in self.cluster.list(VMI) if vmi.get("status", {}).get("nodeName") == name for ref in own(vmi)
        ]

    def reconcile(self, namespace: str, name: str) -> None:
        vmi = self.get(VMI, namespace, name)
        if vmi is None:
            return
        phase = vmi.get("status", {}).get("phase") or "Pending"
        if phase in FINAL:
            self._wind_up(vmi)
        elif vmi["metadata"].get("deletionTimestamp"):
            self._shut_down(vmi, phase)
        elif phase == "Pending":
            self._prepare(vmi)
        elif phase == "Scheduling":
            self._place(vmi)
        elif phase == "Scheduled":
            self._boot(vmi)
        else:
            self._run(vmi)

    def launcher(self, vmi: Object, node: str | None = None) -> Object | None:
        """The instance's launcher pod (on a node): the oldest that is not a migration target."""
        pods = [pod for pod in self.cluster.list(POD, vmi["metadata"]["namespace"]) if _made_for(pod, vmi)]
        if node:
            return next(
                (pod for pod in pods if pod["spec"].get("nodeName") == node and pod["status"]["phase"] not in FINAL),
                None,
            )
        return next((pod for pod in pods if "kubevirt.io/migrationJobUID" not in pod["metadata"]["labels"]), None)

    # -- Pending: claims, then the pod

    def _prepare(self, vmi: Object) -> None:
        missing = self._missing_claims(vmi)
        now = self.stamp()
        if missing:
            text = (
                f"failed to create virtual machine pod: PVC {vmi['metadata']['namespace']}/{missing[0]} "
                "does not exist, waiting for it to appear"
            )

            def wait(vmi: Object) -> None:
                set_condition(
                    vmi, "Ready", False, now, "PodNotExists", "virt-launcher pod has not yet been scheduled", probe=True
                )
                set_condition(vmi, "PodScheduled", False, now, "Unschedulable", text, probe=True)
                set_condition(vmi, "Synchronized", False, now, "FailedPvcNotFound", text, probe=True)

            self.modify(VMI, vmi, wait)
            self.event(vmi, "Warning", "FailedPvcNotFound", text)
            return
        waiting = self._unbound(vmi)
        if waiting:
            text = f"PVC {waiting[0]} is not bound yet"
            self.modify(VMI, vmi, lambda vmi: set_condition(vmi, "Ready", False, now, "PodNotExists", text, probe=True))
            return
        if not self.due(vmi, "pod-create"):
            return
        pod = self.launcher(vmi)
        if pod is None:
            try:
                pod = self.create(POD, vmi["metadata"]["namespace"], pod_body(vmi))
            except StatusError as error:
                self._failed_create(vmi, error.message)
                return
            self.event(vmi, "Normal", "SuccessfulCreate", f"Created virtual machine pod {pod['metadata']['name']}")

        def scheduling(vmi: Object) -> None:
            drop_condition(vmi, "PodScheduled")
            drop_condition(vmi, "Synchronized")
            set_condition(
                vmi, "Ready", False, now, "GuestNotRunning", "Guest VM is not reported as running", probe=True
            )
            to_phase(vmi, "Scheduling", now)

        self.modify(VMI, vmi, scheduling)

    def _missing_claims(self, vmi: Object) -> list[str]:
        names = [claim_of(volume) for volume in vmi["spec"].get("volumes") or () if not is_hotplugged(volume)]
        return [name for name in names if name and self.get(PVC, vmi["metadata"]["namespace"], name) is None]

    def _unbound(self, vmi: Object) -> list[str]:
        """Claims that no pod will bind: a class that binds at once, or a populator still at work."""
        found = []
        for volume in vmi["spec"].get("volumes") or ():
            claim = self.get(PVC, vmi["metadata"]["namespace"], claim_of(volume)) if claim_of(volume) else None
            if claim is None or is_hotplugged(volume) or claim["status"]["phase"] == "Bound":
                continue
            storage = self.get(STORAGE_CLASS, "", claim["spec"].get("storageClassName") or "")
            if not storage or storage.get("volumeBindingMode") != "WaitForFirstConsumer":
                found.append(claim["metadata"]["name"])
        return found

    def _failed_create(self, vmi: Object, text: str) -> None:
        now = self.stamp()
        self.modify(
            VMI, vmi, lambda vmi: set_condition(vmi, "Synchronized", False, now, "FailedCreate", text, probe=True)
        )
        self.event(vmi, "Warning", "FailedCreate", f"Error creating pod: {text}")
        self.again(vmi, 5.0)

    # -- Scheduling: follow the pod

    def _place(self, vmi: Object) -> None:
        pod = self.launcher(vmi)
        now = self.stamp()
        if pod is None or pod["status"]["phase"] in FINAL:
            self.modify(VMI, vmi, lambda vmi: to_phase(vmi, "Failed", now))
            return
        scheduled = condition(pod, "PodScheduled")
        if scheduled and scheduled["status"] == "False":
            reason, text = scheduled.get("reason", ""), scheduled.get("message", "")
            self.modify(VMI, vmi, lambda vmi: set_condition(vmi, "PodScheduled", False, now, reason, text, probe=True))
            return
        if not is_true(pod, "Ready"):
            return
        claims = self._claim_info(vmi)

        def scheduled_now(vmi: Object) -> None:
            drop_condition(vmi, "PodScheduled")
            node = pod["spec"]["nodeName"]
            vmi["metadata"].setdefault("labels", {})["kubevirt.io/nodeName"] = node
            status = vmi["status"]
            status.update(
                nodeName=node,
                activePods={pod["metadata"]["uid"]: node},
                migrationTransport="Unix",
                qosClass="Burstable",
                launcherContainerImageVersion=pod["spec"]["containers"][0]["image"],
                volumeStatus=[{"name": name, "target": "", **info} for name, info in claims.items()],
            )
            if vmi["metadata"].get("ownerReferences"):
                generation = vmi["metadata"]["annotations"].get("kubevirt.io/vm-generation", "1")
                uid = vmi["metadata"]["ownerReferences"][0]["uid"]
                status["virtualMachineRevisionName"] = f"revision-start-vm-{uid}-{generation}"
            to_phase(vmi, "Scheduled", now)

        self.modify(VMI, vmi, scheduled_now)

    def _claim_info(self, vmi: Object) -> dict[str, dict[str, Any]]:
        return {
            volume["name"]: self.volume_info(vmi, volume)
            for volume in vmi["spec"].get("volumes") or ()
            if not is_hotplugged(volume)
        }

    def volume_info(self, vmi: Object, volume: dict[str, Any]) -> dict[str, Any]:
        """persistentVolumeClaimInfo of a volumeStatus entry, {} for volumes without a claim."""
        name = claim_of(volume)
        claim = self.get(PVC, vmi["metadata"]["namespace"], name) if name else None
        if claim is None:
            return {}
        info = {
            "claimName": name,
            "accessModes": claim["spec"]["accessModes"],
            "volumeMode": claim["spec"]["volumeMode"],
            "capacity": claim["status"].get("capacity") or {},
            "requests": claim["spec"]["resources"]["requests"],
            "filesystemOverhead": "0" if claim["spec"]["volumeMode"] == "Block" else "0.06",
        }
        return {"persistentVolumeClaimInfo": info}

    # -- Scheduled: the guest starts

    def _boot(self, vmi: Object) -> None:
        pod = self.launcher(vmi)
        now = self.stamp()
        if pod is None or pod["status"]["phase"] in FINAL:
            self.modify(VMI, vmi, lambda vmi: to_phase(vmi, "Failed", now))
            return
        behaviour = self.cluster.knobs.guest(vmi["metadata"]["name"])
        if (
            behaviour.boot == "never"
            or node_state(self.cluster, vmi["status"]["nodeName"]) == "dead"
            or not self.due(vmi, "guest-start")
        ):
            return
        if behaviour.boot == "crashes":
            self.modify(VMI, vmi, lambda vmi: to_phase(vmi, "Failed", now))
            self.event(vmi, "Warning", "Stopped", "The VirtualMachineInstance crashed.")
            return
        self.modify(VMI, vmi, lambda vmi: guest.running(self.cluster, vmi, now))
        self.event(vmi, "Normal", "Created", "VirtualMachineInstance defined.")
        self.event(vmi, "Normal", "Started", "VirtualMachineInstance started.")

    # -- Running

    def _run(self, vmi: Object) -> None:
        node = vmi["status"]["nodeName"]
        pod = self.launcher(vmi, node) or self.launcher(vmi)
        now = self.stamp()
        if pod is None or pod["status"]["phase"] == "Failed":
            self.modify(VMI, vmi, lambda vmi: self._lost(vmi, now))
            return
        if pod["metadata"].get("deletionTimestamp") or not is_true(pod, "Ready"):
            reason = "PodTerminating" if pod["metadata"].get("deletionTimestamp") else "PodNotReady"
            text = (
                "virt-launcher pod is terminating" if reason == "PodTerminating" else "virt-launcher pod is not ready"
            )
            self.modify(VMI, vmi, lambda vmi: set_condition(vmi, "Ready", False, now, reason, text, probe=True))
            if reason == "PodTerminating" and node_state(self.cluster, node) != "dead" and self.due(vmi, "guest-stop"):
                self.finish(vmi, "Succeeded")
            return
        if not is_true(vmi, "Ready"):
            self.modify(VMI, vmi, lambda vmi: set_condition(vmi, "Ready", True, now, probe=True))
        if node_state(self.cluster, node) == "dead":
            return
        self._connect_agent(vmi, now)
        self._hotplug.follow(vmi, pod)
        self._nics.follow(vmi)
        self._grow_disks(vmi)

    def _lost(self, vmi: Object, now: str) -> None:
        vmi["status"]["reason"] = (
            "NodeUnresponsive" if node_state(self.cluster, vmi["status"]["nodeName"]) == "dead" else "PodDisappeared"
        )
        set_condition(vmi, "Ready", False, now, "PodNotExists", "virt-launcher pod does not exist", probe=True)
        to_phase(vmi, "Failed", now)

    def _connect_agent(self, vmi: Object, now: str) -> None:
        if not self.cluster.knobs.guest(vmi["metadata"]["name"]).agent or is_true(vmi, "AgentConnected"):
            return
        if self.due(vmi, "guest-agent"):

            def connected(vmi: Object) -> None:
                set_condition(vmi, "AgentConnected", True, now, probe=True)
                vmi["status"]["guestOSInfo"] = {"id": "linux", "name": "Simulated Linux", "kernelRelease": "6.12.0"}
                for row in vmi["status"].get("interfaces") or ():
                    row["infoSource"] = "domain, guest-agent, multus-status"

            self.modify(VMI, vmi, connected)

    def _grow_disks(self, vmi: Object) -> None:
        """A claim that grew is a larger disk in the guest at once."""
        infos = {volume["name"]: self.volume_info(vmi, volume) for volume in vmi["spec"].get("volumes") or ()}

        def change(vmi: Object) -> None:
            for row in vmi["status"].get("volumeStatus") or ():
                if "persistentVolumeClaimInfo" in row and infos.get(row["name"]):
                    row.update(infos[row["name"]])

        self.modify(VMI, vmi, change)

    # -- the end

    def _shut_down(self, vmi: Object, phase: str) -> None:
        """Deleted: the pod is ended, the guest gets the power button and its grace period."""
        node = vmi["status"].get("nodeName", "")
        now = self.stamp()
        pods = [pod for pod in self.cluster.list(POD, vmi["metadata"]["namespace"]) if _made_for(pod, vmi)]
        for pod in pods:
            self.delete(POD, pod)
        if phase == "Running" and not pods:
            self.modify(VMI, vmi, lambda vmi: self._lost(vmi, now))
            return
        if phase != "Running":
            self.modify(VMI, vmi, lambda vmi: to_phase(vmi, "Failed" if phase == "Pending" else "Succeeded", now))
            return
        self.modify(
            VMI,
            vmi,
            lambda vmi: set_condition(
                vmi, "Ready", False, now, "PodTerminating", "virt-launcher pod is terminating", probe=True
            ),
        )
        if node_state(self.cluster, node) == "dead":
            return
        behaviour = self.cluster.knobs.guest(vmi["metadata"]["name"])
        grace = vmi["spec"].get("terminationGracePeriodSeconds")
        grace = 30 if grace is None else grace
        willing = behaviour.acpi and not is_true(vmi, "Paused")
        seconds = self.cluster.knobs.delay("guest-stop") if willing and grace else float(grace)
        if self.due(vmi, "shutdown", min(seconds, float(grace)) if grace else 0.05):
            self.event(
                vmi,
                "Normal",
                "ShuttingDown",
                "Signaled Graceful Shutdown" if willing else "Grace period expired, killing guest",
            )
            self.finish(vmi, "Succeeded" if willing and grace else "Failed")

    def finish(self, vmi: Object, phase: str) -> None:
        """The guest is off: Succeeded after a shutdown, Failed after a crash."""
        now = self.stamp()
        self.modify(VMI, vmi, lambda vmi: to_phase(vmi, phase, now))
        if phase == "Succeeded":
            self.event(vmi, "Normal", "Stopped", "The VirtualMachineInstance was shut down.")
        else:
            self.event(vmi, "Warning", "Stopped", "The VirtualMachineInstance crashed.")

    def _wind_up(self, vmi: Object) -> None:
        """Final: pods go, then the finalizers."""
        pods = [pod for pod in self.cluster.list(POD, vmi["metadata"]["namespace"]) if _made_for(pod, vmi)]
        for pod in pods:
            self.delete(POD, pod)
        if pods or not self.due(vmi, "vmi-remove"):
            return
        deleting = bool(vmi["metadata"].get("deletionTimestamp"))
        now = self.stamp()

        def change(vmi: Object) -> None:
            vmi["status"].pop("activePods", None)
            set_condition(vmi, "Ready", False, now, "PodNotExists", "virt-launcher pod does not exist", probe=True)
            finalizer(vmi, FOREGROUND, False)
            if deleting:
                finalizer(vmi, FINALIZER, False)

        self.modify(VMI, vmi, change)
        if deleting:
            self.event(vmi, "Normal", "Deleted", "Signaled Deletion")


def _made_for(pod: Object, vmi: Object) -> bool:
    labels = pod["metadata"].get("labels") or {}
    return (
        labels.get("kubevirt.io/created-by") == vmi["metadata"]["uid"] and labels.get("kubevirt.io") == "virt-launcher"
    )

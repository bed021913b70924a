"""VirtualMachines: run strategies, start and stop requests, and the instance made from the template."""

from __future__ import annotations

from typing import Any

from .. import instancetypes
from ..cluster import Cluster
from ..errors import StatusError
from ..instancetypes import Missing
from ..kinds import DATAVOLUME, PVC, REVISION, VM, VMI
from ..store import Object
from . import vm_live, vm_status
from .base import Base, Refs, condition, drop_condition, finalizer, own, owner, reference, set_condition
from .pods import FINAL

FINALIZER = "kubevirt.io/virtualMachineControllerFinalize"
FOREGROUND = "kubevirt.io/foregroundDeleteVirtualMachine"
OBSERVED = ("kubevirt.io/latest-observed-api-version", "kubevirt.io/storage-observed-api-version")
BACKOFF_SECONDS, BACKOFF_LIMIT = 10.0, 300.0


class VirtualMachines(Base):
    name, manager, key = "vm", "virt-controller", VM

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {VM: own, VMI: owner("VirtualMachine"), DATAVOLUME: owner("VirtualMachine"), PVC: self._users}

    def _users(self, claim: Object) -> Refs:
        place = claim["metadata"]
        return [
            ref
            for vm in self.cluster.list(VM, place["namespace"])
            if place["name"] in vm_status.claims_of_vm(vm)
            for ref in own(vm)
        ]

    def reconcile(self, namespace: str, name: str) -> None:
        vm = self.get(VM, namespace, name)
        if vm is None:
            return
        vmi = self._instance(vm)
        if vm["metadata"].get("deletionTimestamp"):
            self._remove(vm, vmi)
            return
        if FINALIZER not in (vm["metadata"].get("finalizers") or ()):
            if self.due(vm, "vm-sync"):
                self._adopt(vm)
            return
        failure = self._data_volumes(vm) or self._drive(vm, vmi) or vm_live.follow_template(self, vm, vmi)
        self._report(namespace, name, failure)

    def _instance(self, vm: Object) -> Object | None:
        vmi = self.get(VMI, vm["metadata"]["namespace"], vm["metadata"]["name"])
        owners = (vmi["metadata"].get("ownerReferences") or ()) if vmi else ()
        return vmi if any(item["uid"] == vm["metadata"]["uid"] for item in owners) else None

    def _adopt(self, vm: Object) -> None:
        def change(vm: Object) -> None:
            finalizer(vm, FINALIZER, True)
            vm["metadata"].setdefault("annotations", {}).update(dict.fromkeys(OBSERVED, "v1"))

        self.modify(VM, vm, change)

    def _remove(self, vm: Object, vmi: Object | None) -> None:
        """The instance goes first, then the machine."""
        if vmi is not None and "orphan" not in (vm["metadata"].get("finalizers") or ()):
            self.delete(VMI, vmi)
            self._report(vm["metadata"]["namespace"], vm["metadata"]["name"], None)
            return
        self.modify(VM, vm, lambda vm: finalizer(vm, FINALIZER, False))

    def _report(self, namespace: str, name: str, failure: tuple[str, str] | None) -> None:
        vm = self.get(VM, namespace, name)
        if vm is None:
            return
        vmi, now = self._instance(vm), self.stamp()

        def change(vm: Object) -> None:
            if failure:
                set_condition(vm, "Failure", True, now, failure[0], failure[1], probe=True)
            else:
                drop_condition(vm, "Failure")
            vm_status.write(self.cluster, vm, vmi, now)

        self.modify(VM, vm, change)

    # -- data volume templates

    def _data_volumes(self, vm: Object) -> tuple[str, str] | None:
        for template in vm["spec"].get("dataVolumeTemplates") or ():
            name, namespace = template["metadata"]["name"], vm["metadata"]["namespace"]
            if self.get(DATAVOLUME, namespace, name):
                continue
            metadata = {
                key: value for key, value in template["metadata"].items() if key in ("name", "labels", "annotations")
            }
            metadata["labels"] = {**(metadata.get("labels") or {}), "kubevirt.io/created-by": vm["metadata"]["uid"]}
            metadata["ownerReferences"] = [reference(vm)]
            try:
                self.create(DATAVOLUME, namespace, {"metadata": metadata, "spec": template["spec"]})
            except StatusError as error:
                self.event(
                    vm, "Warning", "FailedDataVolumeCreate", f"Error creating DataVolume {name}: {error.message}"
                )
                return (
                    "FailedCreate",
                    f"Error encountered while creating DataVolumes: failed to create DataVolume: {error.message}",
                )
            self.event(vm, "Normal", "SuccessfulDataVolumeCreate", f"Created DataVolume {name}")
        return None

    # -- run strategy

    def _drive(self, vm: Object, vmi: Object | None) -> tuple[str, str] | None:
        """What the strategy and the queued requests ask for; returns the reason and text of a failure."""
        strategy = _strategy(vm)
        requests = vm.get("status", {}).get("stateChangeRequests") or []
        first = requests[0] if requests else None
        if first and first["action"] == "Stop":
            self._stop(vm, vmi, first)
            return None
        if vmi is not None and vmi["metadata"].get("deletionTimestamp"):
            return None
        final = vmi is not None and vmi.get("status", {}).get("phase") in FINAL
        if first and vmi is None:
            if strategy == "Halted":
                self.modify(VM, vm, lambda vm: vm["spec"].update(runStrategy="Always"))
            return self._start(vm, first)
        if first and vmi is not None:
            self._clear_request(vm)  # it was honoured: the instance is there
        return self._apply_strategy(vm, vmi, strategy, final)

    def _apply_strategy(self, vm: Object, vmi: Object | None, strategy: str, final: bool) -> tuple[str, str] | None:
        if vmi is None:
            wanted = strategy in ("Always", "Once")
            wanted = wanted or (
                strategy == "RerunOnFailure" and vm.get("status", {}).get("runStrategy") != "RerunOnFailure"
            )
            return self._start(vm, None) if wanted else None
        if strategy == "Halted":
            self.delete(VMI, vmi)
        elif final and strategy in ("Always", "RerunOnFailure"):
            self._note_start_failure(vm, vmi)
            if strategy == "RerunOnFailure" and vmi["status"]["phase"] == "Failed":
                self.modify(VM, vm, lambda vm: vm["status"].update(stateChangeRequests=[{"action": "Start"}]))
            self.delete(VMI, vmi)
        return None

    def _stop(self, vm: Object, vmi: Object | None, request: dict[str, Any]) -> None:
        if vmi is not None and vmi["metadata"]["uid"] == request.get("uid"):
            self.delete(VMI, vmi)
        else:
            self._clear_request(vm)

    def _clear_request(self, vm: Object) -> None:
        def change(vm: Object) -> None:
            rest = vm["status"].pop("stateChangeRequests")[1:]
            if rest:
                vm["status"]["stateChangeRequests"] = rest

        self.modify(VM, vm, change)

    # -- starting

    def _start(self, vm: Object, request: dict[str, Any] | None) -> tuple[str, str] | None:
        if not vm_status.data_volumes_ready(self.cluster, vm):
            return None
        failure = vm.get("status", {}).get("startFailure")
        if failure and not self.due(vm, f"backoff {failure['consecutiveFailCount']}", _backoff(failure)):
            return None
        if not self.due(vm, "vmi-create"):
            return _standing_failure(vm)
        try:
            body = self._instance_body(vm, bool(request and (request.get("data") or {}).get("paused") == "True"))
            self._keep_revision(vm)
            self.create(VMI, vm["metadata"]["namespace"], body)
        except Missing as error:
            return "FailedFindInstancetype", str(error)
        except StatusError as error:
            self.event(vm, "Warning", "FailedCreate", f"Error creating virtual machine instance: {error.message}")
            self.again(vm, 5.0)
            return "FailedCreate", f"Failure while starting VMI: {error.message}"
        name = vm["metadata"]["name"]
        self.event(
            vm,
            "Normal",
            "SuccessfulCreate",
            f"Started the virtual machine by creating the new virtual machine instance {name}",
        )
        generation = vm["metadata"].get("generation", 1)

        def change(vm: Object) -> None:
            status = vm.setdefault("status", {})
            status.update(observedGeneration=generation, desiredGeneration=generation, runStrategy=_strategy(vm))
            drop_condition(vm, "RestartRequired")

        self.modify(VM, vm, change)
        return None

    def _instance_body(self, vm: Object, paused: bool) -> Object:
        """The VMI: template, names, owner, finalizers, instancetype applied. Raises Missing."""
        template, metadata = vm["spec"]["template"], vm["metadata"]
        spec = instancetypes.expand(self.cluster.store, vm)
        if paused:
            spec["startStrategy"] = "Paused"
        made = template.get("metadata") or {}
        return {
            "metadata": {
                "name": metadata["name"],
                "labels": dict(made.get("labels") or {}),
                "annotations": {
                    **(made.get("annotations") or {}),
                    "kubevirt.io/vm-generation": str(metadata.get("generation", 1)),
                    "kubevirt.io/latest-observed-api-version": "v1",
                    "kubevirt.io/storage-observed-api-version": "v1",
                },
                "ownerReferences": [reference(vm)],
                "finalizers": [FINALIZER, FOREGROUND],
            },
            "spec": spec,
        }

    def _keep_revision(self, vm: Object) -> None:
        metadata = vm["metadata"]
        name = f"revision-start-vm-{metadata['uid']}-{metadata.get('generation', 1)}"
        for old in self.cluster.list(REVISION, metadata["namespace"]):
            named = old["metadata"]["name"]
            if named.startswith(f"revision-start-vm-{metadata['uid']}-") and named != name:
                self.delete(REVISION, old)
        if self.get(REVISION, metadata["namespace"], name) is None:
            data = {"spec": {"template": vm["spec"]["template"]}}
            body = {
                "metadata": {"name": name, "ownerReferences": [reference(vm)]},
                "data": data,
                "revision": metadata.get("generation", 1),
            }
            self.create(REVISION, metadata["namespace"], body)

    def _note_start_failure(self, vm: Object, vmi: Object) -> None:
        """An instance that never ran makes the next start wait longer; one that ran clears that."""
        reached = {row["phase"] for row in vmi["status"].get("phaseTransitionTimestamps") or ()}
        uid, last = vmi["metadata"]["uid"], vm.get("status", {}).get("startFailure") or {}
        if "Running" in reached or vmi["status"]["phase"] == "Succeeded":
            if last:
                self.modify(VM, vm, lambda vm: vm["status"].pop("startFailure", None))
        elif last.get("lastFailedVMIUID") != uid:
            count = last.get("consecutiveFailCount", 0) + 1
            failure = {"consecutiveFailCount": count, "lastFailedVMIUID": uid, "retryAfterTimestamp": self.stamp()}
            self.modify(VM, vm, lambda vm: vm["status"].update(startFailure=failure))


def _standing_failure(vm: Object) -> tuple[str, str] | None:
    """A refused start stays on record until the next try is made."""
    found = condition(vm, "Failure")
    if found and found["reason"] in ("FailedCreate", "FailedFindInstancetype"):
        return found["reason"], found["message"]
    return None


def _backoff(failure: dict[str, Any]) -> float:
    return min(BACKOFF_LIMIT, BACKOFF_SECONDS * failure["consecutiveFailCount"] ** 2)


def _strategy(vm: Object) -> str:
    spec = vm["spec"]
    return spec.get("runStrategy") or ("Always" if spec.get("running") else "Halted")

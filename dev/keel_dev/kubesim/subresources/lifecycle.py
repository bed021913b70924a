"""start, stop, restart of a machine; pause, unpause, softreboot, reset, freeze of an instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import errors
from ..cluster import Cluster
from ..controllers.base import drop_condition, is_true, set_condition
from ..controllers.nodes import node_state
from ..controllers.pods import FINAL
from ..errors import StatusError
from ..kinds import MIGRATION, VM, VMI
from ..server import Answer
from ..store import Object
from ..writer import Writer
from . import Calls, is_dry

MANAGER = "virt-api"
NO_START = ("Always", "Once")


class Lifecycle:
    """Handlers by (plural, subresource); lifecycle calls answer 202, calls relayed to the node 200."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster

    def calls(self) -> Calls:
        machine: dict[str, Callable[[Object, dict[str, Any]], Answer]] = {
            "start": self.start,
            "stop": self.stop,
            "restart": self.restart,
            "migrate": self.migrate,
            "evacuate/cancel": self.cancel_evacuation,
        }
        instance: dict[str, Callable[[Object, dict[str, Any]], Answer]] = {
            "pause": self.pause,
            "unpause": self.unpause,
            "softreboot": self.soft_reboot,
            "reset": self.reset,
            "freeze": self.freeze,
            "unfreeze": self.unfreeze,
            "evacuate/cancel": self.cancel_evacuation,
        }
        found: Calls = {("virtualmachines", name): ("PUT", call) for name, call in machine.items()}
        found.update({("virtualmachineinstances", name): ("PUT", call) for name, call in instance.items()})
        found["virtualmachineinstances", "guestosinfo"] = ("GET", self.guest_info)
        return found

    def _vmi(self, vm: Object) -> Object | None:
        return self._cluster.get(VMI, vm["metadata"]["namespace"], vm["metadata"]["name"])

    def _conflict(self, obj: Object, why: str) -> StatusError:
        key = VM if obj["kind"] == "VirtualMachine" else VMI
        return errors.subresource_conflict(self._cluster.catalogue.get(key), obj["metadata"]["name"], why)

    def _edit(self, key: str, obj: Object, change: Callable[[Object], None]) -> None:
        metadata = obj["metadata"]
        self._cluster.writes.modify(key, metadata["namespace"], metadata["name"], change, MANAGER)

    # -- machines

    def start(self, vm: Object, body: dict[str, Any]) -> Answer:
        vmi, strategy = self._vmi(vm), _strategy(vm)
        phase = (vmi or {}).get("status", {}).get("phase", "")
        live = vmi is not None and phase not in (*FINAL, "Unknown", "")
        if live or (vmi is not None and vmi["metadata"].get("deletionTimestamp")):
            raise self._conflict(vm, "VM is already running")
        if is_true(vm, "ManualRecoveryRequired"):
            raise self._conflict(vm, "VM recovery required")
        if strategy in NO_START:
            raise self._conflict(vm, f"{strategy} does not support manual start requests")
        if strategy == "RerunOnFailure" and phase == "Failed":
            raise self._conflict(vm, "RerunOnFailure does not support starting VM from failed state")
        paused = bool(body.get("paused"))
        request: dict[str, Any] = {"action": "Start"}
        if paused:
            request["data"] = {"paused": "True"}
        requests = [request]
        if vmi is not None:
            requests = [{"action": "Stop", "uid": vmi["metadata"]["uid"]}, request]
        if strategy == "Halted" and not paused and vmi is None:
            self._refuse_underway(vm)
            return self._accept(vm, body, lambda vm: vm["spec"].update(_running_spec(vm, True)))
        return self._queue(vm, body, requests)

    def stop(self, vm: Object, body: dict[str, Any]) -> Answer:
        vmi, strategy = self._vmi(vm), _strategy(vm)
        phase = (vmi or {}).get("status", {}).get("phase", "")
        live = vmi is not None and phase not in (*FINAL, "Unknown")
        grace = body.get("gracePeriod")
        if grace is not None and grace < 0:
            raise errors.bad_request("gracePeriod has to be greater or equal to 0")
        if strategy == "Halted":
            before = ((vmi or {}).get("spec") or {}).get("terminationGracePeriodSeconds", 30)
            if not live or grace is None or grace >= (30 if before is None else before):
                raise self._conflict(vm, "VM is not running")
        elif strategy in ("Manual", "RerunOnFailure") and not live:
            raise self._conflict(vm, "VM is not running")
        if grace is not None and vmi is not None and not is_dry(body):
            self._edit(VMI, vmi, lambda vmi: vmi["spec"].update(terminationGracePeriodSeconds=grace))
        if strategy == "Halted":
            return Answer(code=202)
        if strategy in ("Manual", "RerunOnFailure"):
            assert vmi is not None
            stop = {"action": "Stop", "uid": vmi["metadata"]["uid"]}
            return self._accept(vm, body, lambda vm: vm["status"].update(stateChangeRequests=[stop]))

        def halt(vm: Object) -> None:
            vm["spec"].update(_running_spec(vm, False))
            vm.get("status", {}).pop("stateChangeRequests", None)

        return self._accept(vm, body, halt)

    def restart(self, vm: Object, body: dict[str, Any]) -> Answer:
        grace = body.get("gracePeriodSeconds")
        if grace is not None and grace > 0:
            raise errors.bad_request("For force restart, only gracePeriod=0 is supported for now")
        if grace is not None and grace < 0:
            raise errors.bad_request("gracePeriodSeconds has to be greater or equal to 0")
        strategy = _strategy(vm)
        if strategy in ("Halted", "Once"):
            raise self._conflict(vm, f"{strategy} does not support manual restart requests")
        vmi = self._vmi(vm)
        if vmi is None:
            raise self._conflict(vm, "VM is not running")
        self._refuse_underway(vm)
        if grace == 0 and not is_dry(body):
            self._edit(VMI, vmi, lambda vmi: vmi["spec"].update(terminationGracePeriodSeconds=1))
        requests = [{"action": "Stop", "uid": vmi["metadata"]["uid"]}, {"action": "Start"}]
        return self._queue(vm, body, requests)

    def migrate(self, vm: Object, body: dict[str, Any]) -> Answer:
        vmi = self._vmi(vm)
        if vmi is None or vmi.get("status", {}).get("phase") != "Running":
            raise self._conflict(vm, "VM is not running")
        spec: dict[str, Any] = {"vmiName": vm["metadata"]["name"]}
        if body.get("addedNodeSelector"):
            spec["addedNodeSelector"] = body["addedNodeSelector"]
        made = {"metadata": {"generateName": "kubevirt-migrate-vm-"}, "spec": spec}
        try:
            kind = self._cluster.catalogue.get(MIGRATION)
            self._cluster.writes.create(kind, vm["metadata"]["namespace"], made, Writer(MANAGER, dry_run=is_dry(body)))
        except StatusError as error:
            raise errors.internal(error.message) from error
        return Answer(code=202)

    def cancel_evacuation(self, obj: Object, body: dict[str, Any]) -> Answer:
        if not is_dry(body):
            self._edit(VMI, obj, lambda vmi: vmi.get("status", {}).pop("evacuationNodeName", None))
        return Answer(code=200)

    def _refuse_underway(self, vm: Object) -> None:
        if vm.get("status", {}).get("stateChangeRequests"):
            raise errors.internal("unable to complete request: stop/start already underway")

    def _queue(self, vm: Object, body: dict[str, Any], requests: list[dict[str, Any]]) -> Answer:
        self._refuse_underway(vm)
        return self._accept(vm, body, lambda vm: vm.setdefault("status", {}).update(stateChangeRequests=requests))

    def _accept(self, vm: Object, body: dict[str, Any], change: Callable[[Object], None]) -> Answer:
        if not is_dry(body):
            self._edit(VM, vm, change)
        return Answer(code=202)

    # -- instances: relayed to the node

    def _relay(self, vmi: Object, sub: str) -> None:
        """409 when the guest does not run, 500 when its node does not answer."""
        if vmi.get("status", {}).get("phase") != "Running":
            raise self._conflict(vmi, "VMI is not running")
        node = vmi["status"].get("nodeName", "")
        if node_state(self._cluster, node) == "dead":
            place = f"{vmi['metadata']['namespace']}/virtualmachineinstances/{vmi['metadata']['name']}"
            url = f"https://192.168.100.10:8186/v1/namespaces/{place}/{sub}"
            raise errors.internal(f'Put "{url}": dial tcp 192.168.100.10:8186: connect: connection refused')

    def pause(self, vmi: Object, body: dict[str, Any]) -> Answer:
        if is_true(vmi, "Paused"):
            raise self._conflict(vmi, "VMI is already paused")
        self._relay(vmi, "pause")
        if not is_dry(body):
            now = self._cluster.clock.stamp()
            self._edit(
                VMI,
                vmi,
                lambda vmi: set_condition(
                    vmi, "Paused", True, now, "PausedByUser", "VMI was paused by user", probe=True
                ),
            )
            self._cluster.events.record("virt-handler", vmi, "Normal", "Paused", "VirtualMachineInstance paused")
        return Answer(code=200)

    def unpause(self, vmi: Object, body: dict[str, Any]) -> Answer:
        self._relay(vmi, "unpause")
        if not is_true(vmi, "Paused"):
            raise self._conflict(vmi, "VMI is not paused")
        if not is_dry(body):
            self._edit(VMI, vmi, lambda vmi: drop_condition(vmi, "Paused"))
            self._cluster.events.record("virt-handler", vmi, "Normal", "Unpaused", "VirtualMachineInstance unpaused")
        return Answer(code=200)

    def soft_reboot(self, vmi: Object, body: dict[str, Any]) -> Answer:
        self._relay(vmi, "softreboot")
        if is_true(vmi, "Paused"):
            raise self._conflict(vmi, "VMI is paused")
        acpi = ((vmi["spec"]["domain"].get("features") or {}).get("acpi") or {}).get("enabled", True)
        if not acpi and not is_true(vmi, "AgentConnected"):
            raise self._conflict(vmi, "VMI neither have the agent connected nor the ACPI feature enabled")
        self._cluster.events.record(
            "virt-handler", vmi, "Normal", "SoftRebooted", "VirtualMachineInstance soft rebooted"
        )
        return Answer(code=200)

    def reset(self, vmi: Object, body: dict[str, Any]) -> Answer:
        phase = vmi.get("status", {}).get("phase")
        if phase != "Running":
            raise errors.bad_request(f"VMI is not running: phase is {phase}")
        self._relay(vmi, "reset")
        self._cluster.events.record("virt-handler", vmi, "Normal", "Reset", "VirtualMachineInstance reset")
        return Answer(code=200)

    def freeze(self, vmi: Object, body: dict[str, Any]) -> Answer:
        self._relay(vmi, "freeze")
        if not is_true(vmi, "AgentConnected"):
            raise errors.internal("unable to freeze: guest agent is not connected")
        if not is_dry(body):
            self._edit(VMI, vmi, lambda vmi: vmi["status"].update(fsFreezeStatus="frozen"))
        return Answer(code=200)

    def unfreeze(self, vmi: Object, body: dict[str, Any]) -> Answer:
        self._relay(vmi, "unfreeze")
        if not is_dry(body):
            self._edit(VMI, vmi, lambda vmi: vmi["status"].pop("fsFreezeStatus", None))
        return Answer(code=200)

    def guest_info(self, vmi: Object, body: dict[str, Any]) -> Answer:
        if vmi.get("status", {}).get("phase") != "Running":
            return Answer("VMI is not running", 500)
        if not is_true(vmi, "AgentConnected"):
            return Answer("VMI does not have guest agent connected", 500)
        info = vmi["status"].get("guestOSInfo") or {}
        return Answer(
            {
                "guestAgentVersion": "5.2.0",
                "hostname": vmi["spec"].get("hostname") or vmi["metadata"]["name"],
                "os": info,
                "timezone": "UTC, 0",
            }
        )


def _strategy(vm: Object) -> str:
    spec = vm["spec"]
    return spec.get("runStrategy") or ("Always" if spec.get("running") else "Halted")


def _running_spec(vm: Object, on: bool) -> dict[str, Any]:
    """The change of spec that switches a machine: by whichever of the two fields it uses."""
    if vm["spec"].get("running") is not None:
        return {"running": on}
    return {"runStrategy": "Always" if on else "Halted"}

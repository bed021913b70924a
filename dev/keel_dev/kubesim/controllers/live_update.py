"""Interfaces, sockets and memory added to a running guest: what waits, and what is done when it is there."""

from __future__ import annotations

from typing import Any

from ..errors import StatusError
from ..kinds import KUBEVIRT, MIGRATION, VMI
from ..launcher import pod_interface
from ..store import Object
from .base import Base, condition, drop_condition, is_true, set_condition
from .pods import FINAL

CPU_CHANGE, MEMORY_CHANGE, MIGRATION_REQUIRED = "HotVCPUChange", "HotMemoryChange", "MigrationRequired"
WAITING = (CPU_CHANGE, MEMORY_CHANGE, MIGRATION_REQUIRED)


def settle(vmi: Object) -> None:
    """After a migration the guest has everything its spec says, in place."""
    spec, status = vmi["spec"], vmi["status"]
    status["currentCPUTopology"] = {name: spec["domain"]["cpu"][name] for name in ("sockets", "cores", "threads")}
    guest = (spec["domain"].get("memory") or {}).get("guest")
    if guest:
        status.setdefault("memory", {}).update(guestCurrent=guest, guestRequested=guest)
    for row in _missing(vmi):
        _plug(vmi, row)
    for name in WAITING:
        drop_condition(vmi, name)


def _missing(vmi: Object) -> list[dict[str, Any]]:
    """Interfaces of the spec that the guest does not have yet."""
    plugged = {row["name"] for row in vmi["status"].get("interfaces") or ()}
    rows = (vmi["spec"]["domain"].get("devices") or {}).get("interfaces") or ()
    return [row for row in rows if row["name"] not in plugged and row.get("state") != "absent"]


def _plug(vmi: Object, row: dict[str, Any]) -> None:
    vmi["status"].setdefault("interfaces", []).append(
        {
            "name": row["name"],
            "mac": row.get("macAddress", ""),
            "infoSource": "domain, multus-status",
            "queueCount": 1,
            "podInterfaceName": pod_interface(row["name"]),
            "linkState": "down" if row.get("state") == "down" else "up",
        }
    )


class Nics:
    """The part of the instance controller that cares for interfaces plugged in and out."""

    def __init__(self, controller: Base):
        self._controller = controller

    def follow(self, vmi: Object) -> None:
        self._unplug(vmi)
        self._link_states(vmi)
        if not _missing(vmi):
            return
        controller = self._controller
        found, now = condition(vmi, MIGRATION_REQUIRED), controller.stamp()
        if controller.cluster.knobs.dynamic_networks:
            if controller.due(vmi, "nic-plug"):
                controller.modify(VMI, vmi, self._plug_all)
        elif found is None:
            self._require(vmi, False, "AutoMigrationPending", now)
        elif found["status"] == "False" and controller.due(vmi, "nic-grace"):
            self._require(vmi, True, "AutoMigrationDueToLiveUpdate", now)

    def _require(self, vmi: Object, status: bool, reason: str, now: str) -> None:
        def change(vmi: Object) -> None:
            set_condition(vmi, MIGRATION_REQUIRED, status, now, reason, probe=True)

        self._controller.modify(VMI, vmi, change)

    def _plug_all(self, vmi: Object) -> None:
        for row in _missing(vmi):
            _plug(vmi, row)
        drop_condition(vmi, MIGRATION_REQUIRED)

    def _unplug(self, vmi: Object) -> None:
        rows = (vmi["spec"]["domain"].get("devices") or {}).get("interfaces") or ()
        absent = {row["name"] for row in rows if row.get("state") == "absent"}
        leaving = absent & {row["name"] for row in vmi["status"].get("interfaces") or ()}
        if leaving and self._controller.due(vmi, "nic-plug"):

            def change(vmi: Object) -> None:
                kept = [row for row in vmi["status"]["interfaces"] if row["name"] not in leaving]
                vmi["status"]["interfaces"] = kept

            self._controller.modify(VMI, vmi, change)

    def _link_states(self, vmi: Object) -> None:
        rows = (vmi["spec"]["domain"].get("devices") or {}).get("interfaces") or ()
        wanted = {row["name"]: "down" if row.get("state") == "down" else "up" for row in rows}

        def change(vmi: Object) -> None:
            for row in vmi["status"].get("interfaces") or ():
                row["linkState"] = wanted.get(row["name"], row["linkState"])

        self._controller.modify(VMI, vmi, change)


class Updates(Base):
    """The workload updater: migrates instances that wait for it, where the KubeVirt installation says so."""

    name, manager, key = "updates", "virt-controller", VMI

    def reconcile(self, namespace: str, name: str) -> None:
        vmi = self.get(VMI, namespace, name)
        if vmi is None or vmi.get("status", {}).get("phase") != "Running" or not any(is_true(vmi, c) for c in WAITING):
            return
        if "LiveMigrate" not in self._methods() or not is_true(vmi, "LiveMigratable") or self._moving(vmi):
            return
        if not self.due(vmi, "workload-update"):
            return
        body = {"metadata": {"generateName": "kubevirt-workload-update-"}, "spec": {"vmiName": name}}
        try:
            self.create(MIGRATION, namespace, body)
        except StatusError as error:
            self.event(
                vmi, "Warning", "FailedCreate", (f"Error creating VirtualMachineInstanceMigration: {error.message}")
            )

    def _methods(self) -> list[str]:
        found = next(iter(self.cluster.list(KUBEVIRT)), None)
        return ((found or {}).get("spec", {}).get("workloadUpdateStrategy") or {}).get("workloadUpdateMethods") or []

    def _moving(self, vmi: Object) -> bool:
        name, namespace = vmi["metadata"]["name"], vmi["metadata"]["namespace"]
        migrations = self.cluster.list(MIGRATION, namespace)
        return any(m["spec"]["vmiName"] == name and m.get("status", {}).get("phase") not in FINAL for m in migrations)

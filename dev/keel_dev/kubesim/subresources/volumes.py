"""addvolume and removevolume: edits of a machine's template by name."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..admission.template import check_template
from ..cluster import Cluster
from ..errors import StatusError, denied
from ..kinds import VM
from ..launcher import claim_of, is_hotplugged
from ..server import Answer
from ..store import Object, clone
from . import Calls, is_dry

MANAGER = "virt-api"
VALIDATOR = "virtualmachine-validator.kubevirt.io"


class VolumeCalls:
    def __init__(self, cluster: Cluster):
        self._cluster = cluster

    def calls(self) -> Calls:
        return {
            ("virtualmachines", "addvolume"): ("PUT", self.add),
            ("virtualmachines", "removevolume"): ("PUT", self.remove),
            ("virtualmachineinstances", "addvolume"): ("PUT", self.refuse),
            ("virtualmachineinstances", "removevolume"): ("PUT", self.refuse),
        }

    def add(self, vm: Object, body: dict[str, Any]) -> Answer:
        name, disk, source = body.get("name"), body.get("disk"), body.get("volumeSource")
        if not name:
            raise errors.bad_request("AddVolumeOptions requires name to be set")
        if not disk:
            raise errors.bad_request("AddVolumeOptions requires disk to not be nil")
        if not source or not any(source.get(kind) for kind in ("persistentVolumeClaim", "dataVolume")):
            raise errors.bad_request("AddVolumeOptions requires VolumeSource to not be nil")
        volume = clone({"name": name, **{kind: value for kind, value in source.items() if value}})
        next(value for kind, value in volume.items() if kind != "name")["hotpluggable"] = True
        for present in vm["spec"]["template"]["spec"].get("volumes") or ():
            if present["name"] == name:
                raise self._conflict(vm, f"Unable to add volume [{name}] because volume with that name already exists")
            if claim_of(present) and claim_of(present) == claim_of(volume):
                text = f"Unable to add volume source [{claim_of(volume)}] because it already exists"
                raise self._conflict(vm, text)
        entry = {**clone(disk), "name": name}
        if not any(kind in entry for kind in ("disk", "lun", "cdrom")):
            entry["disk"] = {"bus": "scsi"}

        def change(template: dict[str, Any]) -> None:
            template["volumes"] = [*(template.get("volumes") or ()), volume]
            devices = template["domain"].setdefault("devices", {})
            devices["disks"] = [*(devices.get("disks") or ()), entry]

        return self._edit(vm, body, change)

    def remove(self, vm: Object, body: dict[str, Any]) -> Answer:
        name = body.get("name")
        if not name:
            raise errors.bad_request("RemoveVolumeOptions requires name to be set")
        volumes = vm["spec"]["template"]["spec"].get("volumes") or ()
        found = next((volume for volume in volumes if name in (volume["name"], claim_of(volume))), None)
        if found is None:
            raise self._conflict(vm, f"Unable to remove volume [{name}] because it does not exist")
        if not is_hotplugged(found):
            raise self._conflict(vm, f"Unable to remove volume [{name}] because it is not hotpluggable")
        gone = found["name"]

        def change(template: dict[str, Any]) -> None:
            template["volumes"] = [volume for volume in template.get("volumes") or () if volume["name"] != gone]
            devices = template["domain"].get("devices") or {}
            devices["disks"] = [disk for disk in devices.get("disks") or () if disk["name"] != gone]

        return self._edit(vm, body, change)

    def refuse(self, vmi: Object, body: dict[str, Any]) -> Answer:
        if not body.get("name"):
            raise errors.bad_request("AddVolumeOptions requires name to be set")
        text = (
            "Unable to Add or Remove volume because neither HotplugVolumes nor "
            "DeclarativeHotplugVolumes allows it for an instance"
        )
        if vmi["metadata"].get("ownerReferences"):
            text = f"{text}: the instance is owned by a VirtualMachine, change that one"
        raise errors.bad_request(text)

    def _conflict(self, vm: Object, why: str) -> StatusError:
        return errors.subresource_conflict(self._cluster.catalogue.get(VM), vm["metadata"]["name"], why)

    def _edit(self, vm: Object, body: dict[str, Any], change: Any) -> Answer:
        """The edited template must pass admission: 422 otherwise."""
        edited = clone(vm)
        change(edited["spec"]["template"]["spec"])
        causes = check_template(edited["spec"]["template"], "spec.template", creating_vmi=False)
        if causes:
            raise denied(VALIDATOR, causes)
        if not is_dry(body):
            metadata = vm["metadata"]
            self._cluster.writes.modify(
                VM, metadata["namespace"], metadata["name"], lambda vm: change(vm["spec"]["template"]["spec"]), MANAGER
            )
        return Answer(code=202)

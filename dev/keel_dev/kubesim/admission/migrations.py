"""What KubeVirt's webhooks write into and refuse of migrations."""

from __future__ import annotations

from ..errors import cause, denied, denied_plain
from ..kinds import MIGRATION, VMI
from ..store import Object, Store
from . import Admission, Review

MUTATOR, CREATE, UPDATE = (
    "migrations-mutator.kubevirt.io",
    "migration-create-validator.kubevirt.io",
    "migration-update-validator.kubevirt.io",
)
LABEL = "kubevirt.io/vmi-name"
FINAL = ("Succeeded", "Failed")


def register(admission: Admission, store: Store) -> None:
    checks = _Checks(store)
    admission.mutating(MIGRATION, _complete, MUTATOR)
    admission.validating(MIGRATION, checks.create, CREATE)
    admission.validating(MIGRATION, _update, UPDATE)


def _complete(review: Review) -> None:
    name = (review.obj.get("spec") or {}).get("vmiName") if isinstance(review.obj.get("spec"), dict) else None
    if review.operation == "CREATE":
        metadata = review.obj["metadata"]
        finalizers = metadata.setdefault("finalizers", [])
        if "kubevirt.io/migrationJobFinalize" not in finalizers:
            finalizers.append("kubevirt.io/migrationJobFinalize")
        if name:
            metadata["labels"] = {**(metadata.get("labels") or {}), LABEL: name}


def _update(review: Review) -> None:
    if review.operation == "UPDATE" and review.old is not None and review.obj["spec"] != review.old["spec"]:
        raise denied(UPDATE, [cause("NotSupported", "spec", "update of Migration object's spec is restricted")])


class _Checks:
    def __init__(self, store: Store):
        self._store = store

    def create(self, review: Review) -> None:
        if review.operation != "CREATE":
            return
        name = review.obj["spec"].get("vmiName")
        if not name:
            raise denied(CREATE, [cause("Required", "spec.vmiName", "vmiName is missing")])
        if review.obj["spec"].get("sendTo") or review.obj["spec"].get("receive"):
            text = "DecentralizedLiveMigration feature gate is not enabled in kubevirt resource"
            raise denied(CREATE, [cause("NotSupported", "spec", text)])
        vmi = self._store.get(VMI, review.namespace, name)
        if vmi is None:
            raise denied_plain(CREATE, f'the VMI "{review.namespace}/{name}" does not exist')
        text = self._obstacle(review, vmi)
        if text:
            raise denied_plain(CREATE, text)

    def _obstacle(self, review: Review, vmi: Object) -> str:
        status = vmi.get("status", {})
        if status.get("phase") in FINAL:
            return "Cannot migrate VMI in finalized state."
        for row in status.get("conditions") or ():
            if row["type"] == "LiveMigratable" and row["status"] == "False":
                return f"Cannot migrate VMI, Reason: {row.get('reason', '')}, Message: {row.get('message', '')}"
        for other in self._store.list(MIGRATION, review.namespace):
            if (
                other["spec"]["vmiName"] == vmi["metadata"]["name"]
                and other.get("status", {}).get("phase") not in FINAL
            ):
                return (
                    f"in-flight migration detected. Active migration job ({other['metadata']['uid']}) is "
                    f"currently already in progress for VMI {vmi['metadata']['name']}."
                )
        return ""

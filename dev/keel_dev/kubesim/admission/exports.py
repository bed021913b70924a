"""What KubeVirt's webhook refuses of VirtualMachineExports, and what this cluster cannot export."""

from __future__ import annotations

from ..cluster import Cluster
from ..contents import NotKept
from ..controllers.volumes import content_key
from ..errors import cause, denied
from ..kinds import EXPORT, PVC
from . import Admission, Review

WEBHOOK = "virtualmachineexport-validator.export.kubevirt.io"
_SOURCES = {
    "PersistentVolumeClaim": ("",),
    "VirtualMachine": ("kubevirt.io",),
    "VirtualMachineSnapshot": ("snapshot.kubevirt.io",),
}


def register(admission: Admission, cluster: Cluster) -> None:
    def check(review: Review) -> None:
        if review.operation == "DELETE" or review.subresource or review.writer.trusted:
            return
        causes = _changed(review) if review.old is not None else _wrong(review, cluster)
        if causes:
            raise denied(WEBHOOK, causes)

    admission.validating(EXPORT, check, WEBHOOK)


def _changed(review: Review) -> list[dict[str, str]]:
    if review.old is not None and review.obj["spec"] != review.old["spec"]:
        return [cause("Invalid", "spec", "spec in immutable after creation")]
    return []


def _wrong(review: Review, cluster: Cluster) -> list[dict[str, str]]:
    source = review.obj["spec"]["source"]
    groups = _SOURCES.get(source["kind"])
    if groups is None:
        return [cause("Invalid", "spec.source.kind", "invalid kind")]
    if (source.get("apiGroup") or "") not in groups:
        return [cause("Invalid", "spec.source.apiGroup", "invalid apiGroup")]
    if not source["name"]:
        return [cause("Invalid", "spec.source.name", f"{source['kind']} name must not be empty")]
    if source["kind"] != "PersistentVolumeClaim":
        text = f"the simulated cluster exports claims only, no {source['kind']}"
        return [cause("NotSupported", "spec.source.kind", text)]
    claim = cluster.get(PVC, review.namespace, source["name"])
    if claim is None or not claim["spec"].get("volumeName"):
        return []
    key = content_key(claim["spec"]["volumeName"])
    try:
        cluster.contents.check(key)
    except NotKept as error:
        return [cause("NotSupported", "spec.source.name", f"the simulated cluster: {error}")]
    if claim["spec"]["volumeMode"] != "Block" and cluster.contents.facts(key) is None:
        text = "the simulated cluster exports disk images only, no file systems"
        return [cause("NotSupported", "spec.source.name", text)]
    return []

"""What CDI's webhook refuses of DataVolumes."""

from __future__ import annotations

from typing import Any

from .. import quantity
from ..errors import cause, denied
from ..kinds import DATAVOLUME, PVC, SNAPSHOT
from ..store import Store
from . import Admission, Review

WEBHOOK = "datavolume-validate.cdi.kubevirt.io"
ADOPTION = "cdi.kubevirt.io/allowClaimAdoption"
SOURCES = ("http", "s3", "gcs", "registry", "pvc", "upload", "blank", "imageio", "vddk", "snapshot")
# Sources whose workers exist here; the others are refused rather than left waiting for ever.
SERVED = ("http", "pvc", "upload", "blank", "snapshot")
SMALLEST_IMPORT = 1 << 20


def register(admission: Admission, store: Store) -> None:
    checks = _Checks(store)
    admission.validating(DATAVOLUME, checks.check, WEBHOOK)


class _Checks:
    def __init__(self, store: Store):
        self._store = store

    def check(self, review: Review) -> None:
        if review.operation == "DELETE" or review.subresource or review.writer.trusted and review.operation == "UPDATE":
            return
        if review.old is not None:
            if review.obj["spec"] != review.old["spec"]:
                raise denied(WEBHOOK, [cause("Duplicate", "DataVolume.Spec", "Cannot update DataVolume Spec")])
            return
        causes = self._source(review) + _size(review.obj["spec"]) + self._existing(review)
        if causes:
            raise denied(WEBHOOK, causes)

    def _existing(self, review: Review) -> list[dict[str, str]]:
        if self._store.get(PVC, review.namespace, review.name) is None:
            return []
        if (review.obj["metadata"].get("annotations") or {}).get(ADOPTION) == "true":
            return []
        text = f"Destination PVC {review.namespace}/{review.name} already exists"
        return [cause("Duplicate", "metadata.name", text)]

    def _source(self, review: Review) -> list[dict[str, str]]:
        spec = review.obj["spec"]
        source, reference = spec.get("source") or {}, spec.get("sourceRef")
        given = [kind for kind in SOURCES if source.get(kind) is not None]
        if reference:
            text = f"Unsupported sourceRef kind {reference.get('kind')}"
            return [cause("Invalid", "spec.sourceRef", text if not given else "Source and sourceRef are both set")]
        if not given:
            return [cause("Invalid", "spec.source", "Missing Data volume source")]
        if len(given) > 1:
            return [cause("Invalid", "spec.source", "Multiple Data volume sources")]
        if given[0] not in SERVED:
            return [
                cause("NotSupported", f"spec.source.{given[0]}", f"source {given[0]} is not supported by this cluster")
            ]
        if given[0] == "http" and not str(source["http"].get("url", "")).startswith(("http://", "https://")):
            return [
                cause(
                    "Invalid",
                    "spec.source.http.url",
                    f"spec.source Invalid source URL: {source['http'].get('url', '')}",
                )
            ]
        if given[0] in ("pvc", "snapshot"):
            return self._clone(review, given[0], source[given[0]])
        return []

    def _clone(self, review: Review, kind: str, source: dict[str, Any]) -> list[dict[str, str]]:
        namespace = source.get("namespace") or review.namespace
        if not source.get("name"):
            return [cause("Invalid", f"spec.source.{kind}", f"spec.source.{kind} Name is empty")]
        if namespace != review.namespace:
            return [
                cause(
                    "NotSupported", f"spec.source.{kind}", "cloning across namespaces is not supported by this cluster"
                )
            ]
        key = PVC if kind == "pvc" else SNAPSHOT
        found = self._store.get(key, namespace, source["name"])
        wanted = _wanted(review.obj["spec"])
        if (
            kind == "pvc"
            and found
            and wanted
            and wanted < quantity.size(found["spec"]["resources"]["requests"]["storage"])
        ):
            text = "target resources requests storage size is smaller than the source"
            return [cause("Invalid", "spec.storage.resources", text)]
        return []


def _wanted(spec: dict[str, Any]) -> int:
    given = spec.get("pvc") or spec.get("storage") or {}
    return quantity.size(((given.get("resources") or {}).get("requests") or {}).get("storage"))


def _size(spec: dict[str, Any]) -> list[dict[str, str]]:
    part = "pvc" if spec.get("pvc") else "storage"
    if bool(spec.get("pvc")) and bool(spec.get("storage")):
        return [
            cause("Invalid", "spec.pvc", "Duplicate storage definition, both target storage and target pvc defined")
        ]
    if not spec.get("pvc") and not spec.get("storage"):
        return [cause("Required", "spec.pvc", "Missing Data volume PVC")]
    size = _wanted(spec)
    causes = []
    if size <= 0:
        text = "PVC size is missing" if part == "pvc" else "PVC size can't be equal or less than zero"
        causes.append(cause("Invalid", f"spec.{part}.resources.requests.storage", text))
    elif "http" in (spec.get("source") or {}) and size < SMALLEST_IMPORT:
        causes.append(
            cause("Invalid", f"spec.{part}.resources.requests.storage", "PVC size can't be less than 1Mi for import")
        )
    if len(spec[part].get("accessModes") or ()) > 1:
        causes.append(cause("Invalid", f"spec.{part}.accessModes", "PVC multiple accessModes"))
    if part == "pvc" and not spec["pvc"].get("accessModes"):
        causes.append(cause("Required", "spec.pvc.accessModes", "Required value: at least 1 access mode is required"))
    return causes

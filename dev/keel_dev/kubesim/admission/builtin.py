"""Rules of the built-in types: defaults and refusals of claims, secrets, pods, nodes, namespaces, quotas."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

from .. import errors, quantity
from ..errors import cause, invalid, invalid_field
from ..kinds import NAMESPACE, NODE, POD, PV, PVC, QUOTA, SECRET, STORAGE_CLASS
from ..store import Store
from . import Admission, Review

DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
IN_USE = "kubernetes.io/pvc-protection"
ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
PROTECTED = ("default", "kube-system", "kube-public", "kube-node-lease")


def register(admission: Admission, store: Store) -> None:
    claims = _Claims(store)
    admission.mutating(PVC, claims.complete)
    admission.validating(PVC, claims.check)
    admission.mutating(SECRET, _complete_secret)
    admission.validating(SECRET, _check_secret)
    admission.mutating(NAMESPACE, _complete_namespace)
    admission.validating(NAMESPACE, _check_namespace)
    admission.mutating(POD, _complete_pod)
    admission.validating(POD, _check_pod)
    admission.mutating(STORAGE_CLASS, _complete_class)
    admission.validating(STORAGE_CLASS, _check_class)
    admission.mutating(NODE, _complete_node)
    admission.mutating(PV, _complete_volume)


class _Claims:
    def __init__(self, store: Store):
        self._store = store

    def complete(self, review: Review) -> None:
        claim = review.obj
        spec = claim.setdefault("spec", {})
        if not isinstance(spec, dict):
            raise errors.bad_request(_cannot(review, "spec", "of type v1.PersistentVolumeClaimSpec"))
        spec.setdefault("volumeMode", "Filesystem")
        _mirror_source(spec)
        if review.operation != "CREATE":
            return
        claim["status"] = {"phase": "Pending"}
        finalizers = claim["metadata"].setdefault("finalizers", [])
        if IN_USE not in finalizers:
            finalizers.append(IN_USE)
        if spec.get("storageClassName") is None:
            default = self._default_class()
            if default:
                spec["storageClassName"] = default

    def _default_class(self) -> str | None:
        marked = [
            c
            for c in self._store.list(STORAGE_CLASS)
            if (c["metadata"].get("annotations") or {}).get(DEFAULT_CLASS) == "true"
        ]
        newest = max(marked, key=lambda c: c["metadata"]["creationTimestamp"], default=None)
        return newest["metadata"]["name"] if newest else None

    def check(self, review: Review) -> None:
        if review.operation == "DELETE" or review.subresource:
            return
        _check_claim_spec(review)
        if review.operation == "CREATE":
            self._check_quota(review)
        elif review.old is not None:
            self._check_change(review, review.old)

    def _check_quota(self, review: Review) -> None:
        wanted = quantity.size(review.obj["spec"]["resources"]["requests"]["storage"])
        claims = self._store.list(PVC, review.namespace)
        for quota in self._store.list(QUOTA, review.namespace):
            hard = quota.get("spec", {}).get("hard") or {}
            used = {
                "requests.storage": sum(quantity.size(c["spec"]["resources"]["requests"]["storage"]) for c in claims),
                "persistentvolumeclaims": len(claims),
            }
            asked = {"requests.storage": wanted, "persistentvolumeclaims": 1}
            over = [name for name in used if name in hard and used[name] + asked[name] > quantity.parse(hard[name])]
            if over:
                shown: dict[str, Callable[[int], str]] = {
                    "requests.storage": quantity.binary,
                    "persistentvolumeclaims": str,
                }
                parts = [",".join(f"{name}={shown[name](table[name])}" for name in over) for table in (asked, used)]
                limited = ",".join(f"{name}={hard[name]}" for name in over)
                name = quota["metadata"]["name"]
                why = f"exceeded quota: {name}, requested: {parts[0]}, used: {parts[1]}, limited: {limited}"
                raise errors.forbidden(review.kind, review.name, why)

    def _check_change(self, review: Review, old: dict[str, Any]) -> None:
        """What may change on a claim: the request upward while bound, the attributes class, and a first volumeName."""
        new_spec, old_spec = review.obj["spec"], old["spec"]
        bound = old.get("status", {}).get("phase") == "Bound"
        changed = {k for k in {*new_spec, *old_spec} if new_spec.get(k) != old_spec.get(k)}
        allowed = {"resources", "volumeAttributesClassName"} if bound else set()
        if not old_spec.get("volumeName"):
            allowed.add("volumeName")
        if changed - allowed:
            text = (
                "Forbidden: spec is immutable after creation except resources.requests and "
                "volumeAttributesClassName for bound claims"
            )
            raise invalid_field(review.kind, review.name, "spec", text, "Forbidden")
        if "resources" not in changed:
            return
        asked, before = _request(new_spec), _request(old_spec)
        have = quantity.size(old.get("status", {}).get("capacity", {}).get("storage"))
        if asked < before and asked <= have or asked < have:
            text = "Forbidden: field can not be less than status.capacity"
            raise invalid_field(review.kind, review.name, "spec.resources.requests.storage", text, "Forbidden")
        found = self._store.get(STORAGE_CLASS, "", old_spec.get("storageClassName") or "")
        if asked > before and not (found and found.get("allowVolumeExpansion")):
            why = (
                "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must "
                "support resize"
            )
            raise errors.forbidden(review.kind, review.name, why)


def _request(spec: dict[str, Any]) -> int:
    return quantity.size(spec["resources"]["requests"]["storage"])


def _mirror_source(spec: dict[str, Any]) -> None:
    """dataSource and dataSourceRef come back both filled where the older field can say it."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source and not reference:
        spec["dataSourceRef"] = dict(source)
    elif reference and not source and "namespace" not in reference:
        spec["dataSource"] = {key: reference[key] for key in ("apiGroup", "kind", "name") if key in reference}


def _check_claim_spec(review: Review) -> None:
    spec = review.obj["spec"]
    causes = []
    modes = spec.get("accessModes")
    if not modes:
        causes.append(cause("Required", "spec.accessModes", "Required value: at least 1 access mode is required"))
    for mode in modes or ():
        if mode not in ACCESS_MODES:
            listed = ", ".join(f'"{item}"' for item in ACCESS_MODES)
            causes.append(
                cause("NotSupported", "spec.accessModes", f'Unsupported value: "{mode}": supported values: {listed}')
            )
    asked = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if asked is None:
        causes.append(cause("Required", "spec.resources[storage]", "Required value"))
    else:
        try:
            if quantity.parse(asked) <= 0:
                text = f'Invalid value: "{asked}": must be greater than zero'
                causes.append(cause("Invalid", "spec.resources[storage]", text))
        except ValueError as error:
            raise errors.bad_request(_cannot(review, "spec.resources.requests", str(error))) from error
    if spec["volumeMode"] not in ("Block", "Filesystem"):
        text = f'Unsupported value: "{spec["volumeMode"]}": supported values: "Block", "Filesystem"'
        causes.append(cause("NotSupported", "spec.volumeMode", text))
    if causes:
        raise invalid(review.kind, review.name, causes)


def _cannot(review: Review, where: str, why: str) -> str:
    kind = review.kind
    return f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {where}: {why}'


def _complete_secret(review: Review) -> None:
    secret = review.obj
    secret.setdefault("type", "Opaque")
    plain = secret.pop("stringData", None) or {}
    if plain:
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
        secret["data"] = {**(secret.get("data") or {}), **encoded}


def _check_secret(review: Review) -> None:
    if review.operation == "DELETE":
        return
    total = 0
    for key, value in (review.obj.get("data") or {}).items():
        try:
            total += len(base64.b64decode(value, validate=True))
        except (binascii.Error, TypeError, ValueError) as error:
            raise errors.bad_request(_cannot(review, f"data.{key}", f"illegal base64 data: {error}")) from error
    if total > 1 << 20:
        raise invalid_field(review.kind, review.name, "data", "Too long: may not be more than 1048576 bytes", "TooLong")
    old = review.old
    if old and old.get("type") != review.obj.get("type"):
        text = f'Invalid value: "{review.obj.get("type")}": field is immutable'
        raise invalid_field(review.kind, review.name, "type", text)
    if old and old.get("immutable") and (old.get("data") != review.obj.get("data") or not review.obj.get("immutable")):
        raise invalid_field(
            review.kind, review.name, "data", "Forbidden: field is immutable when `immutable` is set", "Forbidden"
        )


def _complete_namespace(review: Review) -> None:
    review.obj.setdefault("spec", {"finalizers": ["kubernetes"]})
    if review.operation == "CREATE":
        review.obj["status"] = {"phase": "Active"}
        labels = review.obj["metadata"].setdefault("labels", {})
        labels["kubernetes.io/metadata.name"] = review.name


def _check_namespace(review: Review) -> None:
    if review.operation == "DELETE" and review.name in PROTECTED:
        raise errors.forbidden(review.kind, review.name, "this namespace may not be deleted")


def _complete_pod(review: Review) -> None:
    spec = review.obj.setdefault("spec", {})
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    if review.operation == "CREATE":
        review.obj["status"] = {"phase": "Pending", "qosClass": "Burstable"}


def _check_pod(review: Review) -> None:
    spec = review.obj.get("spec", {})
    if review.operation == "CREATE":
        causes = [] if spec.get("containers") else [cause("Required", "spec.containers", "Required value")]
        for index, container in enumerate(spec.get("containers") or ()):
            for field in ("name", "image"):
                if not container.get(field):
                    causes.append(cause("Required", f"spec.containers[{index}].{field}", "Required value"))
        if causes:
            raise invalid(review.kind, review.name, causes)
    elif review.operation == "UPDATE" and review.old and not review.subresource and not review.writer.trusted:
        mutable = (
            "tolerations",
            "activeDeadlineSeconds",
            "terminationGracePeriodSeconds",
            "containers",
            "initContainers",
        )
        if {k: v for k, v in spec.items() if k not in mutable} != {
            k: v for k, v in review.old["spec"].items() if k not in mutable
        }:
            text = (
                "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
                "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
                "additions to existing "
                "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                "previously negative)"
            )
            raise invalid_field(review.kind, review.name, "spec", text, "Forbidden")


def _complete_class(review: Review) -> None:
    review.obj.setdefault("reclaimPolicy", "Delete")
    review.obj.setdefault("volumeBindingMode", "Immediate")


def _check_class(review: Review) -> None:
    if review.operation == "DELETE":
        return
    if not review.obj.get("provisioner"):
        raise invalid_field(review.kind, review.name, "provisioner", "Required value", "Required")
    fixed = ("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode")
    if review.old and any(review.obj.get(name) != review.old.get(name) for name in fixed):
        raise invalid_field(
            review.kind, review.name, "parameters", "Forbidden: updates to parameters are forbidden.", "Forbidden"
        )


def _complete_node(review: Review) -> None:
    review.obj.setdefault("spec", {})


def _complete_volume(review: Review) -> None:
    if review.operation == "CREATE":
        review.obj.setdefault("spec", {}).setdefault("persistentVolumeReclaimPolicy", "Retain")
        review.obj.setdefault("status", {"phase": "Pending"})

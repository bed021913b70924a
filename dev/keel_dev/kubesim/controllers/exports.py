"""VirtualMachineExports of claims: a server pod with the claim, a token, links, and an end.

Pending while the claim is not bound or another pod uses it; gone when the time is up (KubeVirt 1.9).
"""

from __future__ import annotations

import base64
import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from ..cluster import Cluster
from ..kinds import EXPORT, POD, PVC, SECRET
from ..store import Object
from .base import Base, Refs, own, owner, reference, set_condition
from .pods import FINAL, claims_of

DEFAULT_TTL = timedelta(hours=2)
FORMATS = (("raw", "disk.img"), ("gzip", "disk.img.gz"))
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


class Exports(Base):
    name, manager, key = "exports", "virt-controller", EXPORT

    def __init__(self, cluster: Cluster):
        super().__init__(cluster)
        self.watches = {EXPORT: own, POD: self._of_pod, PVC: self._of_claim, SECRET: self._all_of_namespace}

    def _of_pod(self, pod: Object) -> Refs:
        names = claims_of(pod)
        users = [ref for ref, found in self._exports(pod) if found["spec"]["source"]["name"] in names]
        return owner("VirtualMachineExport")(pod) + users

    def _of_claim(self, claim: Object) -> Refs:
        name = claim["metadata"]["name"]
        return [ref for ref, found in self._exports(claim) if found["spec"]["source"]["name"] == name]

    def _all_of_namespace(self, item: Object) -> Refs:
        return [ref for ref, _ in self._exports(item)]

    def _exports(self, item: Object) -> list[tuple[tuple[str, str], Object]]:
        found = self.cluster.list(EXPORT, item["metadata"]["namespace"])
        return [(own(export)[0], export) for export in found]

    def reconcile(self, namespace: str, name: str) -> None:
        export = self.get(EXPORT, namespace, name)
        if export is None or export["metadata"].get("deletionTimestamp"):
            return
        if "phase" not in export.get("status", {}):
            self._begin(export)
            return
        left = (_moment(export["status"]["ttlExpirationTime"]) - _moment(self.stamp())).total_seconds()
        if left <= 0:
            self.delete(EXPORT, export)
            return
        self.again(export, left + 0.01)
        self._follow(export)

    def _begin(self, export: Object) -> None:
        ends = _moment(export["metadata"]["creationTimestamp"]) + _duration(export["spec"].get("ttlDuration"))
        token = export["spec"].get("tokenSecretRef")
        if not token:
            token = f"export-token-{export['metadata']['name']}"
            if self.get(SECRET, export["metadata"]["namespace"], token) is None:
                data = {"token": base64.b64encode(secrets.token_hex(10).encode()).decode()}
                body = {"metadata": {"name": token, "ownerReferences": [reference(export)]}, "data": data}
                self.create(SECRET, export["metadata"]["namespace"], body)
        status = {
            "phase": "Pending",
            "serviceName": pod_name(export),
            "tokenSecretRef": token,
            "ttlExpirationTime": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        self.modify(EXPORT, export, lambda export: export.update(status=status))

    def _follow(self, export: Object) -> None:
        namespace, status = export["metadata"]["namespace"], export["status"]
        claim = self.get(PVC, namespace, export["spec"]["source"]["name"])
        pod = self.get(POD, namespace, pod_name(export))
        phase = pod.get("status", {}).get("phase") if pod else ""
        if claim is None:
            self._report(export, "Pending", "Initializing", "PVCNotFound", False)
        elif claim.get("status", {}).get("phase") != "Bound":
            self._report(export, "Pending", "Initializing", "PVCPending", False)
        elif pod is None and self._in_use(claim, export):
            text = f"pvc {namespace}/{claim['metadata']['name']} is in use"
            self._report(export, "Pending", "InUse", "PVCBound", True, text)
        elif pod is None and status["phase"] == "Pending":
            self.create(POD, namespace, _server_pod(export, claim))
            self.event(export, "Normal", "ExporterPodCreated", f"Created exporter pod {namespace}/{pod_name(export)}")
        elif phase in FINAL or pod is None:
            self._report(export, "Terminated", "PodCompleted", "PVCBound", True)
        elif phase == "Running" and self.get(SECRET, namespace, status["tokenSecretRef"]):
            self._report(export, "Ready", "PodReady", "PVCBound", True)
        else:
            self._report(export, "Pending", "PodPending", "PVCBound", True)

    def _in_use(self, claim: Object, export: Object) -> bool:
        name = claim["metadata"]["name"]
        pods = self.cluster.list(POD, claim["metadata"]["namespace"])
        return any(
            name in claims_of(pod)
            and pod["metadata"]["name"] != pod_name(export)
            and pod.get("status", {}).get("phase") not in FINAL
            for pod in pods
        )

    def _report(self, export: Object, phase: str, reason: str, claim: str, bound: bool, text: str = "") -> None:
        now = self.stamp()

        def change(export: Object) -> None:
            status = export["status"]
            status["phase"] = phase
            set_condition(export, "Ready", phase == "Ready", now, reason, text, probe=True)
            set_condition(export, "PVCReady", bound, now, claim, probe=True)
            if phase == "Ready":
                status["links"] = self._links(export)
            else:
                status.pop("links", None)

        self.modify(EXPORT, export, change)

    def _links(self, export: Object) -> dict[str, Any]:
        place, volume = export["metadata"], export["spec"]["source"]["name"]
        served = f"namespaces/{place['namespace']}/virtualmachineexports/{place['name']}/volumes"
        roots = {
            "external": f"{self.cluster.address}/api/export.kubevirt.io/v1/{served}",
            "internal": f"https://{pod_name(export)}.{place['namespace']}.svc/volumes",
        }
        return {
            side: {
                "cert": self.cluster.ca,
                "volumes": [
                    {
                        "name": volume,
                        "formats": [{"format": word, "url": f"{root}/{volume}/{file}"} for word, file in FORMATS],
                    }
                ],
            }
            for side, root in roots.items()
        }


def pod_name(export: Object) -> str:
    """Name of the server pod and of its service."""
    return f"virt-export-{export['metadata']['name']}"


def _server_pod(export: Object, claim: Object) -> Object:
    name = claim["metadata"]["name"]
    volume = {"name": name, "persistentVolumeClaim": {"claimName": name}}
    container = {"name": "exporter", "image": "quay.io/kubevirt/virt-exportserver:v1.9.0", "resources": {}}
    metadata = {
        "name": pod_name(export),
        "labels": {"kubevirt.io.virt-export-service": export["metadata"]["name"]},
        "ownerReferences": [reference(export)],
    }
    return {"metadata": metadata, "spec": {"containers": [container], "volumes": [volume]}}


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def _duration(text: str | None) -> timedelta:
    """A Go duration such as 1h30m."""
    if not text:
        return DEFAULT_TTL
    return timedelta(seconds=sum(float(n) * _UNITS[unit] for n, unit in re.findall(r"([\d.]+)(ms|h|m|s)", text)))

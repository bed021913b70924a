"""Subresources of pods: log and eviction."""

from __future__ import annotations

from .. import errors
from ..api import Target
from ..cluster import Cluster
from ..controllers.pods import DOMAIN
from ..kinds import POD, VMI
from ..server import Answer, Request
from ..writer import Removal, Writer

INTERCEPTOR = "virt-launcher-eviction-interceptor.kubevirt.io"
MIGRATING = ("LiveMigrate", "LiveMigrateIfPossible", "External")


class PodCalls:
    def __init__(self, cluster: Cluster):
        self._cluster = cluster

    def register(self) -> None:
        self._cluster.api.subresources[POD, "log"] = self.log
        self._cluster.api.subresources[POD, "eviction"] = self.evict

    def log(self, request: Request, target: Target) -> Answer:
        """The guest's serial console, as far as a simulated guest writes one; 400 for a wrong container."""
        if request.method != "GET":
            raise errors.method_not_allowed()
        pod = self._cluster.writes.read(target.kind, target.namespace, target.name)
        names = [container["name"] for container in pod["spec"]["containers"]]
        container = request.query.get("container") or names[0]
        if container not in names:
            raise errors.bad_request(f"container {container} is not valid for pod {target.name}")
        if pod["status"]["phase"] == "Pending":
            text = f'container "{container}" in pod "{target.name}" is waiting to start: ContainerCreating'
            raise errors.bad_request(text)
        lines = self._cluster.store.recall(f"console:{pod['metadata']['uid']}") or []
        if container == "guest-console-log" and not lines:
            lines = self._console(
                pod["metadata"]["namespace"], (pod["metadata"].get("annotations") or {}).get(DOMAIN, "")
            )
        tail = request.query.get("tailLines")
        if tail is not None:
            lines = lines[-int(tail) :] if int(tail) else []
        return Answer("".join(f"{line}\n" for line in lines))

    def _console(self, namespace: str, domain: str) -> list[str]:
        vmi = self._cluster.get(VMI, namespace, domain)
        phases = [row["phase"] for row in (vmi or {}).get("status", {}).get("phaseTransitionTimestamps") or ()]
        if "Running" not in phases:
            return []
        return ["Simulated Linux booting", f"{domain} login: "]

    def evict(self, request: Request, target: Target) -> Answer:
        """POST eviction: 429 for a launcher whose instance wants to be moved instead, else the pod is deleted."""
        if request.method != "POST":
            raise errors.method_not_allowed()
        pod = self._cluster.writes.read(target.kind, target.namespace, target.name)
        domain = (pod["metadata"].get("annotations") or {}).get(DOMAIN, "")
        vmi = self._cluster.get(VMI, target.namespace, domain) if domain else None
        if vmi is not None and vmi["spec"].get("evictionStrategy") in MIGRATING:
            node = pod["spec"].get("nodeName", "")
            self._cluster.writes.modify(
                VMI, target.namespace, domain, lambda vmi: vmi["status"].update(evacuationNodeName=node), "virt-api"
            )
            text = f'Eviction triggered evacuation of VMI "{target.namespace}/{domain}"'
            raise errors.denied_plain(INTERCEPTOR, text, 429)
        self._cluster.writes.delete(target.kind, target.namespace, target.name, Removal(), Writer("kubectl"))
        return Answer(errors.success({}), 201)

"""What a new cluster holds before anybody uses it."""

from __future__ import annotations

from typing import Any

from .cluster import Cluster
from .controllers.nodes import node_body
from .controllers.volumes import DRIVER
from .kinds import CDI_CONFIG, CRD, GROUP_SNAPSHOT_CLASS, KUBEVIRT, NAMESPACE, NODE, SNAPSHOT_CLASS, STORAGE_CLASS
from .store import Object
from .writer import Writer

# name, binding mode, expandable, default
CLASSES = (
    ("standard", "Immediate", True, True),
    ("late", "WaitForFirstConsumer", True, False),
    ("fixed", "Immediate", False, False),
)


def plant(cluster: Cluster, nodes: int, namespace: str) -> None:
    """Namespaces, nodes, storage classes, a snapshot class, CRDs, and the KubeVirt installation."""

    def create(key: str, where: str, body: Object) -> Object:
        writer = Writer("kubesim", "system:masters", True)
        return cluster.writes.create(cluster.catalogue.get(key), where, body, writer, status=True)

    for name in dict.fromkeys(
        ("default", "kube-system", "kube-public", "kube-node-lease", "kubevirt", "cdi", namespace)
    ):
        create(NAMESPACE, "", {"metadata": {"name": name}})
    now = cluster.clock.stamp()
    for number in range(1, nodes + 1):
        create(NODE, "", node_body(f"node-{number}", number, "32", "64Gi", "110", now))
    for name, mode, expandable, default in CLASSES:
        create(STORAGE_CLASS, "", _storage_class(name, mode, expandable, default))
    create(SNAPSHOT_CLASS, "", _snapshot_class("snapshot"))
    create(GROUP_SNAPSHOT_CLASS, "", _snapshot_class("groupsnapshot"))
    for definition in cluster.catalogue.definitions:
        create(CRD, "", _definition(definition, now))
    create(KUBEVIRT, "kubevirt", _kubevirt(now))


def configure_cdi(cluster: Cluster) -> None:
    """CDI tells where its upload proxy is; the port may be another one after a restart."""
    writer = Writer("cdi-controller", "system:masters", True)
    status = {
        "uploadProxyURL": cluster.address.partition("://")[2],
        "uploadProxyCA": cluster.ca,
        "filesystemOverhead": {"global": "0.06"},
    }
    if cluster.get(CDI_CONFIG, "", "config") is None:
        body = {"metadata": {"name": "config"}, "spec": {}, "status": status}
        cluster.writes.create(cluster.catalogue.get(CDI_CONFIG), "", body, writer, status=True)
    else:
        cluster.writes.modify(CDI_CONFIG, "", "config", lambda found: found.update(status=status), writer.manager)


def _storage_class(name: str, mode: str, expandable: bool, default: bool) -> Object:
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"} if default else {}
    return {
        "metadata": {"name": name, "annotations": annotations},
        "provisioner": DRIVER,
        "parameters": {"pool": name},
        "reclaimPolicy": "Delete",
        "volumeBindingMode": mode,
        "allowVolumeExpansion": expandable,
    }


def _snapshot_class(group: str) -> Object:
    annotation = {f"{group}.storage.kubernetes.io/is-default-class": "true"}
    return {"metadata": {"name": "standard", "annotations": annotation}, "driver": DRIVER, "deletionPolicy": "Delete"}


def _definition(definition: dict[str, Any], now: str) -> Object:
    names = definition["names"]
    versions = [
        {**version, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
        for version in definition["versions"]
    ]
    established = [
        {"type": kind, "status": "True", "lastTransitionTime": now, "reason": reason, "message": ""}
        for kind, reason in (("NamesAccepted", "NoConflicts"), ("Established", "InitialNamesAccepted"))
    ]
    return {
        "metadata": {"name": f"{names['plural']}.{definition['group']}"},
        "spec": {**definition, "versions": versions, "conversion": {"strategy": "None"}},
        "status": {
            "acceptedNames": names,
            "conditions": established,
            "storedVersions": [definition["versions"][0]["name"]],
        },
    }


def _kubevirt(now: str) -> Object:
    conditions = [
        {
            "type": kind,
            "status": status,
            "lastTransitionTime": now,
            "lastProbeTime": now,
            "reason": reason,
            "message": text,
        }
        for kind, status, reason, text in (
            ("Available", "True", "AllComponentsReady", "All components are ready."),
            ("Progressing", "False", "AllComponentsReady", "All components are ready."),
            ("Degraded", "False", "AllComponentsReady", "All components are ready."),
            ("Created", "True", "AllResourcesCreated", "All resources were created."),
        )
    ]
    return {
        "metadata": {"name": "kubevirt"},
        "spec": {"workloadUpdateStrategy": {"workloadUpdateMethods": ["LiveMigrate"]}, "configuration": {}},
        "status": {
            "phase": "Deployed",
            "conditions": conditions,
            "observedKubeVirtVersion": "v1.9.0",
            "targetKubeVirtVersion": "v1.9.0",
            "operatorVersion": "v1.9.0",
            "defaultArchitecture": "amd64",
        },
    }

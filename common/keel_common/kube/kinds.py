"""The Kubernetes kinds this project touches, and the URL path of each.

One row a kind: group, version, plural, whether it lives in a namespace. A path is computed from the row, so a new kind
is a new row and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True)
class Kind:
    """One resource type of the API server. `subresources_group` is where KubeVirt serves start, stop, addvolume and so
    on.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    subresources_group: str | None = None

    @property
    def api_version(self) -> str:
        """The `apiVersion` of an object of this kind."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str | None = None, name: str | None = None, subresource: str | None = None) -> str:
        """URL path of the collection, of one object, or of a subresource of one object."""
        group = self.subresources_group if subresource and self.subresources_group else self.group
        version = "v1" if group != self.group else self.version
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        if self.namespaced and namespace:
            path += f"/namespaces/{quote(namespace, safe='')}"
        path += f"/{self.plural}"
        if name:
            if self.namespaced and not namespace:
                raise ValueError(f"{self.kind} {name!r} needs a namespace")
            path += f"/{quote(name, safe='')}"
        if subresource:
            path += f"/{subresource}"
        return path

    def body(self, name: str, namespace: str | None = None, **sections: object) -> dict:
        """The frame of an object: apiVersion, kind, metadata and the given sections (spec, data, ...)."""
        metadata: dict = {"name": name}
        if self.namespaced and namespace:
            metadata["namespace"] = namespace
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, **sections}


_KUBEVIRT = "subresources.kubevirt.io"

VM = Kind("kubevirt.io", "v1", "VirtualMachine", "virtualmachines", subresources_group=_KUBEVIRT)
VMI = Kind("kubevirt.io", "v1", "VirtualMachineInstance", "virtualmachineinstances", subresources_group=_KUBEVIRT)
VMIM = Kind("kubevirt.io", "v1", "VirtualMachineInstanceMigration", "virtualmachineinstancemigrations")
KUBEVIRT = Kind("kubevirt.io", "v1", "KubeVirt", "kubevirts")
EXPORT = Kind("export.kubevirt.io", "v1", "VirtualMachineExport", "virtualmachineexports")
DATAVOLUME = Kind("cdi.kubevirt.io", "v1beta1", "DataVolume", "datavolumes")
UPLOAD_TOKEN = Kind("upload.cdi.kubevirt.io", "v1beta1", "UploadTokenRequest", "uploadtokenrequests")
CDI_CONFIG = Kind("cdi.kubevirt.io", "v1beta1", "CDIConfig", "cdiconfigs", namespaced=False)
PVC = Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims")
PV = Kind("", "v1", "PersistentVolume", "persistentvolumes", namespaced=False)
SECRET = Kind("", "v1", "Secret", "secrets")
NODE = Kind("", "v1", "Node", "nodes", namespaced=False)
NAMESPACE = Kind("", "v1", "Namespace", "namespaces", namespaced=False)
POD = Kind("", "v1", "Pod", "pods")
EVENT = Kind("", "v1", "Event", "events")
STORAGECLASS = Kind("storage.k8s.io", "v1", "StorageClass", "storageclasses", namespaced=False)
CAPACITY = Kind("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities")
SNAPSHOT = Kind("snapshot.storage.k8s.io", "v1", "VolumeSnapshot", "volumesnapshots")
SNAPSHOTCONTENT = Kind(
    "snapshot.storage.k8s.io", "v1", "VolumeSnapshotContent", "volumesnapshotcontents", namespaced=False
)
SNAPSHOTCLASS = Kind("snapshot.storage.k8s.io", "v1", "VolumeSnapshotClass", "volumesnapshotclasses", namespaced=False)
GROUP_SNAPSHOT = Kind("groupsnapshot.storage.k8s.io", "v1beta2", "VolumeGroupSnapshot", "volumegroupsnapshots")
GROUP_SNAPSHOT_CLASS = Kind(
    "groupsnapshot.storage.k8s.io",
    "v1beta2",
    "VolumeGroupSnapshotClass",
    "volumegroupsnapshotclasses",
    namespaced=False,
)
NAD = Kind("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition", "network-attachment-definitions")
LEASE = Kind("coordination.k8s.io", "v1", "Lease", "leases")

ALL = tuple(value for value in dict(globals()).values() if isinstance(value, Kind))

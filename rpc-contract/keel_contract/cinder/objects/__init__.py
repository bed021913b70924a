"""The versioned objects of Cinder, by noun."""

from keel_contract.cinder.objects.backup import Backup, BackupDeviceInfo, BackupImport, BackupList
from keel_contract.cinder.objects.base import REGISTRY, CinderObject
from keel_contract.cinder.objects.cgsnapshot import CGSnapshot, CGSnapshotList
from keel_contract.cinder.objects.cleanup_request import CleanupRequest
from keel_contract.cinder.objects.cluster import Cluster, ClusterList
from keel_contract.cinder.objects.consistencygroup import ConsistencyGroup, ConsistencyGroupList
from keel_contract.cinder.objects.dynamic_log import LogLevel, LogLevelList
from keel_contract.cinder.objects.group import Group, GroupList
from keel_contract.cinder.objects.group_snapshot import GroupSnapshot, GroupSnapshotList
from keel_contract.cinder.objects.group_type import GroupType, GroupTypeList
from keel_contract.cinder.objects.manageableresources import (
    ManageableSnapshot,
    ManageableSnapshotList,
    ManageableVolume,
    ManageableVolumeList,
)
from keel_contract.cinder.objects.qos_specs import QualityOfServiceSpecs, QualityOfServiceSpecsList
from keel_contract.cinder.objects.request_spec import RequestSpec, VolumeProperties
from keel_contract.cinder.objects.service import Service, ServiceList
from keel_contract.cinder.objects.snapshot import Snapshot, SnapshotList
from keel_contract.cinder.objects.volume import Volume, VolumeList
from keel_contract.cinder.objects.volume_attachment import VolumeAttachment, VolumeAttachmentList
from keel_contract.cinder.objects.volume_type import VolumeType, VolumeTypeList

__all__ = [
    "Backup",
    "BackupDeviceInfo",
    "BackupImport",
    "BackupList",
    "CGSnapshot",
    "CGSnapshotList",
    "CinderObject",
    "CleanupRequest",
    "Cluster",
    "ClusterList",
    "ConsistencyGroup",
    "ConsistencyGroupList",
    "Group",
    "GroupList",
    "GroupSnapshot",
    "GroupSnapshotList",
    "GroupType",
    "GroupTypeList",
    "LogLevel",
    "LogLevelList",
    "ManageableSnapshot",
    "ManageableSnapshotList",
    "ManageableVolume",
    "ManageableVolumeList",
    "QualityOfServiceSpecs",
    "QualityOfServiceSpecsList",
    "REGISTRY",
    "RequestSpec",
    "Service",
    "ServiceList",
    "Snapshot",
    "SnapshotList",
    "Volume",
    "VolumeAttachment",
    "VolumeAttachmentList",
    "VolumeList",
    "VolumeProperties",
    "VolumeType",
    "VolumeTypeList",
]

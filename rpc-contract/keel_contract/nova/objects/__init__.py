"""The versioned objects of Nova, by noun."""

from keel_contract.nova.objects.aggregate import Aggregate, AggregateList
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.nova.objects.block_device import BlockDeviceMapping, BlockDeviceMappingList
from keel_contract.nova.objects.build_request import BuildRequest, BuildRequestList
from keel_contract.nova.objects.cell_mapping import CellMapping, CellMappingList
from keel_contract.nova.objects.compute_node import ComputeNode, ComputeNodeList
from keel_contract.nova.objects.console_auth_token import ConsoleAuthToken
from keel_contract.nova.objects.diagnostics import (
    CpuDiagnostics,
    Diagnostics,
    DiskDiagnostics,
    MemoryDiagnostics,
    NicDiagnostics,
)
from keel_contract.nova.objects.ec2 import EC2Ids, EC2InstanceMapping, S3ImageMapping
from keel_contract.nova.objects.external_event import InstanceExternalEvent
from keel_contract.nova.objects.flavor import Flavor, FlavorList
from keel_contract.nova.objects.host_mapping import HostMapping, HostMappingList
from keel_contract.nova.objects.hv_spec import HVSpec
from keel_contract.nova.objects.image_meta import ImageMeta, ImageMetaProps
from keel_contract.nova.objects.instance import Instance, InstanceList
from keel_contract.nova.objects.instance_action import (
    InstanceAction,
    InstanceActionEvent,
    InstanceActionEventList,
    InstanceActionList,
)
from keel_contract.nova.objects.instance_fault import InstanceFault, InstanceFaultList
from keel_contract.nova.objects.instance_group import InstanceGroup, InstanceGroupList
from keel_contract.nova.objects.instance_info_cache import InstanceInfoCache
from keel_contract.nova.objects.instance_mapping import InstanceMapping, InstanceMappingList
from keel_contract.nova.objects.instance_numa import InstanceNUMACell, InstanceNUMATopology
from keel_contract.nova.objects.instance_pci_requests import InstancePCIRequest, InstancePCIRequests
from keel_contract.nova.objects.keypair import KeyPair, KeyPairList
from keel_contract.nova.objects.migrate_data import (
    HyperVLiveMigrateData,
    LibvirtLiveMigrateBDMInfo,
    LibvirtLiveMigrateData,
    LibvirtLiveMigrateNUMAInfo,
    VIFMigrateData,
    VMwareLiveMigrateData,
)
from keel_contract.nova.objects.migration import Migration, MigrationList
from keel_contract.nova.objects.migration_context import MigrationContext
from keel_contract.nova.objects.monitor_metric import MonitorMetric, MonitorMetricList
from keel_contract.nova.objects.network_metadata import NetworkMetadata
from keel_contract.nova.objects.network_request import NetworkRequest, NetworkRequestList
from keel_contract.nova.objects.numa import NUMACell, NUMAPagesTopology, NUMATopology, NUMATopologyLimits
from keel_contract.nova.objects.pci_device import PciDevice, PciDeviceList
from keel_contract.nova.objects.pci_device_pool import PciDevicePool, PciDevicePoolList
from keel_contract.nova.objects.quotas import Quotas, QuotasNoOp
from keel_contract.nova.objects.request_spec import (
    Destination,
    RequestGroup,
    RequestLevelParams,
    RequestSpec,
    SchedulerLimits,
    SchedulerRetries,
)
from keel_contract.nova.objects.resource import LibvirtVPMEMDevice, Resource, ResourceList, ResourceMetadata
from keel_contract.nova.objects.security_group import SecurityGroup, SecurityGroupList
from keel_contract.nova.objects.selection import Selection
from keel_contract.nova.objects.service import Service, ServiceList
from keel_contract.nova.objects.share_mapping import ShareMapping, ShareMappingList
from keel_contract.nova.objects.tag import Tag, TagList
from keel_contract.nova.objects.task_log import TaskLog, TaskLogList
from keel_contract.nova.objects.trusted_certs import TrustedCerts
from keel_contract.nova.objects.vcpu_model import VirtCPUFeature, VirtCPUModel
from keel_contract.nova.objects.virt_cpu_topology import VirtCPUTopology
from keel_contract.nova.objects.virt_device_metadata import (
    DeviceBus,
    DeviceMetadata,
    DiskMetadata,
    IDEDeviceBus,
    InstanceDeviceMetadata,
    NetworkInterfaceMetadata,
    PCIDeviceBus,
    SCSIDeviceBus,
    ShareMetadata,
    USBDeviceBus,
    XenDeviceBus,
)
from keel_contract.nova.objects.virtual_interface import VirtualInterface, VirtualInterfaceList
from keel_contract.nova.objects.volume_usage import VolumeUsage

__all__ = [
    "Aggregate",
    "AggregateList",
    "BlockDeviceMapping",
    "BlockDeviceMappingList",
    "BuildRequest",
    "BuildRequestList",
    "CellMapping",
    "CellMappingList",
    "ComputeNode",
    "ComputeNodeList",
    "ConsoleAuthToken",
    "CpuDiagnostics",
    "Destination",
    "DeviceBus",
    "DeviceMetadata",
    "Diagnostics",
    "DiskDiagnostics",
    "DiskMetadata",
    "EC2Ids",
    "EC2InstanceMapping",
    "Flavor",
    "FlavorList",
    "HVSpec",
    "HostMapping",
    "HostMappingList",
    "HyperVLiveMigrateData",
    "IDEDeviceBus",
    "ImageMeta",
    "ImageMetaProps",
    "Instance",
    "InstanceAction",
    "InstanceActionEvent",
    "InstanceActionEventList",
    "InstanceActionList",
    "InstanceDeviceMetadata",
    "InstanceExternalEvent",
    "InstanceFault",
    "InstanceFaultList",
    "InstanceGroup",
    "InstanceGroupList",
    "InstanceInfoCache",
    "InstanceList",
    "InstanceMapping",
    "InstanceMappingList",
    "InstanceNUMACell",
    "InstanceNUMATopology",
    "InstancePCIRequest",
    "InstancePCIRequests",
    "KeyPair",
    "KeyPairList",
    "LibvirtLiveMigrateBDMInfo",
    "LibvirtLiveMigrateData",
    "LibvirtLiveMigrateNUMAInfo",
    "LibvirtVPMEMDevice",
    "MemoryDiagnostics",
    "Migration",
    "MigrationContext",
    "MigrationList",
    "MonitorMetric",
    "MonitorMetricList",
    "NUMACell",
    "NUMAPagesTopology",
    "NUMATopology",
    "NUMATopologyLimits",
    "NetworkInterfaceMetadata",
    "NetworkMetadata",
    "NetworkRequest",
    "NetworkRequestList",
    "NicDiagnostics",
    "NovaObject",
    "PCIDeviceBus",
    "PciDevice",
    "PciDeviceList",
    "PciDevicePool",
    "PciDevicePoolList",
    "Quotas",
    "QuotasNoOp",
    "REGISTRY",
    "RequestGroup",
    "RequestLevelParams",
    "RequestSpec",
    "Resource",
    "ResourceList",
    "ResourceMetadata",
    "S3ImageMapping",
    "SCSIDeviceBus",
    "SchedulerLimits",
    "SchedulerRetries",
    "SecurityGroup",
    "SecurityGroupList",
    "Selection",
    "Service",
    "ServiceList",
    "ShareMapping",
    "ShareMappingList",
    "ShareMetadata",
    "Tag",
    "TagList",
    "TaskLog",
    "TaskLogList",
    "TrustedCerts",
    "USBDeviceBus",
    "VIFMigrateData",
    "VMwareLiveMigrateData",
    "VirtCPUFeature",
    "VirtCPUModel",
    "VirtCPUTopology",
    "VirtualInterface",
    "VirtualInterfaceList",
    "VolumeUsage",
    "XenDeviceBus",
]

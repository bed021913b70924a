"""CpuDiagnostics, DiskDiagnostics, MemoryDiagnostics, NicDiagnostics and Diagnostics (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import WithDefaults


@REGISTRY.register
class CpuDiagnostics(NovaObject):
    """Diagnostics of one virtual CPU."""

    VERSION = "1.0"
    fields = {
        "id": f.IntegerField(nullable=True),
        "time": f.IntegerField(nullable=True),
        "utilisation": f.IntegerField(nullable=True),
    }


@REGISTRY.register
class DiskDiagnostics(NovaObject):
    """Diagnostics of one disk."""

    VERSION = "1.0"
    fields = {
        "errors_count": f.IntegerField(nullable=True),
        "read_bytes": f.IntegerField(nullable=True),
        "read_requests": f.IntegerField(nullable=True),
        "write_bytes": f.IntegerField(nullable=True),
        "write_requests": f.IntegerField(nullable=True),
    }


@REGISTRY.register
class MemoryDiagnostics(NovaObject):
    """Diagnostics of the memory, in MiB."""

    VERSION = "1.0"
    fields = {
        "maximum": f.IntegerField(nullable=True),
        "used": f.IntegerField(nullable=True),
    }


@REGISTRY.register
class NicDiagnostics(NovaObject):
    """Diagnostics of one network interface."""

    VERSION = "1.0"
    fields = {
        "mac_address": f.MACAddressField(nullable=True),
        "rx_drop": f.IntegerField(nullable=True),
        "rx_errors": f.IntegerField(nullable=True),
        "rx_octets": f.IntegerField(nullable=True),
        "rx_packets": f.IntegerField(nullable=True),
        "rx_rate": f.IntegerField(nullable=True),
        "tx_drop": f.IntegerField(nullable=True),
        "tx_errors": f.IntegerField(nullable=True),
        "tx_octets": f.IntegerField(nullable=True),
        "tx_packets": f.IntegerField(nullable=True),
        "tx_rate": f.IntegerField(nullable=True),
    }


@REGISTRY.register
class Diagnostics(WithDefaults, NovaObject):
    """What a hypervisor tells about a running server."""

    VERSION = "1.0"
    fields = {
        "config_drive": f.BooleanField(),
        "cpu_details": f.ListOfObjectsField("CpuDiagnostics", default=[]),
        "disk_details": f.ListOfObjectsField("DiskDiagnostics", default=[]),
        "driver": enums.HypervisorDriverField(),
        "hypervisor": f.StringField(nullable=True),
        "hypervisor_os": f.StringField(nullable=True),
        "memory_details": f.ObjectField("MemoryDiagnostics", default=MemoryDiagnostics()),
        "nic_details": f.ListOfObjectsField("NicDiagnostics", default=[]),
        "num_cpus": f.IntegerField(),
        "num_disks": f.IntegerField(),
        "num_nics": f.IntegerField(),
        "state": enums.InstancePowerStateField(),
        "uptime": f.IntegerField(nullable=True),
    }

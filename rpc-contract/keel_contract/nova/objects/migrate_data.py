"""What the two hosts of a live migration tell each other, by hypervisor."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract import fields as own
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import since, values


@REGISTRY.register
class HyperVLiveMigrateData(NovaObject):
    """What two Hyper-V hosts tell each other about a live migration."""

    VERSION = "1.5"
    fields = {
        "is_shared_instance_path": since("1.1", f.BooleanField()),
        "is_volume_backed": f.BooleanField(),
        "migration": f.ObjectField("Migration"),
        "old_vol_attachment_ids": since("1.2", f.DictOfStringsField()),
        "pci_dev_map_src_dst": since("1.5", f.DictOfStringsField()),
        "vifs": since("1.4", f.ListOfObjectsField("VIFMigrateData")),
        "wait_for_vif_plugged": since("1.3", f.BooleanField()),
    }


@REGISTRY.register
class LibvirtLiveMigrateBDMInfo(NovaObject):
    """A disk in a libvirt live migration."""

    VERSION = "1.1"
    fields = {
        "boot_index": f.IntegerField(nullable=True),
        "bus": f.StringField(),
        "connection_info_json": f.StringField(),
        "dev": f.StringField(),
        "encryption_secret_uuid": since("1.1", f.UUIDField(nullable=True)),
        "format": f.StringField(nullable=True),
        "serial": f.StringField(),
        "type": f.StringField(),
    }


@REGISTRY.register
class LibvirtLiveMigrateData(NovaObject):
    """What two libvirt hosts tell each other about a live migration."""

    VERSION = "1.14"
    fields = {
        "bdms": f.ListOfObjectsField("LibvirtLiveMigrateBDMInfo"),
        "block_migration": f.BooleanField(),
        "disk_available_mb": f.IntegerField(nullable=True),
        "disk_over_commit": f.BooleanField(),
        "dst_cpu_shared_set_info": since("1.12", f.SetOfIntegersField()),
        "dst_numa_info": since("1.10", f.ObjectField("LibvirtLiveMigrateNUMAInfo")),
        "dst_supports_mdev_live_migration": since("1.11", f.BooleanField()),
        "dst_supports_numa_live_migration": since("1.10", f.BooleanField()),
        "dst_wants_file_backed_memory": since("1.7", f.BooleanField()),
        "file_backed_memory_discard": since("1.8", f.BooleanField()),
        "filename": f.StringField(),
        "graphics_listen_addr_spice": f.IPAddressField(nullable=True),
        "graphics_listen_addr_vnc": f.IPAddressField(nullable=True),
        "image_type": f.StringField(),
        "instance_relative_path": f.StringField(),
        "is_shared_block_storage": f.BooleanField(),
        "is_shared_instance_path": f.BooleanField(),
        "is_volume_backed": f.BooleanField(),
        "migration": f.ObjectField("Migration"),
        "old_vol_attachment_ids": since("1.4", f.DictOfStringsField()),
        "pci_dev_map_src_dst": since("1.13", f.DictOfStringsField()),
        "serial_listen_addr": f.StringField(nullable=True),
        "serial_listen_ports": since("1.2", f.ListOfIntegersField()),
        "source_mdev_types": since("1.11", f.DictOfStringsField()),
        "src_supports_native_luks": since("1.5", f.BooleanField()),
        "src_supports_numa_live_migration": since("1.10", f.BooleanField()),
        "supported_perf_events": since("1.3", f.ListOfStringsField()),
        "target_connect_addr": since("1.1", f.StringField(nullable=True)),
        "target_mdevs": since("1.11", f.DictOfStringsField()),
        "vifs": since("1.9", f.ListOfObjectsField("VIFMigrateData")),
        "vtpm_secret_uuid": values(f.UUIDField(nullable=True), needs="1.14"),
        "vtpm_secret_value": values(f.SensitiveStringField(nullable=True), needs="1.14"),
        "wait_for_vif_plugged": since("1.6", f.BooleanField()),
    }


@REGISTRY.register
class LibvirtLiveMigrateNUMAInfo(NovaObject):
    """NUMA placement on the destination of a live migration."""

    VERSION = "1.0"
    fields = {
        "cell_pins": f.DictOfSetOfIntegersField(),
        "cpu_pins": f.DictOfSetOfIntegersField(),
        "emulator_pins": f.SetOfIntegersField(),
        "sched_priority": f.IntegerField(),
        "sched_vcpus": f.SetOfIntegersField(),
    }


@REGISTRY.register
class VIFMigrateData(NovaObject):
    """A port on both sides of a live migration."""

    VERSION = "1.0"
    fields = {
        "host": f.StringField(),
        "port_id": f.StringField(),
        "profile_json": f.StringField(),
        "source_vif": own.NetworkVIFModelField(),
        "vif_details_json": f.StringField(),
        "vif_type": f.StringField(),
        "vnic_type": f.StringField(),
    }


@REGISTRY.register
class VMwareLiveMigrateData(NovaObject):
    """What two vSphere clusters tell each other about a live migration."""

    VERSION = "1.1"
    fields = {
        "cluster_name": f.StringField(),
        "datastore_regex": f.StringField(),
        "is_volume_backed": f.BooleanField(),
        "migration": f.ObjectField("Migration"),
        "old_vol_attachment_ids": f.DictOfStringsField(),
        "pci_dev_map_src_dst": since("1.1", f.DictOfStringsField()),
        "vifs": f.ListOfObjectsField("VIFMigrateData"),
        "wait_for_vif_plugged": f.BooleanField(),
    }

"""ImageMeta and ImageMetaProps (objects of nova)."""

from __future__ import annotations

from oslo_versionedobjects import fields as f

from keel_contract.nova.objects import enums
from keel_contract.nova.objects.base import REGISTRY, NovaObject
from keel_contract.objects import since, values


@REGISTRY.register
class ImageMeta(NovaObject):
    """An image as the image service describes it."""

    VERSION = "1.8"
    fields = {
        "checksum": f.StringField(),
        "container_format": f.StringField(),
        "created_at": f.DateTimeField(nullable=True),
        "direct_url": f.StringField(),
        "disk_format": f.StringField(),
        "id": f.UUIDField(),
        "min_disk": f.IntegerField(),
        "min_ram": f.IntegerField(),
        "name": f.StringField(),
        "owner": f.StringField(),
        "properties": f.ObjectField("ImageMetaProps"),
        "protected": f.FlexibleBooleanField(),
        "size": f.IntegerField(),
        "status": f.StringField(),
        "tags": f.ListOfStringsField(),
        "updated_at": f.DateTimeField(nullable=True),
        "virtual_size": f.IntegerField(),
        "visibility": f.StringField(),
    }


@REGISTRY.register
class ImageMetaProps(NovaObject):
    """The image properties Nova knows, typed."""

    VERSION = "1.44"
    fields = {
        "hw_architecture": enums.ArchitectureField(),
        "hw_auto_disk_config": f.StringField(),
        "hw_boot_menu": f.FlexibleBooleanField(),
        "hw_cdrom_bus": enums.DiskBusField(),
        "hw_cpu_cores": f.IntegerField(),
        "hw_cpu_max_cores": f.IntegerField(),
        "hw_cpu_max_sockets": f.IntegerField(),
        "hw_cpu_max_threads": f.IntegerField(),
        "hw_cpu_policy": values(enums.CPUAllocationPolicyField(), refuse={"mixed": "1.26"}),
        "hw_cpu_realtime_mask": since("1.10", f.StringField()),
        "hw_cpu_sockets": f.IntegerField(),
        "hw_cpu_thread_policy": since("1.9", enums.CPUThreadAllocationPolicyField()),
        "hw_cpu_threads": f.IntegerField(),
        "hw_device_id": f.IntegerField(),
        "hw_disk_bus": values(enums.DiskBusField(), refuse={"lxc": "1.6", "uml": "1.6"}),
        "hw_disk_type": f.StringField(),
        "hw_emulation_architecture": since("1.31", enums.ArchitectureField()),
        "hw_ephemeral_encryption": since("1.32", f.FlexibleBooleanField()),
        "hw_ephemeral_encryption_format": since("1.32", enums.BlockDeviceEncryptionFormatTypeField()),
        "hw_ephemeral_encryption_secret_uuid": since("1.37", f.UUIDField()),
        "hw_firmware_stateless": since("1.38", f.FlexibleBooleanField()),
        "hw_firmware_type": since("1.11", enums.FirmwareTypeField()),
        "hw_floppy_bus": enums.DiskBusField(),
        "hw_input_bus": since("1.29", enums.InputBusField()),
        "hw_ipxe_boot": f.FlexibleBooleanField(),
        "hw_locked_memory": since("1.33", f.FlexibleBooleanField()),
        "hw_machine_type": f.StringField(),
        "hw_maxphysaddr_bits": since("1.36", f.IntegerField()),
        "hw_maxphysaddr_mode": since("1.36", enums.MaxPhyAddrModeField()),
        "hw_mem_encryption": since("1.24", f.FlexibleBooleanField()),
        "hw_mem_encryption_model": since(
            "1.42", enums.MemEncryptionModelField(), refuse={"amd-sev-snp": "1.43", "intel-tdx": "1.44"}
        ),
        "hw_mem_page_size": f.StringField(),
        "hw_numa_cpus": f.ListOfSetsOfIntegersField(),
        "hw_numa_mem": f.ListOfIntegersField(),
        "hw_numa_nodes": f.IntegerField(),
        "hw_pci_numa_affinity_policy": since("1.25", enums.PCINUMAAffinityPolicyField(), refuse={"socket": "1.28"}),
        "hw_pmu": since("1.23", f.FlexibleBooleanField()),
        "hw_pointer_model": since("1.14", enums.PointerModelTypeField()),
        "hw_qemu_guest_agent": f.FlexibleBooleanField(),
        "hw_redirected_usb_ports": since("1.41", f.IntegerField()),
        "hw_rescue_bus": since("1.15", enums.DiskBusField()),
        "hw_rescue_device": since("1.15", enums.BlockDeviceTypeField()),
        "hw_rng_model": enums.RNGModelField(),
        "hw_scsi_model": enums.SCSIModelField(),
        "hw_serial_port_count": f.IntegerField(),
        "hw_sound_model": since("1.40", enums.SoundModelTypeField()),
        "hw_time_hpet": since("1.21", f.FlexibleBooleanField()),
        "hw_tpm_model": since("1.27", enums.TPMModelField()),
        "hw_tpm_version": since("1.27", enums.TPMVersionField()),
        "hw_usb_model": since("1.41", enums.USBControllerModelTypeField()),
        "hw_video_model": values(
            enums.VideoModelField(), refuse={"virtio": "1.22", "gop": "1.22", "none": "1.22", "bochs": "1.30"}
        ),
        "hw_video_ram": f.IntegerField(),
        "hw_vif_model": values(enums.VIFModelField(), refuse={"igb": "1.39"}),
        "hw_vif_multiqueue_enabled": since("1.4", f.FlexibleBooleanField()),
        "hw_viommu_model": since("1.34", enums.VIOMMUModelField()),
        "hw_virtio_packed_ring": since("1.35", f.FlexibleBooleanField()),
        "hw_vm_mode": enums.VMModeField(),
        "hw_watchdog_action": values(enums.WatchdogActionField(), drop={"disabled": "1.16"}),
        "img_bdm_v2": f.FlexibleBooleanField(),
        "img_bittorrent": f.FlexibleBooleanField(),
        "img_block_device_mapping": f.ListOfDictOfNullableStringsField(),
        "img_cache_in_nova": f.FlexibleBooleanField(),
        "img_compression_level": f.IntegerField(),
        "img_config_drive": since("1.7", enums.ConfigDrivePolicyField()),
        "img_hide_hypervisor_id": since("1.19", f.FlexibleBooleanField()),
        "img_hv_requested_version": since("1.2", f.VersionPredicateField()),
        "img_hv_type": since("1.2", enums.HVTypeField()),
        "img_linked_clone": f.FlexibleBooleanField(),
        "img_mappings": f.ListOfDictOfNullableStringsField(),
        "img_owner_id": f.StringField(),
        "img_root_device_name": f.StringField(),
        "img_signature": f.StringField(),
        "img_signature_certificate_uuid": f.UUIDField(),
        "img_signature_hash_method": enums.ImageSignatureHashTypeField(),
        "img_signature_key_type": enums.ImageSignatureKeyTypeField(),
        "img_use_agent": f.FlexibleBooleanField(),
        "img_version": f.IntegerField(),
        "os_admin_user": since("1.5", f.StringField()),
        "os_command_line": f.StringField(),
        "os_distro": f.StringField(),
        "os_require_quiesce": since("1.1", f.FlexibleBooleanField()),
        "os_secure_boot": since("1.13", enums.SecureBootField()),
        "os_skip_agent_inject_files_at_boot": f.FlexibleBooleanField(),
        "os_skip_agent_inject_ssh": f.FlexibleBooleanField(),
        "os_type": enums.OSTypeField(),
        "traits_required": since("1.20", f.ListOfStringsField()),
    }

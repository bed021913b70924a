"""Enumerations of the objects. The names and the order of the values are part of the fingerprints."""

from __future__ import annotations

from keel_contract.fields import enum

ArchitectureField = enum(
    "Architecture",
    (
        "alpha",
        "armv6",
        "armv7l",
        "armv7b",
        "aarch64",
        "cris",
        "i686",
        "ia64",
        "lm32",
        "m68k",
        "microblaze",
        "microblazeel",
        "mips",
        "mipsel",
        "mips64",
        "mips64el",
        "openrisc",
        "parisc",
        "parisc64",
        "ppc",
        "ppcle",
        "ppc64",
        "ppc64le",
        "ppcemb",
        "s390",
        "s390x",
        "sh4",
        "sh4eb",
        "sparc",
        "sparc64",
        "unicore32",
        "x86_64",
        "xtensa",
        "xtensaeb",
    ),
)
BlockDeviceDestinationTypeField = enum("BlockDeviceDestinationType", ("local", "volume"))
BlockDeviceEncryptionFormatTypeField = enum("BlockDeviceEncryptionFormatType", ("plain", "luks", "luksv2"))
BlockDeviceSourceTypeField = enum("BlockDeviceSourceType", ("blank", "image", "snapshot", "volume"))
BlockDeviceTypeField = enum("BlockDeviceType", ("cdrom", "disk", "floppy", "fs", "lun"))
CPUAllocationPolicyField = enum("CPUAllocationPolicy", ("dedicated", "shared", "mixed"))
CPUEmulatorThreadsPolicyField = enum("CPUEmulatorThreadsPolicy", ("share", "isolate"))
CPUFeaturePolicyField = enum("CPUFeaturePolicy", ("force", "require", "optional", "disable", "forbid"))
CPUMatchField = enum("CPUMatch", ("minimum", "exact", "strict"))
CPUModeField = enum("CPUMode", ("custom", "host-model", "host-passthrough"))
CPUThreadAllocationPolicyField = enum("CPUThreadAllocationPolicy", ("prefer", "isolate", "require"))
ConfigDrivePolicyField = enum("ConfigDrivePolicy", ("optional", "mandatory"))
DiskBusField = enum("DiskBus", ("fdc", "ide", "sata", "scsi", "usb", "virtio", "xen", "lxc", "uml"))
FirmwareTypeField = enum("FirmwareType", ("uefi", "bios"))
HVTypeField = enum(
    "HVType",
    (
        "baremetal",
        "bhyve",
        "docker",
        "fake",
        "hyperv",
        "ironic",
        "kqemu",
        "kvm",
        "lxc",
        "lxd",
        "openvz",
        "parallels",
        "phyp",
        "qemu",
        "test",
        "uml",
        "vbox",
        "vz",
        "vmware",
        "xen",
        "zvm",
        "prsm",
    ),
)
HypervisorDriverField = enum("HypervisorDriver", ("libvirt", "xenapi", "vmwareapi", "ironic", "hyperv"))
ImageSignatureHashTypeField = enum("ImageSignatureHashType", ("SHA-224", "SHA-256", "SHA-384", "SHA-512"))
ImageSignatureKeyTypeField = enum(
    "ImageSignatureKeyType",
    (
        "DSA",
        "ECC_SECP384R1",
        "ECC_SECP521R1",
        "ECC_SECT409K1",
        "ECC_SECT409R1",
        "ECC_SECT571K1",
        "ECC_SECT571R1",
        "RSA-PSS",
    ),
)
InputBusField = enum("InputBus", ("usb", "virtio"))
InstancePowerStateField = enum(
    "InstancePowerState", ("pending", "running", "_unused", "paused", "shutdown", "_unused", "crashed", "suspended")
)
MaxPhyAddrModeField = enum("MaxPhyAddrMode", ("passthrough", "emulate"))
MemEncryptionModelField = enum("MemEncryptionModel", ("amd-sev", "amd-sev-es", "amd-sev-snp", "intel-tdx"))
MigrationTypeField = enum("MigrationType", ("migration", "resize", "live-migration", "evacuation"))
MonitorMetricTypeField = enum(
    "MonitorMetricType",
    (
        "cpu.frequency",
        "cpu.user.time",
        "cpu.kernel.time",
        "cpu.idle.time",
        "cpu.iowait.time",
        "cpu.user.percent",
        "cpu.kernel.percent",
        "cpu.idle.percent",
        "cpu.iowait.percent",
        "cpu.percent",
        "numa.membw.max",
        "numa.membw.current",
    ),
)
OSTypeField = enum("OSType", ("linux", "windows"))
PCINUMAAffinityPolicyField = enum("PCINUMAAffinityPolicy", ("required", "legacy", "preferred", "socket"))
PciDeviceStatusField = enum(
    "PciDeviceStatus", ("available", "claimed", "allocated", "removed", "deleted", "unavailable", "unclaimable")
)
PciDeviceTypeField = enum("PciDeviceType", ("type-PCI", "type-PF", "type-VF", "vdpa"))
PointerModelTypeField = enum("PointerModelType", ("usbtablet",))
RNGModelField = enum("RNGModel", ("virtio",))
SCSIModelField = enum(
    "SCSIModel", ("buslogic", "ibmvscsi", "lsilogic", "lsisas1068", "lsisas1078", "virtio-scsi", "vmpvscsi")
)
SecureBootField = enum("SecureBoot", ("required", "disabled", "optional"))
ShareMappingProtoField = enum("ShareMappingProto", ("NFS", "CEPHFS"))
ShareMappingStatusField = enum("ShareMappingStatus", ("attaching", "detaching", "active", "inactive", "error"))
SoundModelTypeField = enum("SoundModelType", ("sb16", "es1370", "pcspk", "ac97", "ich6", "ich9", "usb", "virtio"))
TPMModelField = enum("TPMModel", ("tpm-tis", "tpm-crb"))
TPMVersionField = enum("TPMVersion", ("1.2", "2.0"))
USBControllerModelTypeField = enum("USBControllerModelType", ("none", "nec-xhci", "qemu-xhci"))
VIFModelField = enum(
    "VIFModel",
    (
        "virtio",
        "ne2k_pci",
        "pcnet",
        "rtl8139",
        "e1000",
        "e1000e",
        "netfront",
        "spapr-vlan",
        "lan9118",
        "sriov",
        "vmxnet",
        "vmxnet3",
        "igb",
    ),
)
VIOMMUModelField = enum("VIOMMUModel", ("intel", "smmuv3", "virtio", "auto"))
VMModeField = enum("VMMode", ("hvm", "xen", "uml", "exe"))
VideoModelField = enum("VideoModel", ("cirrus", "qxl", "vga", "vmvga", "xen", "virtio", "gop", "none", "bochs"))
WatchdogActionField = enum("WatchdogAction", ("none", "pause", "poweroff", "reset", "disabled"))

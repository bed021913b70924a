"""The names and labels of everything the project makes in a cluster.

Each name derives from the uuid of its resource, so a create that is sent twice meets its own object (409
AlreadyExists) and whoever looks for leftovers knows what belongs to what. All names are DNS labels of at most 63
characters.
"""

from __future__ import annotations

SERVER = "openstack.org/server-id"
PROJECT = "openstack.org/project-id"
VOLUME = "openstack.org/volume-id"
SNAPSHOT = "openstack.org/snapshot-id"
GROUP_SNAPSHOT = "openstack.org/group-snapshot-id"
PORT = "openstack.org/port-id"
HOST = "openstack.org/host"
MANAGED_BY = "openstack.org/managed-by"

COMPUTE = "openkeel-compute"
"""Value of the managed-by label on what compute-kubevirt makes."""
STORAGE = "openkeel-volume"
"""Value of the managed-by label on what volume-csi makes."""

BIND_AT_ONCE = "cdi.kubevirt.io/storage.bind.immediate.requested"
"""Annotation of a DataVolume: it is filled now, not when the first pod wants it (CDI)."""


def vm(server: str) -> str:
    """VirtualMachine and VirtualMachineInstance of a server."""
    return f"nova-{server}"


def server_of(vm_name: str) -> str | None:
    """The server uuid behind a VM name, None for a name that is not ours."""
    return vm_name[5:] if vm_name.startswith("nova-") and len(vm_name) == 41 else None


def local_disk(server: str, suffix: str) -> str:
    """Claim and DataVolume of a disk that lives and dies with the server; suffix "root", "eph0", "swap"."""
    return f"nova-{server}-{suffix}"


def secret(server: str, suffix: str) -> str:
    """Secret of a server; suffix "userdata", "image"."""
    return f"nova-{server}-{suffix}"


def claim(volume: str) -> str:
    """PersistentVolumeClaim of a Cinder volume."""
    return f"volume-{volume}"


def snapshot(uuid: str) -> str:
    """VolumeSnapshot of a Cinder snapshot."""
    return f"snapshot-{uuid}"


def group_snapshot(uuid: str) -> str:
    """VolumeGroupSnapshot of a Cinder group snapshot."""
    return f"group-snapshot-{uuid}"


def nad(port: str) -> str:
    """NetworkAttachmentDefinition of a Neutron port."""
    return f"port-{port}"


def disk(volume: str) -> str:
    """Name of a Cinder volume inside the VM (disk and volume entry)."""
    return f"v-{volume}"


def nic(port: str) -> str:
    """Name of a Neutron port inside the VM (interface and network entry)."""
    return f"p-{port.replace('-', '')[:12]}"


def migration(uuid: str) -> str:
    """VirtualMachineInstanceMigration of a Nova migration."""
    return f"nova-mig-{uuid}"


def labels(manager: str, project: str | None = None, **ids: str | None) -> dict[str, str]:
    """Labels of an object: managed-by, the project, and the ids of server, volume, snapshot, ... that are given."""
    keys = {
        "server": SERVER,
        "volume": VOLUME,
        "snapshot": SNAPSHOT,
        "group_snapshot": GROUP_SNAPSHOT,
        "port": PORT,
        "host": HOST,
    }
    found = {MANAGED_BY: manager}
    if project:
        found[PROJECT] = project
    found.update({keys[key]: value for key, value in ids.items() if value})
    return found

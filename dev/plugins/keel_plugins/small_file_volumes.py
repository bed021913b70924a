"""Cinder volume driver that keeps each volume in one small file.

A volume's file holds only the bytes that were written to it (at most the
size of an image that was copied in), never the whole size that the API
shows, so creating, cloning, backing up or migrating costs nearly nothing
and always succeeds.
"""

import contextlib
import os
import shutil

from cinder import exception, interface
from cinder.volume import configuration, driver
from oslo_config import cfg
from oslo_utils import units

#: What a new, empty volume's file holds.
EMPTY_VOLUME = b"\0" * (64 * units.Ki)

OPTIONS = [
    cfg.StrOpt("keel_volume_dir", help="Folder of the volume files."),
]
cfg.CONF.register_opts(OPTIONS, group=configuration.SHARED_CONF_GROUP)


@interface.volumedriver
class SmallFileVolumeDriver(driver.VolumeDriver):
    """Volumes and snapshots are small files in one folder."""

    VERSION = "1.0"
    CI_WIKI_NAME = "none"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.configuration.append_config_values(OPTIONS)

    # Paths

    def _path(self, resource):
        """Path of the file of a volume or snapshot."""
        return os.path.join(self.configuration.keel_volume_dir, resource["name"])

    def _write_empty(self, resource):
        with open(self._path(resource), "wb") as volume_file:
            volume_file.write(EMPTY_VOLUME)

    def _copy(self, source, target):
        """Copy one resource's file; a lost source counts as empty."""
        try:
            shutil.copyfile(self._path(source), self._path(target))
        except FileNotFoundError:
            self._write_empty(target)

    def _remove(self, resource):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path(resource))

    # Set-up and statistics

    def do_setup(self, context):
        os.makedirs(self.configuration.keel_volume_dir, exist_ok=True)

    def check_for_setup_error(self):
        """Nothing can be wrong."""

    def _update_volume_stats(self):
        backend = self.configuration.safe_get("volume_backend_name")
        self._stats = {
            "volume_backend_name": backend,
            "vendor_name": "openkeel",
            "driver_version": self.VERSION,
            "storage_protocol": "local",
            "pools": [
                {
                    "pool_name": backend,
                    "total_capacity_gb": 1000000,
                    "free_capacity_gb": 1000000,
                    "reserved_percentage": 0,
                    "provisioned_capacity_gb": 0,
                    "max_over_subscription_ratio": "1000.0",
                    "thin_provisioning_support": True,
                    "thick_provisioning_support": False,
                    "multiattach": True,
                    "QoS_support": True,
                    "consistent_group_snapshot_enabled": True,
                }
            ],
        }

    # Volumes

    def create_volume(self, volume):
        self._write_empty(volume)

    def delete_volume(self, volume):
        self._remove(volume)

    def extend_volume(self, volume, new_size):
        """The file does not depend on the size."""

    def create_cloned_volume(self, volume, src_vref):
        self._copy(src_vref, volume)

    def create_volume_from_snapshot(self, volume, snapshot):
        self._copy(snapshot, volume)

    def retype(self, context, volume, new_type, diff, host):
        """A change of type inside one backend needs no work."""
        return volume["host"] == host["host"]

    def update_migrated_volume(self, ctxt, volume, new_volume, original_volume_status):
        """Give the migrated file the name of the volume it replaces."""
        os.replace(self._path(new_volume), self._path(volume))
        return {"_name_id": None, "provider_location": new_volume["provider_location"]}

    # Snapshots

    def create_snapshot(self, snapshot):
        self._copy(snapshot["volume"], snapshot)

    def delete_snapshot(self, snapshot):
        self._remove(snapshot)

    def revert_to_snapshot(self, context, volume, snapshot):
        self._copy(snapshot, volume)

    # Images

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        """Download the image straight into the file, as it is."""
        with open(self._path(volume), "wb") as volume_file:
            image_service.download(context, image_meta["id"], volume_file)
        return {}, True

    def copy_image_to_volume(self, context, volume, image_service, image_id, disable_sparse=False):
        with open(self._path(volume), "wb") as volume_file:
            image_service.download(context, image_id, volume_file)

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        with open(self._path(volume), "rb") as volume_file:
            image_service.update(context, image_meta["id"], {}, volume_file)

    # Connections

    def ensure_export(self, context, volume):
        """A file needs no export."""

    def create_export(self, context, volume, connector):
        """A file needs no export."""

    def remove_export(self, context, volume):
        """A file needs no export."""

    def create_export_snapshot(self, context, snapshot, connector):
        """A file needs no export."""

    def remove_export_snapshot(self, context, snapshot):
        """A file needs no export."""

    def initialize_connection(self, volume, connector):
        return {"driver_volume_type": "local", "data": {"device_path": self._path(volume)}}

    def terminate_connection(self, volume, connector, **kwargs):
        """Nothing to end."""

    def initialize_connection_snapshot(self, snapshot, connector):
        return {"driver_volume_type": "local", "data": {"device_path": self._path(snapshot)}}

    def terminate_connection_snapshot(self, snapshot, connector, **kwargs):
        """Nothing to end."""

    # Managed (adopted) volumes and snapshots

    def _adopt(self, resource, existing_ref):
        """Rename a known file to the name of the adopting resource."""
        os.rename(self._managed_path(existing_ref), self._path(resource))

    def _managed_path(self, existing_ref):
        name = existing_ref.get("source-name")
        path = os.path.join(self.configuration.keel_volume_dir, os.path.basename(name or ""))
        if not name or not os.path.exists(path):
            raise exception.ManageExistingInvalidReference(existing_ref=existing_ref, reason="no such file")
        return path

    def manage_existing(self, volume, existing_ref):
        self._adopt(volume, existing_ref)

    def manage_existing_get_size(self, volume, existing_ref):
        self._managed_path(existing_ref)
        return 1

    def manage_existing_snapshot(self, snapshot, existing_ref):
        self._adopt(snapshot, existing_ref)

    def manage_existing_snapshot_get_size(self, snapshot, existing_ref):
        self._managed_path(existing_ref)
        return 1

    def unmanage(self, volume):
        """Keep the file."""

    def unmanage_snapshot(self, snapshot):
        """Keep the file."""

    def _manageable(self, known):
        """List every file as a manageable resource of 1 GiB."""
        names = {resource["name"]: resource["id"] for resource in known}
        return [
            {
                "reference": {"source-name": name},
                "size": 1,
                "safe_to_manage": name not in names,
                "reason_not_safe": "already managed" if name in names else None,
                "cinder_id": names.get(name),
                "extra_info": None,
            }
            for name in sorted(os.listdir(self.configuration.keel_volume_dir))
        ]

    def get_manageable_volumes(self, cinder_volumes, marker, limit, offset, sort_keys, sort_dirs):
        return self._manageable(cinder_volumes)[offset:][:limit]

    def get_manageable_snapshots(self, cinder_snapshots, marker, limit, offset, sort_keys, sort_dirs):
        manageable = self._manageable(cinder_snapshots)
        for entry in manageable:
            entry["source_reference"] = entry["reference"]
        return manageable[offset:][:limit]

"""The volume type that stands for the cluster's default StorageClass."""

from keel_dev.client import connect
from keel_dev.confs.volume import BACKEND
from keel_dev.settings import Settings


def seed(settings: Settings) -> None:
    """Create the type `csi` when it is missing; it is the default type of new volumes."""
    storage = connect(settings).block_storage
    if not any(kind.name == BACKEND for kind in storage.types()):
        storage.create_type(
            name=BACKEND,
            description="PersistentVolumeClaims of the default StorageClass",
            extra_specs={"volume_backend_name": BACKEND},
        )

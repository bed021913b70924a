"""The volume types: one for the cluster's default StorageClass, one for the files of a real cinder-volume."""

from keel_dev.client import connect
from keel_dev.confs.volume import BACKEND, FILES
from keel_dev.settings import Settings

MULTIATTACH = "multiattach"

DESCRIPTIONS = {
    BACKEND: "PersistentVolumeClaims of the default StorageClass",
    FILES: "Small files of a real cinder-volume beside ours",
}


def seed(settings: Settings, with_files: bool) -> None:
    """Create what is missing: `csi`, the default type of new volumes, and `files` where there is such a backend."""
    storage = connect(settings).block_storage
    present = {kind.name for kind in storage.types()}
    for name in (BACKEND, FILES) if with_files else (BACKEND,):
        if name not in present:
            storage.create_type(name=name, description=DESCRIPTIONS[name], extra_specs={"volume_backend_name": name})


def seed_multiattach(settings: Settings) -> None:
    """Create a type whose volumes several servers may have at once, where it is missing."""
    storage = connect(settings).block_storage
    if MULTIATTACH not in {kind.name for kind in storage.types()}:
        storage.create_type(
            name=MULTIATTACH, description="Volumes for several servers", extra_specs={"multiattach": "<is> True"}
        )

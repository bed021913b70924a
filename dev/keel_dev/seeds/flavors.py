"""Flavors."""

from keel_dev.client import connect
from keel_dev.settings import Settings

#: (name, vCPUs, MiB of memory, GiB of disk)
FLAVORS = (
    ("m1.nano", 1, 64, 1),
    ("m1.tiny", 1, 512, 1),
    ("m1.small", 1, 2048, 20),
    ("m1.medium", 2, 4096, 40),
    ("m1.large", 4, 8192, 80),
    ("m1.xlarge", 8, 16384, 160),
)


def seed(settings: Settings) -> None:
    """Create the flavors that are missing."""
    compute = connect(settings).compute
    present = {flavor.name for flavor in compute.flavors()}
    for name, vcpus, ram, disk in FLAVORS:
        if name not in present:
            compute.create_flavor(name=name, vcpus=vcpus, ram=ram, disk=disk)

"""The 65 objects of Nova's versioned notifications (notification objects of nova 34.0.0), declared."""

from keel_contract.nova.notifications import (
    aggregate,
    compute_task,
    event,
    exception,
    flavor,
    image,
    instance,
    instance_actions,
    keypair,
    libvirt,
    metrics,
    request_spec,
    scheduler,
    server_group,
    service,
    volume,
)
from keel_contract.nova.notifications.base import REGISTRY

__all__ = [
    "REGISTRY",
    "aggregate",
    "compute_task",
    "event",
    "exception",
    "flavor",
    "image",
    "instance",
    "instance_actions",
    "keypair",
    "libvirt",
    "metrics",
    "request_spec",
    "scheduler",
    "server_group",
    "service",
    "volume",
]

"""A private network for servers and an external one without a router."""

from typing import Any

from keel_dev.client import connect
from keel_dev.settings import Settings


def seed(settings: Settings) -> None:
    """The network `private`, shared so that every project can boot on it, and the network `public` with a gateway."""
    cloud = connect(settings)
    _network(cloud, "private", {"is_shared": True}, {"cidr": "10.20.0.0/16"})
    external = {
        "is_router_external": True,
        "provider_network_type": "flat",
        "provider_physical_network": "public",
    }
    _network(cloud, "public", external, {"cidr": "172.24.4.0/22", "gateway_ip": "172.24.4.1", "is_dhcp_enabled": False})


def _network(cloud: Any, name: str, options: dict[str, object], subnet: dict[str, object]) -> None:
    network = next(cloud.network.networks(name=name), None) or cloud.network.create_network(name=name, **options)
    if next(cloud.network.subnets(network_id=network.id), None) is None:
        cloud.network.create_subnet(name=f"{name}-subnet", network_id=network.id, ip_version=4, **subnet)

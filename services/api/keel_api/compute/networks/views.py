"""Networks of long ago: two facts are told, the rest is null (nova 34.0.0 http summary, measured)."""

from __future__ import annotations

from typing import Any

from keel_api.http import Field, View

_FOR_ALL = ("cidr", "netmask", "gateway", "broadcast", "dns1", "dns2", "cidr_v6", "gateway_v6")
_FOR_ADMINS = (
    *("created_at", "updated_at", "deleted_at", "deleted", "injected", "bridge", "vlan", "vpn_public_address"),
    *("vpn_public_port", "vpn_private_address", "dhcp_start", "project_id", "host", "bridge_interface", "multi_host"),
    *("priority", "rxtx_base", "mtu", "dhcp_server", "enable_dhcp", "share_address"),
)


class _Networks(View):
    ADMIN = ("admin",)


def _unknown(row: Any, scope: Any) -> None:
    return None


NETWORK = _Networks(
    "network",
    [
        Field("id", "id"),
        *(Field(name, _unknown) for name in _FOR_ALL),
        Field("label", "name"),
        Field("netmask_v6", _unknown),
        *(Field(name, _unknown, policy="admin") for name in _FOR_ADMINS),
    ],
)
TENANT_NETWORK = View(
    "tenant network", [Field("id", "id"), Field("cidr", lambda row, _: "None"), Field("label", "name")]
)

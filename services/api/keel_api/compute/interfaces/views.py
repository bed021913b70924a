"""The shape of a server's port."""

from __future__ import annotations

from typing import Any

from keel_api.http.view import Field, View


def _addresses(port: Any, scope: Any) -> list[dict[str, str]]:
    return [{"subnet_id": ip["subnet_id"], "ip_address": ip["ip_address"]} for ip in port.get("fixed_ips") or ()]


INTERFACE = View(
    "interfaceAttachment",
    [
        Field("net_id", "network_id"),
        Field("port_id", "id"),
        Field("mac_addr", "mac_address"),
        Field("port_state", "status"),
        Field("fixed_ips", _addresses, columns=("fixed_ips",)),
        Field("tag", "tag", since="2.70"),
    ],
)

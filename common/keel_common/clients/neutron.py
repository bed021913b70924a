"""Client of Neutron: networks, subnets, ports, floating IPs and security groups.

``context`` None asks as our service user (admin at Neutron): needed for port
bindings. With a context Neutron itself decides what the caller may see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from keel_common.clients import errors
from keel_common.clients.session import Service


class Neutron:
    """Requests to the network API v2.0."""

    def __init__(self, service: Service):
        self._service = service

    def list_networks(self, context: Any = None, **filters: Any) -> list[dict]:
        """Networks that match; a filter value may be a list."""
        return self._list("networks", context, filters)

    def list_subnets(self, context: Any = None, **filters: Any) -> list[dict]:
        """Subnets that match."""
        return self._list("subnets", context, filters)

    def list_ports(self, context: Any = None, **filters: Any) -> list[dict]:
        """Ports that match, e.g. device_id=server uuid."""
        return self._list("ports", context, filters)

    def list_security_groups(self, context: Any = None, **filters: Any) -> list[dict]:
        """Security groups that match."""
        return self._list("security-groups", context, filters, key="security_groups")

    def list_floating_ips(self, context: Any = None, **filters: Any) -> list[dict]:
        """Floating IPs that match, e.g. port_id=[...]."""
        return self._list("floatingips", context, filters)

    def show_network(self, network_id: str, context: Any = None) -> dict:
        """One network; NotFound."""
        return self._service.json("GET", f"/v2.0/networks/{network_id}", context=context)["network"]

    def show_port(self, port_id: str, context: Any = None) -> dict:
        """One port; NotFound."""
        return self._service.json("GET", f"/v2.0/ports/{port_id}", context=context)["port"]

    def create_port(self, port: dict, context: Any = None) -> dict:
        """Make a port; OverQuota, Conflict (address in use), BadRequest."""
        return self._changed("POST", "/v2.0/ports", port, context)

    def update_port(self, port_id: str, port: dict, context: Any = None, revision: int | None = None) -> dict:
        """Change fields of a port; NotFound. With `revision` only while the port still has that revision_number, else
        ClientError 412.
        """
        headers = None if revision is None else {"If-Match": f"revision_number={revision}"}
        return self._changed("PUT", f"/v2.0/ports/{port_id}", port, context, headers)

    def create_binding(self, port_id: str, binding: dict) -> dict:
        """Bind a port to one more host (inactive), as our service user; what the binding became."""
        return self._changed("POST", f"/v2.0/ports/{port_id}/bindings", binding, None, key="binding")

    def activate_binding(self, port_id: str, host: str) -> None:
        """Make the binding to a host the active one; NotFound when there is none. Active already counts as done."""
        try:
            self._service.request("PUT", f"/v2.0/ports/{port_id}/bindings/{host}/activate")
        except errors.Conflict:
            bound = self.show_port(port_id).get("binding:host_id")
            if bound != host:
                raise

    def delete_binding(self, port_id: str, host: str) -> bool:
        """Take a port's binding to a host away; False when there is none."""
        try:
            self._service.request("DELETE", f"/v2.0/ports/{port_id}/bindings/{host}")
        except errors.NotFound:
            return False
        return True

    def delete_port(self, port_id: str, context: Any = None) -> bool:
        """Delete a port; False when it is gone already."""
        try:
            self._service.request("DELETE", f"/v2.0/ports/{port_id}", context=context)
        except errors.NotFound:
            return False
        return True

    def show_floating_ip(self, floating_ip_id: str, context: Any = None) -> dict:
        """One floating IP; NotFound."""
        return self._service.json("GET", f"/v2.0/floatingips/{floating_ip_id}", context=context)["floatingip"]

    def create_floating_ip(self, network_id: str, context: Any = None) -> dict:
        """Take a floating IP of an external network; OverQuota, Conflict (no address left)."""
        body = {"floating_network_id": network_id}
        return self._changed("POST", "/v2.0/floatingips", body, context, key="floatingip")

    def update_floating_ip(self, floating_ip_id: str, values: dict, context: Any = None) -> dict:
        """Change fields of a floating IP, such as port_id and fixed_ip_address; NotFound, Conflict, BadRequest."""
        return self._changed("PUT", f"/v2.0/floatingips/{floating_ip_id}", values, context, key="floatingip")

    def delete_floating_ip(self, floating_ip_id: str, context: Any = None) -> None:
        """Give a floating IP back; NotFound."""
        self._service.request("DELETE", f"/v2.0/floatingips/{floating_ip_id}", context=context)

    def show_security_group(self, group_id: str, context: Any = None) -> dict:
        """One security group with its rules; NotFound."""
        return self._service.json("GET", f"/v2.0/security-groups/{group_id}", context=context)["security_group"]

    def create_security_group(self, values: dict, context: Any = None) -> dict:
        """Make a security group; Conflict, OverQuota."""
        return self._changed("POST", "/v2.0/security-groups", values, context, key="security_group")

    def update_security_group(self, group_id: str, values: dict, context: Any = None) -> dict:
        """Change name or description; NotFound, Conflict (the default group)."""
        return self._changed("PUT", f"/v2.0/security-groups/{group_id}", values, context, key="security_group")

    def delete_security_group(self, group_id: str, context: Any = None) -> None:
        """Delete a security group; NotFound, Conflict while a port uses it."""
        self._service.request("DELETE", f"/v2.0/security-groups/{group_id}", context=context)

    def create_security_group_rule(self, values: dict, context: Any = None) -> dict:
        """Add a rule to a group; Conflict when it is there, BadRequest, OverQuota."""
        return self._changed("POST", "/v2.0/security-group-rules", values, context, key="security_group_rule")

    def show_security_group_rule(self, rule_id: str, context: Any = None) -> dict:
        """One rule; NotFound."""
        return self._service.json("GET", f"/v2.0/security-group-rules/{rule_id}", context=context)[
            "security_group_rule"
        ]

    def delete_security_group_rule(self, rule_id: str, context: Any = None) -> None:
        """Take a rule away; NotFound."""
        self._service.request("DELETE", f"/v2.0/security-group-rules/{rule_id}", context=context)

    def extensions(self) -> set[str]:
        """Aliases of the loaded extensions."""
        return {item["alias"] for item in self._service.json("GET", "/v2.0/extensions")["extensions"]}

    def quota(self, project: str) -> dict[str, int]:
        """Limits of a project by resource; -1 is no limit."""
        return self._service.json("GET", f"/v2.0/quotas/{project}")["quota"]

    def _list(self, collection: str, context: Any, filters: dict, key: str | None = None) -> list[dict]:
        query = urlencode({k: v for k, v in filters.items() if v is not None}, doseq=True)
        path = f"/v2.0/{collection}" + (f"?{query}" if query else "")
        return self._service.json("GET", path, context=context)[key or collection]

    def _changed(
        self,
        method: str,
        path: str,
        values: dict,
        context: Any,
        headers: Mapping[str, str] | None = None,
        key: str = "port",
    ) -> dict:
        try:
            return self._service.json(method, path, json={key: values}, context=context, headers=headers)[key]
        except errors.Conflict as conflict:
            if "quota" in conflict.message.lower():
                raise errors.OverQuota(409, conflict.message, conflict.service) from conflict
            raise

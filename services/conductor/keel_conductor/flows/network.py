"""Ports of a server that will not run: those made for it are deleted, those of the user are let go."""

from typing import Any

from keel_common.clients.neutron import Neutron

_LET_GO = {"device_id": "", "device_owner": "", "binding:host_id": ""}


def give_back_ports(neutron: Neutron, uuid: str, requested: Any) -> None:
    """Frees every port that Neutron knows as one of the server. `requested`: its NetworkRequestList or None."""
    own = {request.get("port_id") for request in requested.objects} if requested is not None else set()
    for port in neutron.list_ports(device_id=uuid):
        if port["id"] in own:
            neutron.update_port(port["id"], _LET_GO)
        else:
            neutron.delete_port(port["id"])

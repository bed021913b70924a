"""Bindings of ports to the destination of a live migration, beside those to the source (nova 34.0.0 flows 8.9)."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from keel_common.clients.errors import ClientError
from keel_conductor.peers import Peers
from keel_contract.errors import ExpectedFault
from keel_contract.nova import objects

LOG = logging.getLogger(__name__)
EXTENSION = "binding-extended"


def bind(peers: Peers, instance: Any, host: str, data: Any) -> None:
    """Binds every port of a server to a host, too, and writes into the migrate data what the bindings became.

    :raises ExpectedFault: MigrationPreCheckError when Neutron cannot bind there; what was bound is unbound
    """
    neutron = peers.clients.neutron
    vifs = _vifs(instance)
    if not vifs or EXTENSION not in neutron.extensions():
        return
    if not data.is_set("vifs"):
        data.vifs = [_skeleton(vif) for vif in vifs]
    by_port = {each.port_id: each for each in data.vifs}
    try:
        for vif in vifs:
            port = vif["id"]
            wish = {"host": host, "vnic_type": vif.get("vnic_type") or "normal", "profile": vif.get("profile") or {}}
            binding = neutron.create_binding(port, wish)
            if port in by_port:
                _note(by_port[port], binding)
    except ClientError as error:
        unbind(peers, instance, host)
        text = f"Ports of server {instance.uuid} cannot be bound to {host}: {error.message}"
        raise ExpectedFault("MigrationPreCheckError", text, reason=text) from error


def unbind(peers: Peers, instance: Any, host: str) -> None:
    """Takes these bindings away again; one that cannot be is told in the log."""
    for vif in _vifs(instance):
        try:
            peers.clients.neutron.delete_binding(vif["id"], host)
        except ClientError as error:
            LOG.warning("Port %s stays bound to %s: %s", vif["id"], host, error)


def _vifs(instance: Any) -> list[dict[str, Any]]:
    cache = instance.get("info_cache")
    return list(cache.network_info or ()) if cache is not None else []


def _skeleton(vif: Mapping[str, Any]) -> Any:
    return objects.VIFMigrateData(port_id=vif["id"], source_vif=dict(vif))


def _note(data: Any, binding: Mapping[str, Any]) -> None:
    data.host = binding["host"]
    data.vnic_type = binding["vnic_type"]
    data.vif_type = binding["vif_type"]
    data.vif_details_json = json.dumps(binding["vif_details"])
    data.profile_json = json.dumps(binding["profile"])

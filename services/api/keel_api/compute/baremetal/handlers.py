"""``os-baremetal-nodes``, up to 2.35: a proxy for Ironic, whose nodes are no hosts of OpenKeel.

Changes were never possible through it (nova 34.0.0, measured: 400); the lists answer 501 as where Ironic's client is
not installed.
"""

from __future__ import annotations

from keel_api.http import Fault, Request, handles


@handles("GET /os-baremetal-nodes")
def index(req: Request) -> None:
    """Refused: 501."""
    req.must("os_compute_api:os-baremetal-nodes:list", {})
    raise Fault(501, "Bare metal nodes are not proxied; ask Ironic itself.")


@handles("GET /os-baremetal-nodes/{id}")
def show(req: Request) -> None:
    """Refused: 501."""
    req.must("os_compute_api:os-baremetal-nodes:show", {})
    raise Fault(501, "Bare metal nodes are not proxied; ask Ironic itself.")


@handles("POST /os-baremetal-nodes")
def create(req: Request) -> None:
    """Refused: 400."""
    raise _refused("node-create")


@handles("DELETE /os-baremetal-nodes/{id}")
def delete(req: Request) -> None:
    """Refused: 400."""
    raise _refused("node-delete")


@handles("POST /os-baremetal-nodes/{id}/action #add_interface")
def add_interface(req: Request) -> None:
    """Refused: 400."""
    raise _refused("port-create")


@handles("POST /os-baremetal-nodes/{id}/action #remove_interface")
def remove_interface(req: Request) -> None:
    """Refused: 400."""
    raise _refused("port-delete")


def _refused(command: str) -> Fault:
    return Fault(400, f"Not possible here: use Ironic's {command}.")

"""The questions of ``nova-status upgrade check`` (nova 34.0.0 cli)."""

from __future__ import annotations

from typing import Any

from keel_common.clients import Clients
from keel_common.clients.errors import ClientError
from keel_common.db import CELL0, Cells
from keel_common.db.fleet import NovaFleet
from keel_common.db.stores.nova import readiness
from keel_common.status import policy_files
from keel_common.status.upgrade import OK, Check, Result, failure, warning
from keel_contract import versions
from keel_contract.pins import refusal_of_old_computes

LOWEST_PLACEMENT = "1.36"
LOWEST_CINDER = "3.44"
_FEW = 5


def cells_v2(conf: Any) -> Result:
    """cell0 and at least one more cell, and no compute node that no cell owns."""
    cells = Cells(conf)
    try:
        found = cells.all()
        if len(found) < 2 or all(cell.uuid != CELL0 for cell in found):
            return failure(
                "cell0 and a cell for computes must be mapped: keel-manage cell_v2 map_cell0 and create_cell, or "
                "cell_v2 simple_cell_setup"
            )
        if cells.api.read(readiness.host_mappings):
            return OK
        if any(cell.db.read(readiness.compute_nodes) for cell in cells.working()):
            return failure("there are compute nodes and no mapped host: keel-manage cell_v2 discover_hosts")
        told = (
            "no host is mapped and no compute node is there yet; run keel-manage cell_v2 discover_hosts once they are"
        )
        return Result(OK.code, told)
    finally:
        cells.close()


def placement_api(conf: Any) -> Result:
    """Placement answers, at the microversion that is needed."""
    try:
        newest = Clients(conf, "compute").placement.newest_version()
    except ClientError as problem:
        return failure(f"Placement cannot be asked: {problem}")
    if versions.older(newest, LOWEST_PLACEMENT):
        return failure(f"Placement {LOWEST_PLACEMENT} is needed, this one knows {newest}")
    return OK


def cinder_api(conf: Any) -> Result:
    """Cinder, where it is used, offers the microversion that is needed."""
    clients = Clients(conf, "compute")
    if not clients.cinder.has_credentials():
        return OK
    try:
        newest = clients.cinder.newest_version()
    except ClientError as problem:
        return warning(f"Cinder cannot be asked for its version: {problem}")
    if versions.older(newest, LOWEST_CINDER):
        return failure(f"Cinder {LOWEST_CINDER} (Queens) or newer is needed, this one knows {newest}")
    return OK


def policy_file(conf: Any) -> Result:
    path = policy_files.configured(conf)
    if path is not None and policy_files.is_json(path):
        return failure(
            f"{path} is written in JSON, which will not be read for ever; oslopolicy-convert-json-to-yaml "
            "turns it into YAML"
        )
    return OK


def old_computes(conf: Any) -> Result:
    cells = Cells(conf)
    try:
        refusal = refusal_of_old_computes(NovaFleet(conf, cells).oldest())
    finally:
        cells.close()
    return failure(refusal) if refusal else OK


def machine_types(conf: Any) -> Result:
    """Servers must keep their machine type when the default changes; that of a guest on KubeVirt stands in its
    VirtualMachine."""
    cells = Cells(conf)
    try:
        found = [uuid for cell in cells.all() for uuid in cell.db.read(readiness.without_machine_type, _FEW)]
    finally:
        cells.close()
    if not found:
        return OK
    shown = ", ".join(found[:_FEW])
    return warning(
        f"servers without hw_machine_type, such as {shown}: only those on libvirt hosts need one; nova-manage libvirt "
        "list_unset_machine_type lists them"
    )


def service_token(conf: Any) -> Result:
    if conf.service_user.send_service_user_token:
        return OK
    return failure(
        "[service_user]send_service_user_token must be on, with credentials in that section: Cinder lets nobody but a "
        "service detach volumes"
    )


CHECKS = (
    Check("Cells v2", cells_v2),
    Check("Placement API", placement_api),
    Check("Cinder API", cinder_api),
    Check("Policy File JSON to YAML Migration", policy_file),
    Check("Older than N-1 computes", old_computes),
    Check("hw_machine_type unset", machine_types),
    Check("Service User Token Configuration", service_token),
)

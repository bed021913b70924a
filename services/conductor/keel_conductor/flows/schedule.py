"""Asking the scheduler, and what travels to a compute because of its answer."""

from typing import Any

from keel_common.db import Cells
from keel_common.db.stores.nova import instances, placed
from keel_conductor.flows.failure import MaxRetriesExceeded
from keel_conductor.peers import Peers
from keel_contract.context import Context

_PLACING_POLICIES = {"affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"}


def select(peers: Peers, context: Context, spec: Any, uuids: list[str], alternates: bool = True) -> list[list[Any]]:
    """For each server its Selection and, when wanted, the alternates behind it; all resources of the first are claimed.

    Raises what the scheduler raises (RemoteFault, RpcTimeout).
    """
    fill_group(peers.cells, spec)
    return peers.scheduler.send(
        context,
        "select_destinations",
        spec_obj=spec,
        instance_uuids=uuids,
        return_objects=True,
        return_alternates=alternates,
    )


def fill_group(cells: Cells, spec: Any) -> None:
    """Tells a spec of a server group who its members are now and on which hosts they run."""
    group = spec.get("instance_group")
    if group is None:
        return
    row = cells.api.read(placed.group, uuid=group.uuid)
    if row is None or row["policy"] not in _PLACING_POLICIES:
        return
    hosts: set[str] = set()
    for cell in cells.working() if row["members"] else ():
        hosts |= cell.db.read(instances.hosts_of, row["members"])
    group.members, group.hosts = row["members"], sorted(hosts)
    group.obj_reset_changes(["members", "hosts"])


def next_attempt(max_attempts: int, properties: dict[str, Any], uuid: str) -> None:
    """Counts an attempt in `retry` of the filter properties; with a maximum of 1 nothing is kept, as nobody tries
    again.

    Raises MaxRetriesExceeded. Source: nova 34.0.0 flows 1.13, 2.1.
    """
    if max_attempts == 1:
        properties.pop("retry", None)
        return
    retry = properties.setdefault("retry", {"num_attempts": 0, "hosts": []})
    retry["num_attempts"] += 1
    reason = retry.pop("exc_reason", None)
    told = retry.pop("exc", None) or [reason or "no reason was told"]
    problem = told if isinstance(told, str) else " ".join(told)  # nova-computes send the lines of a traceback
    if retry["num_attempts"] > max_attempts:
        text = f"Server {uuid} could not be built on any of {max_attempts} hosts; the last one said: {problem}"
        raise MaxRetriesExceeded(text)


def note_host(properties: dict[str, Any], selection: Any) -> None:
    """Adds the chosen host and its limits to the filter properties."""
    if "retry" in properties:
        properties["retry"]["hosts"].append([selection.service_host, selection.nodename])
    properties["limits"] = limits_of(selection)


def limits_of(selection: Any) -> dict[str, Any]:
    """The limits of a Selection that say something, by name."""
    limits = selection.get("limits")
    if limits is None:
        return {}
    return {name: limits.get(name) for name in limits.fields if limits.get(name) is not None}


def zone_of(conf: Any, selection: Any) -> str:
    """The availability zone of the chosen host."""
    return selection.get("availability_zone") or conf.default_availability_zone

"""Objects in the cluster whose server is gone and that no machine leads to: disks, secrets and network attachments of
a build that was taken back half, or of a server that the API deleted while its host was away.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Any

from keel_common.kube import NAD, PVC, SECRET, names
from keel_compute.errors import text
from keel_compute.scope import Place, Scope
from keel_compute.site import Site
from keel_compute.steps import machine
from keel_contract.context import Context

LOG = logging.getLogger(__name__)


def sweep(site: Site, places: Callable[[], Collection[Place]]) -> None:
    """Remove what deleted servers, and servers in ERROR that are on no host, left in the cluster.

    It costs three lists of the cluster. Of those that were on a host only the ones of our `places`: another replica
    may be at the others.
    """
    ours = {place.name: place for place in places()}
    suspects = sorted(_owners(site))
    if not ours or not suspects:
        return
    context = Context.admin("nova")
    records = site.records
    dead = records.instances_by(context, suspects, deleted=True)
    given_up = [each for each in records.instances_by(context, suspects) if each.vm_state == "error"]
    for instance in [*dead, *(each for each in given_up if each.host is None)]:
        place = ours.get(instance.host) if instance.host else next(iter(ours.values()))
        if place is not None:
            _remove(site, place, context, instance)


def _owners(site: Site) -> set[str]:
    """Servers with something in the cluster, no machine, and no operation that goes on here."""
    mine = {names.MANAGED_BY: names.COMPUTE}
    found = list(site.volumes.items())
    for kind in (PVC, SECRET, NAD):
        found += site.kube.list(kind, site.namespace, mine)
    servers = {(each["metadata"].get("labels") or {}).get(names.SERVER) for each in found}
    return {each for each in servers if each and not site.machines.get(names.vm(each)) and not site.flights.busy(each)}


def _remove(site: Site, place: Place, context: Context, instance: Any) -> None:
    LOG.warning("Server %s is gone but left objects in the cluster; they are removed", instance.uuid)
    with site.flights.enter(instance.uuid, "sweep") as flight:
        try:
            machine.remove(Scope(site, place, context, instance, flight))
        except Exception as error:
            LOG.warning(
                "Server %s: what is left could not be removed, tried again later: %s", instance.uuid, text(error)
            )

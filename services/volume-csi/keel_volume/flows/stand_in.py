"""A claim that takes the place of a volume's own: what a revert and a move have in common.

The stand-in is made and filled beside the claim; the row is changed over to it in one UPDATE; then the claim it
replaces goes. Which claim that is stands on the stand-in, so that every phase can be taken up by whoever comes next: a
stand-in that the row names has won, one that it does not name belongs to work that has failed or is still going on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from oslo_log import log

from keel_common.kube import DATAVOLUME, PVC, KubeError, names
from keel_volume.backend import Backend
from keel_volume.csi import claims, holdings, naming, observe
from keel_volume.csi.observe import Seen
from keel_volume.flows.refusals import is_refusal

LOG = log.getLogger(__name__)

#: What a stand-in is made for (annotation): another purpose, another content.
PURPOSE = "openstack.org/stand-in-for"
#: Statuses and migration statuses of rows whose stand-in is still being filled.
_AT_WORK = ("reverting", "retyping", "downloading", "restoring-backup")
_MOVING = ("starting", "migrating", "completing")


def step(
    backend: Backend,
    row: Mapping[str, Any],
    purpose: str,
    like: Mapping[str, Any],
    fill: Callable[[Mapping[str, Any]], dict] | None = None,
) -> Seen:
    """Ask for the stand-in (again) and look how far it is: ready, failed for good, or on its way.

    ``like``: columns in which the stand-in differs from the volume: ``host`` (its pool), and ``snapshot_id`` with
    ``snapshot_location`` or ``source_volid`` with ``source_location`` for what fills it. ``fill(wanted row)`` gives the
    body of a DataVolume that fills it with something else.
    """
    name = naming.next_claim(row)
    caches = backend.caches
    claim, data_volume = caches.claims.get(name), caches.imports.get(name)
    first = data_volume or claim
    if first is None:
        return _ask(backend, row, purpose, {**row, **like, "provider_location": name}, fill)
    if holdings.note(first, PURPOSE) != purpose:
        holdings.remove(backend, [name])
        return Seen(message="an earlier stand-in has to go first")
    if data_volume is None and observe.is_filled_by_import(claim):
        return Seen(message="the two mirrors are not in step")
    seen = observe.creation(claim, data_volume, False, backend.conf.csi.import_attempts)
    deadline = backend.import_deadline if data_volume else backend.provision_deadline
    if not seen.ready and observe.age(first) > deadline:
        return Seen(failed=True, message=seen.message or "it was not ready in time")
    return seen


def _ask(
    backend: Backend,
    row: Mapping[str, Any],
    purpose: str,
    wanted: Mapping[str, Any],
    fill: Callable[[Mapping[str, Any]], dict] | None,
) -> Seen:
    moves = claims.storage_class(wanted) != claims.storage_class(row)
    if fill is not None:
        kind, body = DATAVOLUME, fill(wanted)
    elif moves or backend.waits_for_consumer(claims.storage_class(wanted)):
        kind, body = DATAVOLUME, claims.copy(wanted, backend.namespace, backend.access_mode)
    else:
        kind, body = PVC, claims.claim(wanted, backend.namespace, backend.access_mode)
    notes = body["metadata"].setdefault("annotations", {})
    notes |= {holdings.REPLACES: naming.claim(row), PURPOSE: purpose}
    try:
        backend.kube.ensure(kind, body)
    except KubeError as problem:
        if is_refusal(problem):
            return Seen(failed=True, message=f"the cluster refused it: {problem}")
        LOG.warning("a claim in the stead of %s has to wait for the cluster: %s", naming.claim(row), problem)
    return Seen(message="asked for this moment")


def settle(backend: Backend, row: Mapping[str, Any]) -> None:
    """Take away what a stand-in has replaced, or a stand-in that nobody waits for any more. Raises KubeError."""
    own = naming.claim(row)
    busy = row["status"] in _AT_WORK or row["migration_status"] in _MOVING
    for item in holdings.shown(backend, row["id"]):
        replaced, name = holdings.note(item, holdings.REPLACES), item["metadata"]["name"]
        if replaced is None:
            continue
        if name == own:
            _finish(backend, name, replaced)
        elif replaced == own and not busy:
            LOG.info("the claim %s is not wanted any more", name)
            holdings.remove(backend, [name])


def marked(backend: Backend) -> list[str]:
    """Ids of the volumes that a stand-in is there for."""
    items = (*backend.caches.imports.items(), *backend.caches.claims.items())
    found = (holdings.label(item, names.VOLUME) for item in items if holdings.note(item, holdings.REPLACES))
    return sorted({volume for volume in found if volume})


def _finish(backend: Backend, name: str, replaced: str) -> None:
    """The claim that was replaced goes; when it has, the stand-in is a claim like others."""
    holdings.remove(backend, [replaced])
    if holdings.are_there(backend, [replaced]):
        return
    for kind in holdings.KINDS:
        if backend.kube.find(kind, name, backend.namespace) is not None:
            notes = {holdings.REPLACES: None, PURPOSE: None}
            backend.kube.patch(kind, name, backend.namespace, {"metadata": {"annotations": notes}})

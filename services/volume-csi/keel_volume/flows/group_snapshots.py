"""Group snapshots: all of one moment through a VolumeGroupSnapshot when the type of the group promises that, else a
VolumeSnapshot of each volume (source: cinder 29.0.0 flows 13.5; KubeVirt mapping).

Phases of the first kind, each seen in the cluster and taken again at will: claims marked - group snapshot asked - its
members named in our rows - marks off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import backend_groups as store
from keel_common.domain.volume import hosts
from keel_common.kube import GROUP_SNAPSHOT, KubeError
from keel_volume.backend import Backend
from keel_volume.csi import cuts, naming, observe
from keel_volume.flows import snapshots
from keel_volume.flows.groups import is_consistent
from keel_volume.flows.refusals import is_refusal

LOG = log.getLogger(__name__)
Row = Mapping[str, Any]


def advance_creation(backend: Backend, row: Row) -> None:
    """Ask for the snapshots (again) and see whether all of them are there."""
    members = backend.db.read(store.snapshots, row["id"])
    if is_consistent(row):
        _advance_together(backend, row, members)
        return
    for member in members:
        if member["status"] == "creating" and backend.caches.snapshots.get(naming.snapshot(member)) is None:
            snapshots.begin(backend, member)
    statuses = {member["status"] for member in backend.db.read(store.snapshots, row["id"])}
    if any(status.startswith("error") for status in statuses):
        _fail(backend, row, "a snapshot of it was not made")
    elif "creating" not in statuses and backend.db.run(store.cut_created, row["id"], {}):
        LOG.info("group snapshot %s is available", row["id"])


def _advance_together(backend: Backend, row: Row, members: list[dict[str, Any]]) -> None:
    try:
        item = cuts.find(backend, row["id"])
        if item is None:
            _ask(backend, row, members)
        elif (item.get("status") or {}).get("readyToUse"):
            _finish(backend, row, members, item)
        elif observe.age(item) > backend.provision_deadline:
            _fail(backend, row, observe.snapshot(item).message)
    except KubeError as problem:
        if is_refusal(problem) or backend.gives_up_creation(row["created_at"]):
            _fail(backend, row, f"the cluster refused it: {problem}")
        else:
            LOG.warning("group snapshot %s has to wait for the cluster: %s", row["id"], problem)


def _ask(backend: Backend, row: Row, members: list[dict[str, Any]]) -> None:
    pool = hosts.split(row["host"])[2] or ""
    chosen = cuts.class_of_pool(backend, pool)
    if chosen is None:
        _fail(
            backend,
            row,
            f"its type asks for consistent snapshots, and the cluster has no VolumeGroupSnapshotClass for pool {pool}",
        )
        return
    cuts.label_claims(backend, [naming.claim_of_snapshot(member) for member in members], row["id"], on=True)
    backend.kube.ensure(GROUP_SNAPSHOT, cuts.body(row, backend.namespace, chosen))


def _finish(backend: Backend, row: Row, members: list[dict[str, Any]], item: Row) -> None:
    """Every snapshot of ours is one of the members: by the claim it was cut from."""
    found = cuts.members(backend, item)
    claims = {member["id"]: naming.claim_of_snapshot(member) for member in members}
    if not set(claims.values()) <= set(found):
        return  # The members come one after the other.
    for member in members:
        cuts.adopt(backend, found[claims[member["id"]]], member)
    cuts.label_claims(backend, claims.values(), row["id"], on=False)
    places = {member: found[claim]["metadata"]["name"] for member, claim in claims.items()}
    if backend.db.run(store.cut_created, row["id"], places):
        LOG.info("group snapshot %s is available", row["id"])


def advance_deletion(backend: Backend, row: Row) -> None:
    """The snapshots go by their own steps; those of one moment are let go by the object that holds them together."""
    members = backend.db.read(store.snapshots, row["id"])
    if any(backend.db.read(rows.is_being_restored, member["id"]) for member in members):
        return
    try:
        gone = not is_consistent(row) or cuts.remove(backend, row["id"])
    except KubeError as problem:
        LOG.error("group snapshot %s cannot be deleted: %s", row["id"], problem)
        if is_refusal(problem) or backend.gives_up_deletion(row["updated_at"]):
            backend.db.run(store.cut_failed, row["id"])
        return
    stuck = sorted({member["status"] for member in members} - {"deleting"})
    if stuck:
        _fail(backend, row, f"it has snapshots in {', '.join(stuck)}")
    elif gone and not members and backend.db.run(store.cut_deleted, row["id"]):
        LOG.info("group snapshot %s is gone", row["id"])


def advance_member(backend: Backend, row: dict[str, Any]) -> None:
    """The creation of one snapshot: by itself, unless all of its group are taken together."""
    cut = backend.db.read(store.cut, row["group_snapshot_id"]) if row["group_snapshot_id"] else None
    if cut is None or not is_consistent(cut):
        snapshots.advance_creation(backend, row)


def gone(backend: Backend, group_snapshot_id: str) -> None:
    """What the cluster holds for a group snapshot that is deleted in the database goes."""
    cuts.remove(backend, group_snapshot_id)


def _fail(backend: Backend, row: Row, reason: str) -> None:
    LOG.error("group snapshot %s: %s", row["id"], reason)
    members = backend.db.read(store.snapshots, row["id"])
    if not backend.db.run(store.cut_failed, row["id"]) or row["status"] != "creating" or not is_consistent(row):
        return
    try:
        cuts.label_claims(backend, [naming.claim_of_snapshot(member) for member in members], row["id"], on=False)
        cuts.remove(backend, row["id"])
    except KubeError as problem:
        LOG.warning("what was made of group snapshot %s goes when it is deleted: %s", row["id"], problem)
    for member in members:
        backend.tell_user(member, "SNAPSHOT_CREATE", "SNAPSHOT_CREATE_ERROR", "VOLUME_SNAPSHOT")

"""Groups: made, changed and deleted with their volumes (source: cinder 29.0.0 flows 13).

A group has nothing of its own in the cluster. It is done when its volumes are, each by its own steps; so it can be
looked at any number of times, and a group whose message was lost goes on from its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend_groups as store
from keel_common.kube import KubeError
from keel_volume.backend import Backend
from keel_volume.csi import naming
from keel_volume.flows import create
from keel_volume.flows.refusals import Refused

LOG = log.getLogger(__name__)

CONSISTENT = "consistent_group_snapshot_enabled"


def is_consistent(row: Mapping[str, Any]) -> bool:
    """Whether the type of a group (or of a group snapshot) promises snapshots of one moment."""
    return row["group_specs"].get(CONSISTENT) == "<is> True"


def advance_creation(backend: Backend, row: Mapping[str, Any]) -> None:
    """A new group is there at once; a copied one when all its volumes are, in error when one of them is."""
    if row["source_group_id"] and is_consistent(row):
        _fail(backend, row, "a consistent copy of a group is made from a group snapshot: take one first")
        for member in backend.db.read(store.volumes, row["id"]):
            create.fail(backend, member, "CREATE_VOLUME_FROM_BACKEND")
        return
    members = backend.db.read(store.volumes, row["id"])
    for member in members:
        if member["status"] == "creating":
            _begin(backend, member)
    statuses = {member["status"] for member in backend.db.read(store.volumes, row["id"])}
    if any(status.startswith("error") for status in statuses):
        _fail(backend, row, "a volume of it could not be made")
    elif not statuses & {"creating", "downloading"} and backend.db.run(store.group_created, row["id"]):
        LOG.info("group %s is available", row["id"])


def _begin(backend: Backend, member: Mapping[str, Any]) -> None:
    """Ask the cluster for the copy of a volume or snapshot, unless it has been asked."""
    if not (member["snapshot_id"] or member["source_volid"]):
        return  # Made by itself, by a request for a volume in this group.
    name = naming.claim(member)
    if backend.caches.claims.get(name) or backend.caches.imports.get(name):
        return
    try:
        create.begin(backend, None, member, None)
    except Refused as refusal:
        LOG.error("volume %s: %s", member["id"], refusal)
        create.fail(backend, member, refusal.action, refusal.detail)
    except KubeError as problem:
        LOG.warning("volume %s has to wait for the cluster: %s", member["id"], problem)
        if backend.gives_up_creation(member["created_at"]):
            create.fail(backend, member, "CREATE_VOLUME_FROM_BACKEND")


def update(backend: Backend, group_id: str, add: Sequence[str], remove: Sequence[str]) -> None:
    """updating -> available with these volumes more and those less."""
    try:
        done = backend.db.run(store.group_updated, group_id, add, remove)
    except store.Taken as volume:
        LOG.error("group %s: volume %s is gone or in another group", group_id, volume)
        backend.db.run(store.group_failed, group_id)
        return
    LOG.info("group %s %s", group_id, "is changed" if done else "is not to be changed any more")


def advance_update(backend: Backend, row: Mapping[str, Any]) -> None:
    """Which volumes were to come and go stood in the message alone: when that is lost, the group is as it was."""
    if backend.is_lost(row["updated_at"]) and backend.db.run(store.group_updated, row["id"]):
        LOG.error("group %s stays as it was: the request to change it was lost", row["id"])


def advance_deletion(backend: Backend, row: Mapping[str, Any]) -> None:
    """The group goes when its volumes are gone, each by its own steps; one that cannot go keeps it, in error."""
    members = backend.db.read(store.volumes, row["id"])
    stuck = sorted({member["status"] for member in members} - {"deleting"})
    if stuck:
        _fail(backend, row, f"it has volumes in {', '.join(stuck)}")
    elif not members and backend.db.run(store.group_deleted, backend.quota, row):
        LOG.info("group %s is gone", row["id"])


def refuse_replication(backend: Backend, group_id: str) -> None:
    """Claims are not replicated by us: group and volumes say so, as recorded for a driver without replication."""
    LOG.error("group %s cannot be replicated: this backend has no replication", group_id)
    backend.db.run(store.replication_failed, group_id)


def gone(backend: Backend, group_id: str) -> None:
    """The cluster holds nothing of a group itself."""


def _fail(backend: Backend, row: Mapping[str, Any], reason: str) -> None:
    LOG.error("group %s: %s", row["id"], reason)
    backend.db.run(store.group_failed, row["id"])

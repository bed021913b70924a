"""Which step moves a resource on: by its kind and the status of its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import backend_groups as grouped
from keel_volume.backend import Backend
from keel_volume.flows import (
    create,
    delete,
    extend,
    group_snapshots,
    groups,
    reimage,
    revert,
    snapshots,
    stand_in,
    upload,
)

Step = Callable[[Backend, dict[str, Any]], None]


@dataclass(frozen=True)
class Kind:
    """``read`` gives the living row with its ``host``; ``settle`` look at one in a status without a step.

    ``unfinished(conn, backend)`` gives the ids in a status with one, where ``rows.unfinished`` does not; ``gone`` takes
    away what the cluster holds of a deleted row, where ``leftovers`` does not know how.
    """

    read: Callable[..., dict[str, Any] | None]
    steps: Mapping[str, Step]
    settle: Sequence[Step] = ()
    unfinished: Callable[[Any, str], list[str]] | None = None
    gone: Callable[[Backend, str], None] | None = None


KINDS = {
    "volume": Kind(
        rows.volume,
        {
            "creating": create.advance,
            "downloading": reimage.advance,
            "extending": extend.advance,
            "deleting": delete.advance,
            "reverting": revert.advance,
            "uploading": upload.advance,
        },
        (extend.settle, reimage.settle, stand_in.settle),
    ),
    "snapshot": Kind(
        rows.snapshot, {"creating": group_snapshots.advance_member, "deleting": snapshots.advance_deletion}
    ),
    "group": Kind(
        grouped.group,
        {"creating": groups.advance_creation, "updating": groups.advance_update, "deleting": groups.advance_deletion},
        unfinished=grouped.unfinished_groups,
        gone=groups.gone,
    ),
    "group_snapshot": Kind(
        grouped.cut,
        {"creating": group_snapshots.advance_creation, "deleting": group_snapshots.advance_deletion},
        unfinished=grouped.unfinished_cuts,
        gone=group_snapshots.gone,
    ),
}

#: What the cluster remembers of volumes whose rows may say that nothing is to be done: each gives ids of volumes.
MARKED: tuple[Callable[[Backend], list[str]], ...] = (extend.marked, reimage.marked, stand_in.marked)

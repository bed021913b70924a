"""Which step moves a resource on: by its kind and the status of its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keel_common.db.stores.cinder import backend as rows
from keel_volume.backend import Backend
from keel_volume.flows import create, delete, extend, revert, snapshots, stand_in

Step = Callable[[Backend, dict[str, Any]], None]


@dataclass(frozen=True)
class Kind:
    """``read`` gives the living row with its ``host``; ``settle`` look at one in a status without a step."""

    read: Callable[..., dict[str, Any] | None]
    steps: Mapping[str, Step]
    settle: Sequence[Step] = ()


KINDS = {
    "volume": Kind(
        rows.volume,
        {
            "creating": create.advance,
            "downloading": create.advance,
            "extending": extend.advance,
            "deleting": delete.advance,
            "reverting": revert.advance,
        },
        (extend.settle, stand_in.settle),
    ),
    "snapshot": Kind(rows.snapshot, {"creating": snapshots.advance_creation, "deleting": snapshots.advance_deletion}),
}

#: What the cluster remembers of volumes whose rows may say that nothing is to be done: each gives ids of volumes.
MARKED: tuple[Callable[[Backend], list[str]], ...] = (extend.marked, stand_in.marked)

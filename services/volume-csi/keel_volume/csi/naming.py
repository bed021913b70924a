"""Which claim holds a volume, and which VolumeSnapshot a snapshot: the one place that answers it.

Both have a name that derives from their uuid until something took their place: a revert and a move put a new claim in
the volume's stead, and what was taken over from the cluster keeps the name it had. The row says so in
`provider_location` (the name itself) or `_name_id` (whose name it is), as drivers of cinder 29.0.0 do. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_common.kube import names

Row = Mapping[str, Any]


def claim(volume: Row) -> str:
    """Claim (and, while it is filled, DataVolume) of a row of `volumes`."""
    return volume["provider_location"] or names.claim(volume["_name_id"] or volume["id"])


def snapshot(row: Row) -> str:
    """VolumeSnapshot of a row of `snapshots`."""
    return row["provider_location"] or names.snapshot(row["id"])


def claim_of_snapshot(row: Row) -> str:
    """Claim that a snapshot (stores.cinder.backend.snapshot) is taken of."""
    return row["volume_location"] or names.claim(row["volume_name_id"] or row["volume_id"])


def source_claim(volume: Row) -> str:
    """Claim of the volume that this one (stores.cinder.backend.volume) is a copy of."""
    return volume["source_location"] or names.claim(volume["source_name_id"] or volume["source_volid"])


def source_snapshot(volume: Row) -> str:
    """VolumeSnapshot that this volume (stores.cinder.backend.volume) is made from."""
    return volume["snapshot_location"] or names.snapshot(volume["snapshot_id"])


def next_claim(volume: Row) -> str:
    """A free name for the claim that takes the place of the volume's own: ``volume-<id>-r<n>``.

    The number follows the one the volume has now, so that asking twice gives the same name.
    """
    base = f"{names.claim(volume['id'])}-r"
    now = claim(volume).removeprefix(base)
    return f"{base}{int(now) + 1 if now.isdecimal() else 1}"

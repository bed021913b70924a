"""Capacity mathematics of a pool (cinder 29.0.0 scheduler capacity rules). Sizes in GiB."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Any

from keel_scheduler.volume.pools import Pool

#: Reports may say these instead of a number.
BOUNDLESS = ("infinite", "unknown")


def is_boundless(value: Any) -> bool:
    """Whether a reported capacity is a word, not a number."""
    return value in BOUNDLESS


def over_subscription(pool: Pool) -> float:
    """How often the free space may be promised; 1 without thin support or without known numbers."""
    if not pool.thin or is_boundless(pool.total) or is_boundless(pool.free):
        return 1.0
    if pool.max_over_subscription == "auto":
        if not pool.provisioned:
            return 20.0
        return 1 + pool.provisioned / (pool.total - pool.free + 1)
    return float(pool.max_over_subscription)


@dataclass(frozen=True)
class Factors:
    """What a pool may still give to one kind of volume."""

    total_available: float
    virtual_free: float
    provisioned_ratio: float


def factors(pool: Pool, thick: bool) -> Factors:
    """Numbers of a pool with known capacities, for a thick or thin volume; rounded to 2 decimals."""
    total = float(pool.total)
    usable = total - floor(total * pool.reserved_percentage / 100)
    if pool.thin and not thick:
        available = usable * over_subscription(pool)
        free = available - pool.provisioned
    else:
        available = usable
        free = min(available - pool.provisioned, float(pool.free))
    ratio = pool.provisioned / available if available else 0.0
    return Factors(round(available, 2), round(free, 2), round(ratio, 2))


def fits(pool: Pool, requested: float, thick: bool) -> bool:
    """The rule of CapacityFilter for a wish of ``requested`` GiB."""
    if not requested:
        return True
    if pool.free is None:
        return False
    if is_boundless(pool.free):
        return True
    if is_boundless(pool.total):
        return pool.reserved_percentage == 0
    if float(pool.total) <= 0:
        return False
    numbers = factors(pool, thick)
    if pool.thin and not thick:
        ratio = over_subscription(pool)
        if ratio < 1:
            return False
        usable = float(pool.total) - floor(float(pool.total) * pool.reserved_percentage / 100)
        if usable <= 0 or (pool.provisioned + requested) / usable > ratio:
            return False
    return numbers.virtual_free >= requested

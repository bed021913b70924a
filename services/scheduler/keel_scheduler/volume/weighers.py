"""The weighers: which pool is the best (cinder 29.0.0 scheduler weights)."""

from __future__ import annotations

import random
from collections.abc import Callable

from oslo_config import cfg

from keel_scheduler.volume import capacity
from keel_scheduler.volume.pools import Pool
from keel_scheduler.volume.wish import Wish

Weigh = Callable[[list[Pool], Wish, cfg.ConfigOpts], list[float]]


class UnknownWeigher(ValueError):
    """The configuration names something that is not built here."""


def select(names: list[str]) -> list[Weigh]:
    """The weighers of a configuration; an unknown name stops the service."""
    for name in names:
        if name not in WEIGHERS:
            raise UnknownWeigher(f"scheduler_default_weighers: {name} is not available; known: {', '.join(WEIGHERS)}")
    return [WEIGHERS[name] for name in names]


def order(pools: list[Pool], wish: Wish, conf: cfg.ConfigOpts, weighers: list[Weigh]) -> list[Pool]:
    """The pools, the best first; equal ones keep their order."""
    totals = [0.0] * len(pools)
    for weigh in weighers:
        for index, weight in enumerate(weigh(pools, wish, conf)):
            totals[index] += weight
    return [pools[index] for index in sorted(range(len(pools)), key=lambda i: -totals[i])]


def _scaled(raws: list[float], multiplier: float) -> list[float]:
    low, high = min(raws, default=0), max(raws, default=0)
    span = high - low
    return [multiplier * ((raw - low) / span if span else 0.0) for raw in raws]


def _free(pools: list[Pool], wish: Wish, conf: cfg.ConfigOpts) -> list[float]:
    """Most virtual free space first; a pool of unknown size comes last, or first when the multiplier is negative."""
    multiplier = conf.capacity_weight_multiplier
    known = [
        None
        if capacity.is_boundless(pool.total) or capacity.is_boundless(pool.free)
        else capacity.factors(pool, wish.thick).virtual_free
        for pool in pools
    ]
    finite = [value for value in known if value is not None]
    stand_in = -1.0
    if multiplier <= 0 and finite:
        span = max(finite) - min(finite)
        stand_in = max(finite) + (span * 100 if span else 10000)
    return _scaled([stand_in if value is None else value for value in known], multiplier)


def _allocated(pools: list[Pool], wish: Wish, conf: cfg.ConfigOpts) -> list[float]:
    return _scaled([pool.allocated for pool in pools], conf.allocated_capacity_weight_multiplier)


def _chance(pools: list[Pool], wish: Wish, conf: cfg.ConfigOpts) -> list[float]:
    return [random.random() for _ in pools]


WEIGHERS: dict[str, Weigh] = {
    "CapacityWeigher": _free,
    "AllocatedCapacityWeigher": _allocated,
    "ChanceWeigher": _chance,
}

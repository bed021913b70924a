"""The filters: may this pool take this volume. One row per name that ``scheduler_default_filters`` may list.

Names and rules: cinder 29.0.0 scheduler filters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from keel_scheduler.operators import satisfies
from keel_scheduler.volume import capacity
from keel_scheduler.volume.pools import Pool
from keel_scheduler.volume.wish import Wish

Check = Callable[[Pool, Wish, Mapping[str, str]], bool]


class UnknownFilter(ValueError):
    """The configuration names something that is not built here."""


def select(names: Iterable[str]) -> list[tuple[str, Check]]:
    """The filters of a configuration, in its order; an unknown name stops the service."""
    chosen = []
    for name in names:
        if name not in FILTERS:
            raise UnknownFilter(f"scheduler_default_filters: {name} is not available; known: {', '.join(FILTERS)}")
        chosen.append((name, FILTERS[name]))
    return chosen


def run(
    filters: Iterable[tuple[str, Check]], pools: list[Pool], wish: Wish, volumes: Mapping[str, str]
) -> tuple[list[Pool], list[tuple[str, int, int]]]:
    """Pools that pass all, and (name, before, after) of each filter. ``volumes``: hosts of the hinted volumes."""
    counts = []
    for name, check in filters:
        before = len(pools)
        pools = [pool for pool in pools if check(pool, wish, volumes)]
        counts.append((name, before, len(pools)))
    return pools, counts


def _zone(pool: Pool, wish: Wish, volumes: Mapping[str, str]) -> bool:
    return not wish.zones or pool.zone in wish.zones


def _capacity(pool: Pool, wish: Wish, volumes: Mapping[str, str]) -> bool:
    return pool.id == wish.exists_on or capacity.fits(pool, wish.requested, wish.thick)


def _capabilities(pool: Pool, wish: Wish, volumes: Mapping[str, str]) -> bool:
    if wish.operation == "extend_volume" and not pool.capabilities["online_extend_support"] and wish.attached:
        return False
    return all(_capability_meets(pool.capabilities, key, wanted) for key, wanted in wish.extra_specs.items())


def _capability_meets(capabilities: Mapping[str, Any], key: str, wanted: str) -> bool:
    """Specs of another scope than ``capabilities`` do not count; one matching item of a list is enough."""
    path = key.split(":")
    if len(path) > 1:
        if path[0] != "capabilities":
            return True
        path = path[1:]
    value: Any = capabilities
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            return False
        value = value[name]
    return any(satisfies(item, wanted) for item in (value if isinstance(value, list) else [value]))


def _same(pool: Pool, wish: Wish, volumes: Mapping[str, str]) -> bool:
    return not wish.same_host or any(_backend(volumes.get(v)) == pool.backend for v in wish.same_host)


def _different(pool: Pool, wish: Wish, volumes: Mapping[str, str]) -> bool:
    return all(_backend(volumes.get(v)) != pool.backend for v in wish.different_host)


def _not_tried(pool: Pool, wish: Wish, volumes: Mapping[str, str]) -> bool:
    return pool.id not in wish.tried and pool.backend not in wish.tried


def _backend(host: str | None) -> str | None:
    return host.partition("#")[0] if host else None


FILTERS: dict[str, Check] = {
    "AvailabilityZoneFilter": _zone,
    "CapacityFilter": _capacity,
    "CapabilitiesFilter": _capabilities,
    "SameBackendFilter": _same,
    "DifferentBackendFilter": _different,
    "RetryFilter": _not_tried,
}

"""Choose a pool for a volume: the services that are up, their reports, filters, weighers (cinder 29.0.0 scheduler)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from oslo_config import cfg

from keel_common.db import Database
from keel_common.db.stores.cinder import placement as store
from keel_common.db.stores.cinder import services
from keel_scheduler.volume import filters, weighers
from keel_scheduler.volume.pools import Pool, Pools
from keel_scheduler.volume.wish import Wish


class NoValidBackend(Exception):
    """Nothing fits; ``counts``: (filter, before, after)."""

    def __init__(self, reason: str, counts: list[tuple[str, int, int]] | None = None):
        steps = ", ".join(f"{name} {before} -> {after}" for name, before, after in counts or [])
        super().__init__(f"No valid backend was found. {reason}" + (f" Pools: {steps}." if steps else ""))
        self.reason = reason
        self.counts = counts or []


class Chooser:
    """Chooses pools from what backends report and the database says of their services."""

    def __init__(self, conf: cfg.ConfigOpts, db: Database, pools: Pools):
        self._conf = conf
        self._db = db
        self._pools = pools
        #: One at a time: of two requests for the last free space the second has to see that it is taken.
        self._taking = Lock()
        self._filters = filters.select(conf.scheduler_default_filters)
        self._weighers = weighers.select(conf.scheduler_default_weighers)

    def candidates(self) -> list[Pool]:
        """Pools of the volume services that are up, not disabled and not frozen."""
        return self._pools.of(self._up())

    def silent_services(self) -> set[str]:
        """Hosts of the volume services that are up and have not reported yet."""
        return {row["cluster_name"] or row["host"] for row in self._up()} - self._pools.reported()

    def best(self, wish: Wish) -> Pool:
        """The best pool for a new volume, with its capacity taken; NoValidBackend."""
        attempts = self._conf.scheduler_max_attempts
        if wish.attempts >= attempts > 1:
            raise NoValidBackend(f"All {attempts} attempts are used up.")
        with self._taking:
            pools, counts = self.passing(wish, self.candidates())
            if not pools:
                raise NoValidBackend("No pool takes this volume.", counts)
            pool = weighers.order(pools, wish, self._conf, self._weighers)[0]
            pool.consume(wish.size)
            return pool

    def here(self, wish: Wish, backend: str) -> Pool:
        """The pool of ``backend`` (host@backend#pool, or any pool of host@backend) if it passes; NoValidBackend."""
        with self._taking:
            own = [pool for pool in self.candidates() if _names(backend, pool)]
            if not own:
                raise NoValidBackend(f"Backend {backend} does not report.")
            passed, counts = self.passing(wish, own)
            if not passed:
                raise NoValidBackend(f"Backend {backend} does not take it.", counts)
            passed[0].consume(wish.requested)
            return passed[0]

    def fitting(self, wish: Wish, backend: str) -> Pool:
        """The pool of ``backend`` if it passes, with nothing taken of it; NoValidBackend."""
        own = [pool for pool in self.candidates() if _names(backend, pool)]
        passed, counts = self.passing(wish, own)
        if not passed:
            raise NoValidBackend(f"Backend {backend} does not take it.", counts)
        return passed[0]

    def for_all(self, wishes: Sequence[Wish]) -> Pool:
        """The best pool that passes for each of several wishes, with nothing taken of it; NoValidBackend."""
        pools = self.candidates()
        for wish in wishes:
            pools, counts = self.passing(wish, pools)
            if not pools:
                raise NoValidBackend("No pool takes this group with all its volume types.", counts)
        return weighers.order(pools, wishes[-1], self._conf, self._weighers)[0]

    def passing(self, wish: Wish, pools: list[Pool]) -> tuple[list[Pool], list[tuple[str, int, int]]]:
        """Pools that pass the filters, of those the request is bound to."""
        if wish.resource_backend:
            pools = [pool for pool in pools if _names(wish.resource_backend, pool)]
        hinted = [*wish.same_host, *wish.different_host]
        volumes: Mapping[str, str] = self._db.read(store.hosts_of, hinted) if hinted else {}
        passed, counts = filters.run(self._filters, pools, wish, volumes)
        return passed, [("candidates", len(pools), len(pools)), *counts]

    def _up(self) -> list[dict[str, Any]]:
        rows = self._db.read(services.listing, "cinder-volume")
        return [
            row
            for row in rows
            if not row["disabled"] and not row["frozen"] and services.is_up(row, self._conf.service_down_time)
        ]


def _names(backend: str, pool: Pool) -> bool:
    return backend in (pool.id, pool.backend)

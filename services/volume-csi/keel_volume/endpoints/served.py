"""What every group of methods of this backend has at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from keel_volume.backend import Backend
from keel_volume.reconcile import Reconciler


@dataclass
class Served:
    """``service_id`` is the row of this process in ``services``; ``publish`` sends the pools to the schedulers."""

    _backend: Backend
    _reconciler: Reconciler
    _service_id: Callable[[], int]
    _publish: Callable[[], None]

"""The cluster without its network side: store, rules and controllers put together."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from .admission import Admission, builtin
from .api import Api
from .authority import Authority
from .clock import Clock
from .contents import Contents
from .engine import Engine
from .events import Recorder
from .kinds import Catalogue
from .knobs import Knobs
from .reads import Reads
from .store import Store
from .writes import Writes


class Cluster:
    """Everything behind the API: what controllers and the control endpoint are given to work with."""

    def __init__(self, state: Path | None, seed: int | None, speed: float):
        self.random = random.Random(seed)
        self.catalogue = Catalogue()
        self.clock = Clock(speed)
        self.knobs = Knobs()
        self.store = Store(state)
        self.contents = Contents(self.store, state.parent / "volumes" if state else None)
        #: Where this cluster is reached (URL of the API) and the certificate (PEM) of who signs for it.
        self.address, self.ca = "", ""
        self.admission = Admission()
        self.writes = Writes(self.store, self.catalogue, self.clock, self.admission, self.random)
        self.reads = Reads(self.store, self.clock)
        self.authority = Authority()
        self.api = Api(self.catalogue, self.reads, self.writes, self.knobs, self.authority)
        self.engine = Engine(self.store, self.clock, self.knobs)
        self.events = Recorder(self.store, self.catalogue, self.writes, self.clock)
        builtin.register(self.admission, self.store)

    # -- shorthand for controllers

    def get(self, key: str, namespace: str, name: str) -> dict[str, Any] | None:
        return self.store.get(key, namespace, name)

    def list(self, key: str, namespace: str = "") -> list[dict[str, Any]]:
        return self.store.list(key, namespace)

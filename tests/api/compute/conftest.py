"""One compute API for the tests that go over all operations, with one of everything in it."""

from __future__ import annotations

import copy

import pytest
from fakes.api import CELL0, ComputeApi, Snapshot

from api.compute import world


class Whole:
    """`.api` with its peers, `.made` (name -> id); `restore()` brings all of it back to the beginning."""

    def __init__(self, tables):
        self.api = ComputeApi(tables)
        built = world.build(self.api)
        self.made, self._peers = built.made, built.peers
        self._databases = {"api": self.api.cells.api, "cell0": self.api.cells.get(CELL0).db, "cell1": self.api.cell1.db}
        self._beginning = Snapshot.taken(self._databases)
        self.api.bus.answers.update(world.answers(self.made))
        self.api.set("service_down_time", 86400)  # the heartbeats are as old as the session
        for resource in ("instances", "cores", "ram"):
            self.api.set(resource, 10**6, "quota")
        self.restore()

    def change(self, how):
        """Another beginning: `how` gets the databases by name."""
        how(self._databases)
        self._beginning = Snapshot.taken(self._databases)
        self.restore()

    def restore(self):
        for name, db in self._databases.items():
            self._beginning.restore(db, name)
        for name, peer in copy.deepcopy(self._peers).items():
            setattr(self.api.services.clients, name, peer)
        self.api.bus.sent.clear()

    def dump(self):
        """Every row of every database."""
        lines = []
        for db in self._databases.values():
            with db.engine.connect() as connection:
                lines += [line for line in connection.connection.driver_connection.iterdump() if "INSERT" in line]
        return lines

    def ask(self, wish, who, **how):
        """The answer to a wish."""
        method, path, body = wish.request(self.made)
        return self.api.call(method, path, body, who=who, version=wish.version, **how)


@pytest.fixture(scope="session")
def _whole(_compute_tables):
    whole = Whole(_compute_tables)
    yield whole
    whole.api.close()


@pytest.fixture
def whole(_whole):
    """One of everything in a project, as it was at the beginning."""
    _whole.restore()
    return _whole

"""In-process APIs for tests: real application, real policies and schemas, SQLite in memory, no network.

    def test_a_member_sees_no_disabled_flavors(compute, admin, member):
        assert compute.post("/flavors", {"flavor": {...}}, who=admin).ok
        reply = compute.get("/flavors?limit=1", who=member, version="2.55")
        assert reply.status == 200 and reply.body["flavors"] == []

Fixtures: `compute`, `volume` (the two suites, each with fresh databases), identities `admin`, `member` (roles member
and reader in project fakes.api.PROJECT), `reader`, `manager`, `other` (a member of fakes.api.OTHER), `service` (role
service). A call without `who` is made by `member`, without `version` at the suite's default; version "latest" works.

`api.services` is what the handlers get: `.conf`, `.cells` / `.db`, `.rpc` and `.clients`. Messages on the bus go to
`api.bus`, a `fakes.bus.RecordingBus`: `api.bus.sent` lists (method, arguments), `api.bus.answers[method] = value` sets
what a call returns. Peers over HTTP: `api.services.clients.<name> = fake`. `api.set(option, value, group=None)` changes
configuration. `api.with_handlers({id: fn})` adds handlers.

`fakes.rows` puts servers, services and compute nodes into cell1. Every answer of 2xx of the compute API is compared
with its recorded response schema; a difference fails the test.
"""

from __future__ import annotations

import pytest
from fakes.api import ComputeApi, Identity, Snapshot, VolumeApi


@pytest.fixture(scope="session")
def _compute_tables():
    return Snapshot.of({"api": "nova_api", "cell0": "nova_cell", "cell1": "nova_cell"})


@pytest.fixture(scope="session")
def _volume_tables():
    return Snapshot.of({"cinder": "cinder"})


@pytest.fixture
def compute(_compute_tables):
    api = ComputeApi(_compute_tables)
    yield api
    api.close()


@pytest.fixture
def volume(_volume_tables):
    api = VolumeApi(_volume_tables)
    yield api
    api.close()


@pytest.fixture
def admin():
    return Identity.ADMIN


@pytest.fixture
def member():
    return Identity.MEMBER


@pytest.fixture
def reader():
    return Identity.READER


@pytest.fixture
def manager():
    return Identity.MANAGER


@pytest.fixture
def other():
    return Identity.OTHER


@pytest.fixture
def service():
    return Identity.SERVICE

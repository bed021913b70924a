"""One cloud of each suite for all counts; each test begins with an empty ledger."""

from __future__ import annotations

import pytest

from keel_dev.kubesim import KubeSim
from perf import compute, volume
from perf.ledger import Ledger


@pytest.fixture(scope="package")
def _compute(tmp_path_factory):
    with KubeSim(speed=50, seed=7, nodes=2, namespace=compute.NAMESPACE) as sim:
        cloud = compute.ComputeCloud(tmp_path_factory.mktemp("compute"), sim)
        with Ledger.open(sim, cloud.clients.all(), compute.NOT_COUNTED) as ledger:
            cloud.start()
            try:
                cloud.boot(ledger)  # the first server of a project, an image and a host costs more than the others
                yield cloud, ledger
            finally:
                cloud.stop()


@pytest.fixture
def cloud(_compute):
    return _compute[0]


@pytest.fixture
def ledger(_compute):
    _compute[1].reset()
    return _compute[1]


@pytest.fixture(scope="package")
def _volume(tmp_path_factory):
    with KubeSim(seed=7, namespace=volume.NAMESPACE) as sim:
        # Real time, short steps: deadlines compare the cluster's timestamps with our clock.
        sim.cluster.knobs.delays = {step: seconds / 50 for step, seconds in sim.cluster.knobs.delays.items()}
        cloud = volume.VolumeCloud(tmp_path_factory.mktemp("volume"), sim)
        with Ledger.open(sim, ignore=volume.NOT_COUNTED) as ledger:
            cloud.start()
            try:
                first = cloud.create()  # the first volume of a project writes its quota usages
                ledger.settle(lambda: cloud.status(first) == "available")
                yield cloud, ledger
            finally:
                cloud.stop()


@pytest.fixture
def volumes(_volume):
    return _volume[0]


@pytest.fixture
def volume_ledger(_volume):
    _volume[1].reset()
    return _volume[1]

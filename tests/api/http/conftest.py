"""The tests of the machinery change nothing: they share one application of each suite."""

import pytest
from fakes.api import ComputeApi, VolumeApi


@pytest.fixture(scope="session")
def shared_compute(_compute_tables):
    api = ComputeApi(_compute_tables)
    yield api
    api.close()


@pytest.fixture(scope="session")
def shared_volume(_volume_tables):
    api = VolumeApi(_volume_tables)
    yield api
    api.close()

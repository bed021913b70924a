"""`cloud`: a deployment with nothing in it. See clients/deployment.py."""

from collections.abc import Iterator

import pytest

from clients.deployment import Deployment


@pytest.fixture(scope="session")
def _deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    made = Deployment(tmp_path_factory.mktemp("clients"))
    yield made
    made.close()


@pytest.fixture
def cloud(_deployment: Deployment) -> Deployment:
    _deployment.reset()
    return _deployment

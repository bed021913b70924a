"""The running cloud of either profile; without one nothing here can run."""

from collections.abc import Iterator

import pytest

from keel_dev.cloud import Cloud
from keel_dev.readiness import answers
from keel_dev.settings import Settings
from tests.e2e.commands import Commands
from tests.e2e.world import World


@pytest.fixture(scope="session")
def settings() -> Settings:
    """The facts of the cloud that `make up` started last."""
    return Settings.from_environment()


@pytest.fixture(scope="session")
def supervisor(settings: Settings) -> Cloud:
    """Starts and kills processes; ends the tests when the cloud does not run."""
    cloud = Cloud(settings)
    down = [name for name, service in cloud.services.items() if not cloud.book.pid(name) or not answers(service)]
    if down:
        pytest.exit(f"the cloud does not run ({', '.join(down)}): make up PROFILE=...", returncode=2)
    return cloud


@pytest.fixture(scope="session")
def everything(settings: Settings, supervisor: Cloud) -> World:
    """One set of connections for all tests."""
    return World(settings)


@pytest.fixture
def world(everything: World) -> Iterator[World]:
    """The cloud; what the test makes in it is deleted afterwards."""
    with everything.tidy():
        yield everything


@pytest.fixture(scope="session")
def member(settings: Settings, supervisor: Cloud) -> Commands:
    """The command line as the member `demo`."""
    return Commands(settings, "openkeel")


@pytest.fixture(scope="session")
def admin(settings: Settings, supervisor: Cloud) -> Commands:
    """The command line as the administrator."""
    return Commands(settings, "openkeel-admin")

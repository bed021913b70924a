"""One cloud whose processes change from test to test, and the table at the end."""

import fnmatch
from collections.abc import Iterator

import pytest

from keel_dev.settings import Settings
from tests.interop.deployment import Deployment
from tests.interop.report import Report

REPORT = pytest.StashKey[Report]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[REPORT] = Report()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cells", default="*", help="names of cells, with * and ?, separated by commas")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests whose cell, or whose own name where they are no cell, fits --cells."""
    patterns = config.getoption("--cells").split(",")
    kept = [item for item in items if any(fnmatch.fnmatch(_name(item), pattern) for pattern in patterns)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _name(item: pytest.Item) -> str:
    name = item.name.removeprefix("test_")
    return name[name.index("[") + 1 : -1] if "[" in name else name.replace("_", "-")


@pytest.fixture(scope="session")
def settings() -> Settings:
    """The facts of the cloud: MariaDB and RabbitMQ, the folder that KEEL_HOME names."""
    return Settings.from_environment("services")


@pytest.fixture(scope="session")
def deployment(settings: Settings) -> Iterator[Deployment]:
    """The cloud; what did not run before is ended afterwards."""
    found = Deployment(settings)
    found.prepare()
    yield found
    found.leave()


@pytest.fixture(scope="session")
def report(pytestconfig: pytest.Config) -> Report:
    """Where the results of all cells come together."""
    return pytestconfig.stash[REPORT]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    report = config.stash[REPORT]
    if report.lines:
        terminalreporter.section("interop matrix: seconds of each step")
        for line in report.table():
            terminalreporter.write_line(line)
        for failure in [text for line in report.lines for text in line.failures]:
            terminalreporter.write_line(failure)
        report.save(Settings.from_environment("services").home / "interop.json")

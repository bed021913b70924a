"""Tempest in its own environment: make its workspace, run tests, read their results."""

import subprocess
from pathlib import Path

from keel_dev import environments
from keel_dev.console import CloudError
from keel_dev.ini import render
from keel_dev.settings import Settings
from keel_dev.tempest.configuration import tempest_conf
from keel_dev.tempest.verdict import Result, read_results
from keel_dev.tempest.ways import Way

ENVIRONMENT = "tempest"


class Suite:
    """The test suite of one way."""

    def __init__(self, settings: Settings, way: Way) -> None:
        self.settings = settings
        self.way = way
        self.workspace = settings.state_of("tempest") / way.name

    def prepare(self) -> None:
        """Install Tempest where it is missing, make the workspace, write tempest.conf anew."""
        environments.install(self.settings, ENVIRONMENT)
        if not (self.workspace / ".stestr.conf").exists():
            self._run("tempest", "init", str(self.workspace), folder=self.workspace.parent)
        conf = tempest_conf(self.settings, self.way, self.workspace)
        (self.workspace / "etc" / "tempest.conf").write_text(render(conf))

    def run(self, regex: str, excluded: str, concurrency: int) -> None:
        """Run the tests whose ids match; what Tempest says goes to the person as it comes."""
        argv = [self.settings.program("tempest", ENVIRONMENT), "run", "--regex", regex]
        argv += ["--concurrency", str(concurrency), *(["--exclude-regex", excluded] if excluded else [])]
        subprocess.run(argv, cwd=self.workspace, env=self._variables())

    def results(self) -> list[Result]:
        """Results of the last run."""
        stream = self._run("stestr", "last", "--subunit", folder=self.workspace, may_fail=True)
        lines = self._run("python", "-m", "keel_plugins.test_results", folder=self.workspace, given=stream)
        return read_results(lines.decode().splitlines())

    def _run(
        self, program: str, *arguments: str, folder: Path, given: bytes | None = None, may_fail: bool = False
    ) -> bytes:
        argv = [self.settings.program(program, ENVIRONMENT), *arguments]
        done = subprocess.run(argv, cwd=folder, env=self._variables(), input=given, capture_output=True)
        if done.returncode and not may_fail:
            raise CloudError(f"{' '.join(argv)} failed:\n{done.stdout.decode()}{done.stderr.decode()}")
        return done.stdout

    def _variables(self) -> dict[str, str]:
        return environments.variables(self.settings, ENVIRONMENT)

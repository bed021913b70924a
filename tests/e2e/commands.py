"""The ordinary command line client, as a person runs it."""

import json
import os
import subprocess
from typing import Any

from keel_dev.settings import Settings


class Failed(AssertionError):
    """A command that ended with an error; the text is what it printed."""


class Commands:
    """Runs `openstack ...` and `kubectl ...` against the running cloud."""

    def __init__(self, settings: Settings, cloud: str) -> None:
        self.settings = settings
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(settings.home),
            "OS_CLIENT_CONFIG_FILE": str(settings.clouds_yaml),
            "OS_CLOUD": cloud,
            "KUBECONFIG": str(settings.kubeconfig),
        }

    def openstack(self, *arguments: str) -> str:
        """Run a command of the OpenStack client and return what it printed."""
        return self._run(self.settings.program("openstack", "project"), *arguments)

    def ask(self, *arguments: str) -> Any:
        """Run a command of the OpenStack client that shows or lists, and return its JSON."""
        return json.loads(self.openstack(*arguments, "-f", "json"))

    def kubectl(self, *arguments: str) -> str:
        """Run kubectl and return what it printed."""
        return self._run("kubectl", *arguments)

    def _run(self, *argv: str) -> str:
        done = subprocess.run(argv, env=self.environment, text=True, capture_output=True, timeout=180)
        if done.returncode:
            raise Failed(f"{' '.join(argv)}\n{done.stdout}{done.stderr}")
        return done.stdout

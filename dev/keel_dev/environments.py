"""Virtual environments, each made from pinned requirements and only when those have changed.

`project` is the checkout's own (`.venv`, made by dev/bootstrap.py before anything else); `companions` holds the real
services beside OpenKeel; `reference` holds the real Nova and Cinder and is made only when one of them is asked for.
"""

import os
import subprocess
import sys
from pathlib import Path

from keel_dev.console import CloudError, step
from keel_dev.settings import PLUGINS, REQUIREMENTS, Settings

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def install(settings: Settings, name: str) -> None:
    """Make or renew an environment; raises CloudError with the installer's words when that fails.

    NAME.txt says what to install, NAME-constraints.txt pins every package of it. A mark with the text of both is
    written last, so an interrupted installation starts again.
    """
    requirements = REQUIREMENTS / f"{name}.txt"
    constraints = REQUIREMENTS / f"{name}-constraints.txt"
    wanted = requirements.read_text() + constraints.read_text()
    folder = settings.environment_folder(name)
    mark = folder / "installed.txt"
    if mark.exists() and mark.read_text() == wanted:
        return
    with step(f"install the real services ({name})"):
        if not (folder / "bin" / "python").exists():
            _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        _run([*_installer(folder), "--requirement", str(requirements), "--constraint", str(constraints)])
        mark.write_text(wanted)


def _installer(folder: Path) -> list[str]:
    """The command that installs into a folder: uv when the project's environment has it, else its pip."""
    uv = Path(sys.prefix) / "bin" / "uv"
    python = str(folder / "bin" / "python")
    if uv.exists():
        return [str(uv), "pip", "install", "--quiet", "--python", python]
    return [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, text=True, capture_output=True)
    if done.returncode:
        raise CloudError(f"{' '.join(argv)} failed:\n{done.stdout}{done.stderr}")


def variables(settings: Settings, environment: str, extra: dict[str, str] | None = None) -> dict[str, str]:
    """The environment variables of a process: nothing of the person's shell but proxies and certificates."""
    kept = {name: value for name, value in os.environ.items() if name.lower().endswith(("_proxy", "_cert_file"))}
    known = {
        "PATH": f"{settings.environment_folder(environment) / 'bin'}:{SYSTEM_PATH}",
        "HOME": str(settings.state_of("home")),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": "ignore::DeprecationWarning",
        "no_proxy": "127.0.0.1,localhost",
    }
    if environment != "project":
        known["PYTHONPATH"] = str(PLUGINS)
    return kept | known | (extra or {})

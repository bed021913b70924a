"""Make the project's virtual environment, `.venv`: the one step that needs nothing but Python.

Usage: python3 dev/bootstrap.py

Installs the pinned packages with uv (or pip, where uv cannot be had) and the project itself, editable. A mark with
what was installed makes the next run end at once.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
VENV = CHECKOUT / ".venv"
FILES = ("requirements/run.txt", "requirements/dev.txt", "requirements/constraints.txt", "setup.cfg")
MARK = VENV / "installed.txt"


def main() -> None:
    """Bring the environment up to date, a line for each step."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python is what this line is for
        raise SystemExit(f"OpenKeel needs Python 3.11 or newer; this is {sys.version.split()[0]}")
    wanted = "".join((CHECKOUT / name).read_text() for name in FILES)
    if MARK.exists() and MARK.read_text() == wanted:
        return
    if not (VENV / "bin" / "python").exists():
        step("make .venv", make_environment)
    installer = [str(VENV / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(VENV / "bin" / "python")]
    if not Path(installer[0]).exists() and not step("install uv", try_uv):
        installer = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    run_txt, dev_txt, constraints = (str(CHECKOUT / name) for name in FILES[:3])
    step("install the packages of OpenKeel", lambda: run(*installer, "-r", run_txt, "-r", dev_txt, "-c", constraints))
    step("install OpenKeel, editable", lambda: run(*installer, "--no-deps", "--editable", str(CHECKOUT)))
    MARK.write_text(wanted)


def make_environment() -> None:
    """Make the environment; Debian keeps what venv needs in a package of its own."""
    done = subprocess.run([sys.executable, "-m", "venv", str(VENV)], text=True, capture_output=True)
    if done.returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\nInstall python3-venv and try again.")
    run("apt-get", "update")
    run("apt-get", "install", "-y", "--no-install-recommends", "python3-venv")
    run(sys.executable, "-m", "venv", str(VENV))


def try_uv() -> bool:
    """Install uv; False when this machine cannot have it."""
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*pip, "-c", str(CHECKOUT / FILES[2]), "uv"], capture_output=True).returncode == 0


def run(*argv: str) -> None:
    """Run a command; end with its words when it fails."""
    done = subprocess.run(argv, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"FAILED: {' '.join(argv)}\n{done.stdout}{done.stderr}")


def step(title: str, action):
    """Do something and print its seconds."""
    print(f"{title} ...", flush=True)
    begun = time.monotonic()
    result = action()
    print(f"  {title:<58} {time.monotonic() - begun:6.1f} s", flush=True)
    return result


if __name__ == "__main__":
    main()

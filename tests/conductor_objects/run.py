"""Has a conductor answer the cases."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from conductor_objects import names, seed_api, seed_cell
from conductor_objects.calls import Case
from conductor_objects.driver import Driver
from conductor_objects.normal import Normal, uuids
from conductor_objects.ours import Conductor
from conductor_objects.worlds import World
from keel_contract.context import Context
from keel_dev.settings import Settings

SCRIPT = Path(__file__).with_name("reference.py")
SECONDS = 1800
CONFIG = """[DEFAULT]
transport_url = fake://
host = control
[database]
connection = {cell}
[api_database]
connection = {api}
[placement]
auth_type = none
endpoint_override = http://127.0.0.1:9
"""


def reference() -> str | None:
    """The python of an environment with a real Nova: KEEL_REFERENCE, else the one that `keel-cloud` made."""
    made = Settings.from_environment().environment_folder("reference") / "bin" / "python"
    return os.environ.get("KEEL_REFERENCE") or (str(made) if made.exists() else None)


def config(world: World, folder: Path) -> str:
    """The nova.conf of either conductor; nothing answers at the end points of its peers."""
    path = folder / "nova.conf"
    path.write_text(CONFIG.format(**world.urls))
    return str(path)


def context() -> dict[str, Any]:
    """The wire form of who asks in every call: an administrator with a project."""
    asked = Context(names.USER, names.PROJECT, ["admin"], names.REQUEST, is_admin=True, timestamp="2024-02-01T00:00:00")
    return asked.to_wire("nova")


def known(cases: list[Case]) -> set[str]:
    """The uuids of seeds, cases and the context."""
    return uuids([seed_api.rows(), seed_cell.rows(), cases, context()])


def ours(world: World, folder: Path, cases: list[Case]) -> dict[str, Any]:
    """Case name -> outcomes of our conductor."""
    stores = world.opened()
    conductor = Conductor(config(world, folder))
    driver = Driver(conductor, stores, Normal(known(cases), world.places), context())
    try:
        return {case["name"]: driver.run(case) for case in cases}
    finally:
        conductor.close()
        for store in stores:
            store.close()


def theirs(world: World, folder: Path, cases: list[Case], python: str) -> dict[str, Any]:
    """Case name -> outcomes of the conductor of the Nova that `python` has.

    :raises subprocess.CalledProcessError: it did not run; its output has the reason
    """
    job = {
        "stores": world.stores,
        "config": config(world, folder),
        "places": world.places,
        "context": context(),
        "known": sorted(known(cases)),
        "cases": cases,
        "answers": f"{folder}/answers.json",
    }
    (folder / "job.json").write_text(json.dumps(job))
    subprocess.run([python, str(SCRIPT), str(folder / "job.json")], check=True, timeout=SECONDS)
    return dict(json.loads((folder / "answers.json").read_text()))

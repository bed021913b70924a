"""Create the databases, each once; one whose creation was interrupted is made anew."""

import grp
import os
import pwd
import sqlite3
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from keel_dev import servers
from keel_dev.console import CloudError, step
from keel_dev.environments import variables
from keel_dev.settings import PASSWORD, REGION, Settings


def companions(settings: Settings) -> None:
    """Databases of Keystone (with its keys and first user), Placement, Glance and Neutron, all at the same time."""
    steps = {"keystone": _keystone, "placement": _placement, "glance": _glance, "neutron": _neutron}
    missing = [name for name in steps if not _mark(settings, name).exists()]
    if not missing:
        return
    with step(f"create the databases of {', '.join(missing)}"), ThreadPoolExecutor(len(missing)) as pool:
        for done in [pool.submit(_create, settings, (name,), steps[name]) for name in missing]:
            done.result()


def suites(settings: Settings, compute: str, volume: str) -> None:
    """Databases of Nova and Cinder, with the cells cell0 and cell1.

    `compute` and `volume` name processes whose nova.conf and cinder.conf have the database URLs.
    """

    def nova(settings: Settings) -> None:
        file = settings.etc / compute / "nova.conf"
        _keel(settings, file, "nova", "api_db", "sync")
        _keel(
            settings, file, "nova", "cell_v2", "map_cell0", "--database_connection", settings.database_url("nova_cell0")
        )
        _keel(settings, file, "nova", "db", "sync")
        cell1 = ["--database_connection", settings.database_url("nova_cell1")]
        cell1 += ["--transport-url", settings.transport_url]
        _keel(settings, file, "nova", "cell_v2", "create_cell", "--name", "cell1", *cell1)

    def cinder(settings: Settings) -> None:
        _keel(settings, settings.etc / volume / "cinder.conf", "cinder", "db", "sync")

    _once(settings, ("nova_api", "nova_cell0", "nova_cell1"), "create the databases of the compute suite", nova)
    _once(settings, ("cinder",), "create the database of the volume suite", cinder)


def discover_hosts(settings: Settings, compute: str) -> None:
    """Map the compute hosts that have announced themselves to their cell."""
    _keel(settings, settings.etc / compute / "nova.conf", "nova", "cell_v2", "discover_hosts")


def _mark(settings: Settings, name: str) -> Path:
    """The file that says that a database is complete."""
    return settings.state / f"{name}-created"


def _once(settings: Settings, names: tuple[str, ...], title: str, create: Callable[[Settings], None]) -> None:
    if not _mark(settings, names[-1]).exists():
        with step(title):
            _create(settings, names, create)


def _create(settings: Settings, names: tuple[str, ...], create: Callable[[Settings], None]) -> None:
    """Make databases anew, whatever an interrupted creation left; the mark comes last."""
    for name in names:
        _empty(settings, name)
    create(settings)
    _mark(settings, names[-1]).touch()


def _empty(settings: Settings, name: str) -> None:
    """An empty database. SQLite gets a write-ahead log, so that readers and the writer do not wait for each other."""
    if settings.uses_servers:
        servers.recreate_database(settings, name)
        return
    path = settings.database_file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def _keystone(settings: Settings) -> None:
    config = ["--config-file", str(settings.etc / "keystone" / "keystone.conf")]
    _program(settings, "keystone-manage", *config, "db_sync")
    owner = [
        "--keystone-user",
        pwd.getpwuid(os.geteuid()).pw_name,
        "--keystone-group",
        grp.getgrgid(os.getegid()).gr_name,
    ]
    for kind in ("fernet", "credential"):
        _program(settings, "keystone-manage", *config, f"{kind}_setup", *owner)
    urls = [f"--bootstrap-{kind}-url={settings.auth_url}" for kind in ("public", "internal", "admin")]
    first = [f"--bootstrap-password={PASSWORD}", f"--bootstrap-region-id={REGION}", *urls]
    _program(settings, "keystone-manage", *config, "bootstrap", *first)


def _placement(settings: Settings) -> None:
    _program(
        settings, "placement-manage", "--config-file", str(settings.etc / "placement" / "placement.conf"), "db", "sync"
    )


def _glance(settings: Settings) -> None:
    _program(settings, "glance-manage", "--config-file", str(settings.etc / "glance" / "glance-api.conf"), "db_sync")


def _neutron(settings: Settings) -> None:
    if settings.uses_servers:
        config = str(settings.etc / "neutron" / "neutron.conf")
        _program(settings, "neutron-db-manage", "--config-file", config, "upgrade", "heads")
    else:
        _program(settings, "python", "-m", "keel_plugins.neutron_schema", settings.database_url("neutron"))


def _program(settings: Settings, program: str, *arguments: str, environment: str = "companions") -> None:
    """Run a management program; its output goes to the log `manage`, and its end into the error."""
    log = settings.logs / "manage.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    argv = [settings.program(program, environment), *arguments]
    done = subprocess.run(
        argv, env=variables(settings, environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with open(log, "a") as output:
        output.write(f"$ {' '.join(argv)}\n{done.stdout}")
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-5:])
        raise CloudError(f"{program} {' '.join(arguments)} failed; see {log}\n{last}")


def _keel(settings: Settings, conf: Path, suite: str, *arguments: str) -> None:
    _program(settings, "keel-manage", "--suite", suite, "--config-file", str(conf), *arguments, environment="project")

"""The databases of a benchmark: made anew beside those of the cloud, filled by `perf.rows`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable
from typing import Any

from perf import rows

from bench.sides import Side
from keel_common.config import load
from keel_common.db import Cells, Database, add, schema
from keel_common.db.stores.cinder import types
from keel_common.manage.main import main as manage
from keel_contract import releases
from keel_dev import servers
from keel_dev.ini import render
from keel_dev.settings import HOST, Settings

NAMES = {"compute": ("bench_nova_api", "bench_nova_cell0", "bench_nova_cell1"), "volume": ("bench_cinder",)}


def _empty(settings: Settings, names: Iterable[str]) -> None:
    for name in names:
        servers.recreate_database(settings, name)
        for client in ("localhost", HOST):
            servers.sql(f"GRANT ALL ON `{settings.prefix}_{name}`.* TO '{settings.prefix}'@'{client}';")


def drop(settings: Settings, suite: str) -> None:
    """Forget the databases of a suite."""
    for name in NAMES[suite]:
        servers.sql(f"DROP DATABASE IF EXISTS `{settings.prefix}_{name}`;")


def compute(settings: Settings, side: Side, project: str, user: str, number: int) -> list[str]:
    """Databases of the compute suite with `number` servers of one project; their uuids."""
    _empty(settings, NAMES["compute"])
    conf = _written(side)
    cell0 = settings.database_url("bench_nova_cell0")
    _manage("nova", conf, "api_db", "sync")
    _manage("nova", conf, "cell_v2", "map_cell0", "--database_connection", cell0)
    _manage("nova", conf, "db", "sync")
    _manage("nova", conf, "cell_v2", "create_cell", "--name", "cell1")
    cells = Cells(_conf("compute", conf))
    (cell,) = cells.working()
    for host in range(10):
        _host(cell, f"away-{host}")
    flavors(cells.api)
    made: list[str] = []
    while len(made) < number:
        made += rows.servers(cells.api, cell, project, user, min(1000, number - len(made)))
    return made


def volume(settings: Settings, side: Side, project: str, user: str, number: int) -> list[str]:
    """The database of the volume suite with `number` volumes of one project; their ids."""
    _empty(settings, NAMES["volume"])
    conf = _written(side)
    _manage("cinder", conf, "db", "sync")
    db = Database(settings.database_url("bench_cinder"))
    kind = db.read(types.get_by_name, "__DEFAULT__")["id"]
    no_limit = schema.cinder.tables["quota_classes"].update().values(hard_limit=-1)
    db.run(lambda conn: conn.execute(no_limit))
    made: list[str] = []
    while len(made) < number:
        made += rows.volumes(db, project, user, kind, min(1000, number - len(made)))
    _volume_host(db)
    return made


def flavors(api: Any) -> None:
    """The twenty flavors that the servers have, and one to create with."""
    table = schema.nova_api.tables["flavors"]
    for number in range(rows.FLAVORS):
        shape = {"name": f"m{number}", "flavorid": f"f{number}", "memory_mb": 2048, "vcpus": 1, "root_gb": 20}
        shape |= {"ephemeral_gb": 0, "swap": 0, "rxtx_factor": 1.0, "disabled": False, "is_public": True}
        api.run(add, table, {**shape, "vcpu_weight": 0})


def _host(cell: Any, name: str) -> None:
    services = schema.nova_cell.tables["services"]
    row = {"host": name, "binary": "nova-compute", "topic": "compute", "report_count": 1, "disabled": False}
    cell.db.run(add, services, {**row, "forced_down": False, "version": 74})


def _volume_host(db: Any) -> None:
    table = schema.cinder.tables["services"]
    release = releases.CINDER[-1]
    common = {"report_count": 1, "disabled": False, "availability_zone": "nova"}
    common["object_current_version"] = release.objects
    for host, part in (("host1@cluster", "volume"), ("host1", "scheduler")):
        row = {"host": host, "binary": f"cinder-{part}", "topic": f"cinder-{part}"}
        db.run(add, table, {**common, **row, "rpc_current_version": release.rpc[part]})


def _written(side: Side) -> str:
    side.folder.mkdir(parents=True, exist_ok=True)
    path = side.folder / side.conf_name
    path.write_text(render(side.sections()))
    return str(path)


def _conf(suite: Any, path: str) -> Any:
    return load(suite, [], config_files=[path])


def _manage(suite: str, conf: str, *arguments: str) -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = manage(["--suite", suite, "--config-file", conf, *arguments])
    if code:
        raise RuntimeError(f"keel-manage {' '.join(arguments)}: {code}\n{said.getvalue()}")

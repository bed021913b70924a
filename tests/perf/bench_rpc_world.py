"""The broker, the databases and the two conductors of bench_rpc."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from conductor_objects import names, seed_cell
from sqlalchemy import create_engine, text

from keel_common.db import Database, add, schema, sync

SERVER = os.environ.get("KEEL_BENCH_MYSQL", "mysql+pymysql://root@localhost/?unix_socket=/run/mysqld/mysqld.sock")
BROKER = os.environ.get("KEEL_BENCH_RABBIT", "rabbit://guest:guest@127.0.0.1:5672/")
PATIENCE = 90.0
SERVERS = 8
CONFIG = """[DEFAULT]
host = bench-{name}
transport_url = {transport}
state_path = {place}
[conductor]
workers = 1
[database]
connection = {cell}
[api_database]
connection = {api}
[oslo_concurrency]
lock_path = {place}
[placement]
auth_type = none
endpoint_override = http://127.0.0.1:9
"""


def server(number: int) -> str:
    """The uuid of a server of the bench."""
    return names.uuid(0xBE, number)


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    """An API and a cell database of this run, with servers; URLs by kind. They are dropped in the end."""
    mark = uuid.uuid4().hex[:8]
    found = {kind: f"keel_bench_{mark}_{kind}" for kind in ("api", "cell")}
    engine = create_engine(SERVER)
    try:
        with engine.connect() as conn:
            for name in found.values():
                conn.execute(text(f"CREATE DATABASE {name} CHARACTER SET utf8mb3"))
        urls = {kind: SERVER.replace("/?", f"/{name}?") for kind, name in found.items()}
        for kind, url in urls.items():
            db = Database(url)
            sync(db, f"nova_{kind}")
            if kind == "cell":
                db.run(_servers)
            db.close()
        yield urls
    finally:
        with engine.connect() as conn:
            for name in found.values():
                conn.execute(text(f"DROP DATABASE IF EXISTS {name}"))
        engine.dispose()


def _servers(conn: Any) -> None:
    """Copies of the running server of the recorded seeds, with all the rows that belong to it."""
    rows = seed_cell.rows()
    parts = ("instances", "instance_extra", "instance_info_caches", "instance_metadata", "instance_system_metadata")
    for number in range(SERVERS):
        for table in parts:
            key = "uuid" if table == "instances" else "instance_uuid"
            for row in rows[table]:
                if row[key] == names.ACTIVE and not row["deleted"]:
                    values = {name: value for name, value in row.items() if name not in ("id", "created_at")}
                    add(conn, schema.nova_cell.tables[table], values | {key: server(number)})
        _more_system_metadata(conn, number)


def _more_system_metadata(conn: Any, number: int) -> None:
    """What a boot from an image leaves there."""
    table = schema.nova_cell.tables["instance_system_metadata"]
    pairs = {f"image_{name}": "x86_64" for name in ("hw_architecture", "hw_machine_type", "os_distro", "os_version")}
    pairs |= {"boot_roles": "member,reader", "owner_user_name": "demo", "owner_project_name": "demo"}
    add(conn, table, *({"instance_uuid": server(number), "key": key, "value": pairs[key]} for key in pairs))


@contextmanager
def virtual_hosts() -> Iterator[dict[str, str]]:
    """A virtual host of this run for each conductor; transport URLs by its name."""
    mark = uuid.uuid4().hex[:8]
    hosts = {name: f"keel_bench_{mark}_{name}" for name in ("nova", "ours")}
    try:
        for host in hosts.values():
            _rabbitmqctl("add_vhost", host)
            _rabbitmqctl("set_permissions", "-p", host, "guest", ".*", ".*", ".*")
        yield {name: f"{BROKER}{host}" for name, host in hosts.items()}
    finally:
        for host in hosts.values():
            _rabbitmqctl("delete_vhost", host, check=False)


def _rabbitmqctl(*argv: str, check: bool = True) -> None:
    subprocess.run(["rabbitmqctl", "-q", *argv], check=check, capture_output=True, timeout=60)


class Conductor:
    """A process that serves the topic conductor of a virtual host.

    :ivar transport_url: of its virtual host
    """

    def __init__(self, name: str, program: list[str], place: Path, transport: str, urls: dict[str, str]) -> None:
        self.name, self.transport_url = name, transport
        config, self._log = place / f"{name}.conf", place / f"{name}.log"
        config.write_text(CONFIG.format(name=name, transport=transport, place=place, **urls))
        with open(self._log, "wb") as log:
            argv = [*program, "--config-file", str(config)]
            self._process = subprocess.Popen(argv, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        self._wait()

    def _wait(self) -> None:
        """Until a queue of its topic has a consumer."""
        end = time.monotonic() + PATIENCE
        host = self.transport_url.rpartition("/")[2]
        while time.monotonic() < end and self._process.poll() is None:
            asked = ["rabbitmqctl", "-q", "list_queues", "-p", host, "name", "consumers", "--formatter", "json"]
            told = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=True).stdout
            if any(queue["name"] == "conductor" and queue["consumers"] for queue in json.loads(told or "[]")):
                return
            time.sleep(0.5)
        raise RuntimeError(f"{self.name} serves nothing:\n{self._log.read_text()[-2000:]}")

    def cpu(self) -> float:
        """Seconds of processor time that the process and all it started have used."""
        process = psutil.Process(self._process.pid)
        tree = [process, *process.children(recursive=True)]
        return sum(times.user + times.system for times in (one.cpu_times() for one in tree))

    def end(self) -> None:
        if self._process.poll() is not None:
            return
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

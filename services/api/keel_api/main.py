"""The API processes: keel-compute-api and keel-volume-api."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask

from keel_api import options
from keel_api.app import build
from keel_api.services import ComputeServices, VolumeServices
from keel_common.clients import Clients
from keel_common.config import load
from keel_common.db import Cells, Database
from keel_common.runtime import Part, WsgiServer
from keel_common.runtime.web import serve
from keel_contract.bus import Bus

_SUITES = {
    "compute": ("osapi_compute_listen", "osapi_compute_listen_port", "osapi_compute_workers"),
    "volume": ("osapi_volume_listen", "osapi_volume_listen_port", "osapi_volume_workers"),
}
Checks = Mapping[str, Callable[[], None]]


def compute(argv: list[str] | None = None) -> int:
    """keel-compute-api: serve the compute API until SIGTERM; the exit code."""
    return _main("compute", argv)


def volume(argv: list[str] | None = None) -> int:
    """keel-volume-api: serve the block storage API until SIGTERM; the exit code."""
    return _main("volume", argv)


def parts(conf: Any, suite: str) -> list[Part]:
    """The API of a suite inside this process, on its configured address: one server with [keel]api_threads threads."""
    options.register(conf, suite)
    host, port, _ = (conf[option] for option in _SUITES[suite])
    return [WsgiServer(application(conf, suite), host, port, conf.keel.api_threads, name=f"{suite}-api")]


def application(conf: Any, suite: str) -> Flask:
    """The WSGI application with its real services; for any WSGI server."""
    services, checks = _services(conf, suite)
    return build(conf, suite, services, checks=lambda: checks)


def _main(suite: str, argv: list[str] | None) -> int:
    conf = load(suite, argv, prog=f"keel-{suite}-api")
    options.register(conf, suite)
    host, port, workers = (conf[option] for option in _SUITES[suite])
    threads = conf.keel.api_threads
    return serve(conf, lambda: application(conf, suite), host, port, workers, threads, name=f"{suite}-api")


def _services(conf: Any, suite: str) -> tuple[Any, Checks]:
    def bus(url: str | None) -> Bus:
        return Bus(conf, "nova" if suite == "compute" else "cinder", url=url)

    clients = Clients(conf, suite)
    if suite == "compute":
        cells = Cells(conf)
        return ComputeServices(conf, cells, clients, bus), {"api-database": cells.api.ping}
    db = Database(conf.database.connection, conf.database)
    return VolumeServices(conf, db, clients, bus), {"database": db.ping}

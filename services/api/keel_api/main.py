"""The API processes: keel-compute-api and keel-volume-api."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask

from keel_api import options
from keel_api.app import build
from keel_api.services import ComputeServices, VolumeServices
from keel_common.clients import Clients
from keel_common.config import load
from keel_common.db import Cells, Database
from keel_common.db.fleet import CinderFleet, NovaFleet
from keel_common.db.heartbeat import NovaHeartbeat
from keel_common.db.stores.nova import quotas
from keel_common.runtime import CannotStart, Part, StartCheck, WsgiServer, setup_logging
from keel_common.runtime.web import serve
from keel_contract.bus import Bus

LOG = logging.getLogger(__name__)

_BINARY = "nova-osapi_compute"

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
    running = _Running(conf, suite)
    server = WsgiServer(running.application(), host, port, conf.keel.api_threads, name=f"{suite}-api")
    return [StartCheck("api", lambda: join(conf, suite)), running, server]


def application(conf: Any, suite: str) -> Flask:
    """The WSGI application with its real services; for any WSGI server. Raises CannotStart."""
    options.register(conf, suite)
    join(conf, suite)
    return _Running(conf, suite).application()


def join(conf: Any, suite: str) -> None:
    """Raises CannotStart beside services that this API does not work with, and for settings that are not built. The
    compute API writes its row of services, which never beats (nova 34.0.0 db semantics, services); Cinder's has none.

    Connections of its own: a process that forks its workers must hold none."""
    if suite == "compute":
        quotas.refuse_unbuilt_driver(conf)
        cells = Cells(conf)
        try:
            NovaFleet(conf, cells).start()
            NovaHeartbeat(conf, cells.local, _BINARY, topic=None, beats=False).start()
        finally:
            cells.close()
        return
    db = Database(conf.database.connection, conf.database)
    try:
        CinderFleet(db, serves=False).start()
    finally:
        db.close()


def _refusal(conf: Any, suite: str) -> str | None:
    try:
        join(conf, suite)
    except CannotStart as refusal:
        return str(refusal)
    return None


class _Running:
    """A Part that holds what the application of this process works with; workers of gunicorn make their own."""

    def __init__(self, conf: Any, suite: str) -> None:
        self.name = f"{suite} services"
        self._conf, self._suite = conf, suite
        self._services: list[Any] = []

    def application(self) -> Flask:
        services, checks = _services(self._conf, self._suite)
        self._services.append(services)
        return build(self._conf, self._suite, services, checks=lambda: checks)

    def start(self) -> None:
        """Everything is made when it is first needed."""

    def stop(self, deadline: float) -> None:
        """Nothing is held that does not end with the process."""

    def checks(self) -> Checks:
        return {}

    def reload(self) -> None:
        for services in self._services:
            services.fleet.reload()


def _main(suite: str, argv: list[str] | None) -> int:
    name = f"{suite}-api"
    conf = load(suite, argv, prog=f"keel-{name}")
    options.register(conf, suite)
    setup_logging(conf, name)
    if refusal := _refusal(conf, suite):
        LOG.critical("%s cannot start: %s", name, refusal)
        return 1
    host, port, workers = (conf[option] for option in _SUITES[suite])
    running = _Running(conf, suite)
    return serve(conf, running.application, host, port, workers, conf.keel.api_threads, name=name, parts=(running,))


def _services(conf: Any, suite: str) -> tuple[Any, Checks]:
    def bus(url: str | None) -> Bus:
        return Bus(conf, "nova" if suite == "compute" else "cinder", url=url)

    clients = Clients(conf, suite)
    if suite == "compute":
        cells = Cells(conf)
        return ComputeServices(conf, cells, clients, bus), {"api-database": cells.api.ping}
    db = Database(conf.database.connection, conf.database)
    return VolumeServices(conf, db, clients, bus), {"database": db.ping}

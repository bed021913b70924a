"""Runs an API process: one process with threads, or several worker processes under gunicorn."""

import logging
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from gunicorn.app.base import BaseApplication

from keel_common.config import warn_without_effect
from keel_common.runtime import memory
from keel_common.runtime.health import HealthServer
from keel_common.runtime.logs import setup_logging
from keel_common.runtime.part import Check, Part
from keel_common.runtime.process import run
from keel_common.runtime.wsgi import WsgiServer

LOG = logging.getLogger(__name__)
App = Callable[..., Any]


def serve(
    conf: Any,
    app_factory: Callable[[], App],
    host: str,
    port: int,
    workers: int | None,
    threads: int,
    name: str = "api",
    parts: tuple[Part, ...] = (),
) -> int:
    """Serves the application that `app_factory` builds (once in each worker) until SIGTERM; the exit code.

    One worker (or none named on a single processor) runs in this process, next to `parts`. Several run under gunicorn,
    which replaces workers that die and lets requests finish for [DEFAULT]graceful_shutdown_timeout seconds; `parts`
    then run in its parent process.
    """
    count = workers or os.cpu_count() or 1
    if count == 1:
        return run(conf, [*parts, WsgiServer(app_factory(), host, port, threads, name=name)], name)
    setup_logging(conf, name)
    warn_without_effect(conf)
    memory.settle()
    _Gunicorn(conf, app_factory, host, port, count, threads, list(parts)).run()
    return 0


class _Gunicorn(BaseApplication):
    """gunicorn with its settings from us instead of a command line."""

    def __init__(
        self,
        conf: Any,
        app_factory: Callable[[], App],
        host: str,
        port: int,
        workers: int,
        threads: int,
        parts: list[Part],
    ) -> None:
        self._conf = conf
        self._factory = app_factory
        self._url = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}/"
        self._parts = parts
        self._health = HealthServer(conf.keel.health_listen, conf.keel.health_port, self._checks)
        self._options = {
            "bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
            "workers": workers,
            "threads": threads,
            "worker_class": "gthread",
            "graceful_timeout": conf.graceful_shutdown_timeout or 3600,
            "keepalive": 75,
            # Signals rule the process; a socket in somebody's home would be one more door.
            "control_socket_disable": True,
            "when_ready": self._when_ready,
            "on_reload": self._on_reload,
            "post_worker_init": lambda worker: memory.settle(),
            "on_exit": self._on_exit,
        }
        super().__init__()

    def load_config(self) -> None:
        for key, value in self._options.items():
            self.cfg.set(key, value)

    def load(self) -> App:
        return self._factory()

    def _when_ready(self, _arbiter: Any) -> None:
        for part in self._parts:
            part.start()
        if self._conf.keel.health_port:
            self._health.start()

    def _on_reload(self, _arbiter: Any) -> None:
        """SIGHUP: the workers that are forked next see the configuration files as they are now."""
        self._conf.reload_config_files()
        for part in self._parts:
            reload: Callable[[], None] | None = getattr(part, "reload", None)
            if reload is not None:
                reload()

    def _on_exit(self, _arbiter: Any) -> None:
        for part in reversed(self._parts):
            part.stop(0)
        self._health.stop(0)

    def _checks(self) -> Mapping[str, Check]:
        found: dict[str, Check] = {"workers-answer": self._ask}
        for part in self._parts:
            found.update(part.checks())
        return found

    def _ask(self) -> None:
        """Any answer but a failure will do: the version documents of the volume API come with 300."""
        try:
            with urllib.request.urlopen(self._url, timeout=5) as answer:
                answer.read()
        except urllib.error.HTTPError as answer:
            if answer.code >= 500:
                raise

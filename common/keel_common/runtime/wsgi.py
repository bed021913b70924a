"""An HTTP server for a WSGI application inside this process."""

import logging
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import waitress
from waitress import wasyncore

from keel_common.runtime.part import Check, left

LOG = logging.getLogger(__name__)


class WsgiServer:
    """Serves `app` on host:port with `threads` threads; port 0 takes any free port (see `.port` once started).

    `stop` takes no new connections, lets requests that have arrived finish, and cuts what is left at the deadline.
    """

    def __init__(
        self, app: Callable[..., Any], host: str, port: int, threads: int = 8, name: str = "wsgi", max_body: int = 2**30
    ) -> None:
        self.name = name
        self._app = app
        self._address = (host, port)
        self._threads = threads
        self._max_body = max_body
        self._map: dict[int, Any] = {}
        self._server: Any = None
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    @property
    def port(self) -> int:
        return self._socket.getsockname()[1] if self._socket else self._address[1]

    def start(self) -> None:
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        self._socket = socket.create_server(self._address, family=family, backlog=1024)
        self._server = waitress.create_server(
            self._app,
            map=self._map,
            sockets=[self._socket],
            threads=self._threads,
            ident=None,
            max_request_body_size=self._max_body,
            clear_untrusted_proxy_headers=False,
        )
        self._thread = threading.Thread(target=self._loop, name=self.name, daemon=True)
        self._thread.start()

    def stop(self, deadline: float) -> None:
        if self._thread is None:
            return
        self._stopping.set()
        self._server.pull_trigger()
        while self._busy() and left(deadline):
            time.sleep(0.02)
        if self._busy():
            LOG.error("%s: requests were cut off at the deadline", self.name)
        self._thread.join(left(deadline))
        self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=left(deadline))

    def checks(self) -> Mapping[str, Check]:
        return {f"{self.name}-listening": self._check}

    def _check(self) -> None:
        if self._thread is None or not self._thread.is_alive() or self._stopping.is_set():
            raise RuntimeError(f"{self.name} is not listening")

    def _busy(self) -> bool:
        return any(
            channel.requests or channel.total_outbufs_len for channel in list(self._server.active_channels.values())
        )

    def _loop(self) -> None:
        """Moves bytes until stopped: first with the listening socket, then only for requests already here."""
        while not self._stopping.is_set():
            wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)
        self._server.accepting = False
        self._server.del_channel(self._map)
        self._server.socket.close()
        while self._busy():
            wasyncore.loop(timeout=0.1, use_poll=True, map=self._map, count=1)
        wasyncore.close_all(self._map, ignore_all=True)

"""The small HTTP server that tells a cluster whether a process lives, is ready, and what it counted."""

import json
import logging
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from keel_common.runtime.part import Check

LOG = logging.getLogger(__name__)


def verdict(checks: Mapping[str, Check]) -> tuple[int, dict[str, Any]]:
    """Runs readiness checks: (200 or 503, body with "ok" or the reason by check name)."""
    results = {}
    for name, check in checks.items():
        try:
            check()
            results[name] = "ok"
        except Exception as error:  # any failure of a check is the answer, not a fault of this server
            results[name] = f"{type(error).__name__}: {error}"
    ready = all(text == "ok" for text in results.values())
    return (200 if ready else 503), {"status": "ok" if ready else "not ready", "checks": results}


class HealthServer:
    """Serves /livez, /readyz and /metrics. `checks` is asked anew for every request. Port 0 takes any free port."""

    name = "health"

    def __init__(self, host: str, port: int, checks: Callable[[], Mapping[str, Check]]) -> None:
        self._address = (host, port)
        self._checks = checks
        self._server: ThreadingHTTPServer | None = None

    @property
    def port(self) -> int:
        return self._server.server_address[1] if self._server else self._address[1]

    def start(self) -> None:
        checks = self._checks

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802 - the name http.server looks for
                path = self.path.split("?")[0]
                if path == "/livez":
                    self._json(200, {"status": "ok"})
                elif path == "/readyz":
                    self._json(*verdict(checks()))
                elif path == "/metrics":
                    self._send(200, CONTENT_TYPE_LATEST, generate_latest())
                else:
                    self._json(404, {"status": "unknown path", "paths": ["/livez", "/readyz", "/metrics"]})

            def _json(self, code: int, body: dict[str, Any]) -> None:
                self._send(code, "application/json", json.dumps(body).encode() + b"\n")

            def _send(self, code: int, kind: str, body: bytes) -> None:
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, text: str, *args: Any) -> None:
                LOG.debug(text, *args)

        self._server = ThreadingHTTPServer(self._address, Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, name="health", daemon=True).start()

    def stop(self, deadline: float) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def checks(self) -> Mapping[str, Check]:
        return {}

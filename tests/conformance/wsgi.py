"""Requests into a WSGI application as a server would hand them over, and configuration that can be taken back."""

from __future__ import annotations

import io
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

from werkzeug.test import create_environ, run_wsgi_app

from conformance.replay import Answer
from conformance.requests import Message


def call(app: Any, request: Message) -> Answer:
    """The answer of `app`. The path goes in raw, double slashes and all."""
    environ = create_environ(base_url="http://openstack.example.com", method=request.method)
    environ["PATH_INFO"] = urllib.parse.unquote_to_bytes(request.path).decode("latin-1")
    environ["QUERY_STRING"] = request.query
    environ["REQUEST_URI"] = environ["RAW_URI"] = request.path + (f"?{request.query}" if request.query else "")
    for name, value in request.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
    if request.body is not None:
        environ["wsgi.input"] = io.BytesIO(request.body)
        environ["CONTENT_LENGTH"] = str(len(request.body))
    pieces, status, headers = run_wsgi_app(app, environ, buffered=True)
    return Answer(int(status.split()[0]), _joined(headers), b"".join(pieces))


def _joined(headers: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in headers:
        low = name.lower()
        found[low] = f"{found[low]},{value}" if low in found else value
    return found


class Overrides:
    """Options of a configuration: those of the deployment stay, those of a scenario go with it."""

    def __init__(self, conf: Any):
        self._conf = conf
        self._set: list[tuple[str, str | None]] = []
        self._fixed: list[tuple[str, str | None, Any]] = []

    def fix(self, settings: Mapping[str, Any]) -> None:
        """option -> value, or (group, value)."""
        for option, value in settings.items():
            group, value = value if isinstance(value, tuple) else (None, value)
            self._fixed.append((option, group, value))
            self._conf.set_override(option, value, group)

    def set(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take back what the last scenario set and set what this one wants; unknown options are left out."""
        for option, group in self._set:
            self._conf.clear_override(option, group)
        self._set = []
        for option, group, value in self._fixed:
            self._conf.set_override(option, value, group)
        for row in rows:
            group = None if row["group"] == "DEFAULT" else row["group"]
            self._conf.set_override(row["option"], row["value"], group)
            self._set.append((row["option"], group))

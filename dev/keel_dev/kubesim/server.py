"""The HTTPS side: connections, bodies, authentication; what a request means is `api.Api`'s business."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

import orjson

LOG = logging.getLogger(__name__)


@dataclass
class Request:
    """One HTTP request. ``body`` is bytes; `stream` reads it piecewise where it was not read (uploads)."""

    method: str
    path: str
    query: dict[str, str]
    headers: Any
    body: bytes = b""
    stream: Any = None
    length: int = 0


@dataclass
class Answer:
    """What to send: a JSON body, text or bytes; ``events``, a stream of JSON lines (None: only a sign of life); or
    ``parts`` of a binary, of a known ``length`` or in chunks."""

    body: Any = None
    code: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    warnings: Iterable[str] = ()
    events: Iterable[Any] | None = None
    parts: Iterable[bytes] | None = None
    length: int | None = None


class Application(Protocol):
    def __call__(self, request: Request) -> Answer: ...


class Server:
    """A threaded HTTPS server; port 0 takes a free one. Answers within a connection are kept in order."""

    def __init__(self, application: Application, host: str, port: int, certificate: Path, key: Path):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["http/1.1"])
        self._http = _Http((host, port), _handler(application), context)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.2,), name="kubesim-http", daemon=True)

    @property
    def port(self) -> int:
        return self._http.server_address[1]

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._http.close_connections()
        self._thread.join(5)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext):
        self._context = context
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(address, handler)

    def get_request(self) -> tuple[Any, Any]:
        plain, address = self.socket.accept()
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The handshake is left to the connection's own thread: a silent client must not block accepting.
        secure = self._context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        with self._guard:
            self._open.add(secure)
        return secure, address

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        with self._guard:
            connections = list(self._open)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                LOG.debug("connection was gone already")

    def handle_error(self, request: Any, client_address: Any) -> None:
        LOG.debug("connection from %s ended", client_address, exc_info=True)


def _handler(application: Application) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536
        timeout = 3600

        def log_message(self, format: str, *arguments: Any) -> None:
            LOG.debug(format, *arguments)

        def _serve(self) -> None:
            split = urlsplit(self.path)
            request = Request(
                self.command, split.path, dict(parse_qsl(split.query, keep_blank_values=True)), self.headers
            )
            request.length = int(self.headers.get("Content-Length") or 0)
            if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
                request.stream = _Chunked(self.rfile)
            else:
                request.stream = _Bounded(self.rfile, request.length)
            if not split.path.startswith("/v1beta1/upload"):
                request.body = request.stream.read_all()
            self._send(application(request))
            request.stream.read_all()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _serve  # noqa: N815

        def _send(self, answer: Answer) -> None:
            if answer.events is not None:
                self._send_stream(answer.events)
                return
            if answer.parts is not None:
                self._send_parts(answer, answer.parts)
                return
            if answer.body is None or isinstance(answer.body, bytes):
                payload, content = answer.body or b"", "text/plain; charset=utf-8"
            elif isinstance(answer.body, str):
                payload, content = answer.body.encode(), "text/plain; charset=utf-8"
            else:
                payload, content = orjson.dumps(answer.body), "application/json"
            self.send_response(answer.code)
            headers = {"Content-Type": content, "Content-Length": str(len(payload)), **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            for text in answer.warnings:
                quoted = text.replace("\\", "\\\\").replace('"', '\\"')
                self.send_header("Warning", f'299 - "{quoted}"')
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(payload)
            self.wfile.flush()

        def _send_stream(self, events: Iterable[Any]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            for event in events:
                if event is None:
                    if self._hung_up():
                        self.close_connection = True
                        return
                    continue
                line = orjson.dumps(event) + b"\n"
                self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()

        def _send_parts(self, answer: Answer, parts: Iterable[bytes]) -> None:
            self.send_response(answer.code)
            self.send_header("Content-Type", "application/octet-stream")
            chunked = answer.length is None
            length = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(answer.length))
            self.send_header(*length)
            self.end_headers()
            if self.command == "HEAD":
                return
            for part in parts:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
            if chunked:
                self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()

        def _hung_up(self) -> bool:
            """A client that closed its side of a quiet watch is noticed without waiting for a failed write."""
            self.connection.settimeout(0.0)
            try:
                return self.connection.recv(1) == b""
            except (ssl.SSLWantReadError, BlockingIOError):
                return False
            except OSError:
                return True
            finally:
                self.connection.settimeout(self.timeout)

    return Handler


class _Bounded:
    """A body of known length."""

    def __init__(self, source: Any, length: int):
        self._source, self._left = source, length

    def read(self, size: int) -> bytes:
        part = self._source.read(min(size, self._left)) if self._left else b""
        self._left = self._left - len(part) if part else 0
        return part

    def read_all(self) -> bytes:
        return b"".join(iter(lambda: self.read(1 << 20), b""))


class _Chunked(_Bounded):
    """A body in chunks."""

    def __init__(self, source: Any):
        super().__init__(source, 0)
        self._done = False

    def read(self, size: int) -> bytes:
        if self._done:
            return b""
        if not self._left:
            self._left = int(self._source.readline().split(b";")[0] or b"0", 16)
            if not self._left:
                self._done = True
                while self._source.readline().strip():
                    continue
                return b""
        part = self._source.read(min(size, self._left))
        self._left -= len(part)
        if not self._left:
            self._source.readline()
        return part

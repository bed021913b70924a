"""A scripted API server: each request takes the next prepared answer of its method and path."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class Answer:
    """One answer; `lines` makes it a chunked stream that stays open `hold` seconds after the last line."""

    code: int = 200
    body: dict | str | None = None
    headers: dict = field(default_factory=dict)
    lines: list[dict] | None = None
    hold: float = 0.0
    drop: bool = False


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Keep the test output quiet."""

    def _serve(self) -> None:
        owner: ScriptedServer = self.server.owner  # type: ignore[attr-defined]
        parts = urlsplit(self.path)
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        query = {key: value[0] for key, value in parse_qs(parts.query).items()}
        answer = owner.take(self.command, parts.path, query, body, dict(self.headers))
        if answer.drop:
            self.close_connection = True
            self.connection.close()
            return
        if answer.lines is not None:
            self._stream(answer)
            return
        raw = (answer.body if isinstance(answer.body, str) else json.dumps(answer.body or {})).encode()
        self.send_response(answer.code)
        for key, value in answer.headers.items():
            self.send_header(key, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, answer: Answer) -> None:
        self.send_response(answer.code)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for line in answer.lines or ():
            raw = json.dumps(line).encode() + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
            self.wfile.flush()
        self.server.owner.closing.wait(answer.hold)  # type: ignore[attr-defined]
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815


class ScriptedServer:
    """Context manager; `script[(method, path)]` lists the answers, the last one is repeated."""

    def __init__(self, tmp_path) -> None:
        self.script: dict[tuple[str, str], list[Answer]] = {}
        self.seen: list[tuple[str, str, dict, dict | None, dict]] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._tmp = tmp_path
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.owner = self  # type: ignore[attr-defined]
        self._server.daemon_threads = True

    @property
    def kubeconfig(self) -> str:
        """Path of a kubeconfig that points here."""
        path = self._tmp / "kubeconfig"
        url = f"http://127.0.0.1:{self._server.server_address[1]}"
        path.write_text(
            json.dumps(
                {
                    "current-context": "test",
                    "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
                    "clusters": [{"name": "test", "cluster": {"server": url}}],
                    "users": [{"name": "test", "user": {"token": "secret-token"}}],
                }
            )
        )
        return str(path)

    def take(self, method: str, path: str, query: dict, body: dict | None, headers: dict) -> Answer:
        with self._lock:
            self.seen.append((method, path, query, body, headers))
            answers = self.script.get((method, path)) or [Answer(404, "404 page not found")]
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def count(self, method: str, path: str) -> int:
        return sum(1 for each in self.seen if each[:2] == (method, path))

    def wait_for(self, method: str, path: str, times: int, timeout: float = 5.0) -> None:
        deadline = time.monotonic() + timeout
        while self.count(method, path) < times:
            assert time.monotonic() < deadline, f"{method} {path} came {self.count(method, path)} times, not {times}"
            time.sleep(0.01)

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

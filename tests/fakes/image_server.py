"""Glance as volumes see it, over HTTP: images of the v2 API with their data, kept in memory or on disk as they come.

Beside it Nova's external events, told to the same server, so that a test can see what a server was told.
"""

from __future__ import annotations

import hashlib
import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKENS = ("user-token", "service-token")


class ImageServer:
    """``images`` by id (as the API shows them), ``data`` by id; ``events`` of servers; ``uploads`` begun so far.

    ``spoil``: what comes in is kept with one byte changed. ``refuse``: status code for the next data that comes.
    """

    def __init__(self) -> None:
        self.images: dict[str, dict[str, Any]] = {}
        self.data: dict[str, bytes] = {}
        self.events: list[dict[str, Any]] = []
        self.uploads, self.reads = 0, 0
        self.spoil, self.refuse = False, 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def add(self, data: bytes | None = None, **values: Any) -> str:
        """An image, active when it has data."""
        image_id = str(uuid.uuid4())
        image = {"id": image_id, "name": "test", "status": "queued", "disk_format": "raw", "container_format": "bare"}
        self.images[image_id] = {**image, "min_disk": 0, "min_ram": 0, "size": None, "visibility": "private", **values}
        if data is not None:
            self.fill(image_id, data, **values)
        return image_id

    def fill(self, image_id: str, data: bytes, **values: Any) -> None:
        """What Glance does when data has come."""
        digests = {"os_hash_algo": "sha512", "os_hash_value": hashlib.sha512(data).hexdigest()}
        self.data[image_id] = data
        self.images[image_id] |= {"status": "active", "size": len(data), "checksum": hashlib.md5(data).hexdigest()}
        self.images[image_id] |= digests | values

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(kept: ImageServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Quiet."""

        def _tell(self, code: int, body: Any = None) -> None:
            payload = b"" if body is None else json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def _serve(self) -> None:
            words = self.path.partition("?")[0].strip("/").split("/")
            if self.headers.get("X-Auth-Token") not in TOKENS:
                self._body()
                self._tell(401)
            elif words[-1] == "os-server-external-events":
                events = json.loads(self._body())["events"]
                kept.events += events
                self._tell(200, {"events": [{**event, "code": 200, "status": "completed"} for event in events]})
            elif len(words) > 2 and words[2] not in kept.images:
                self._body()
                self._tell(404, {"message": "no such image"})
            elif len(words) == 4:
                self._file(words[2])
            else:
                self._image(words[2])

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815

        def _image(self, image_id: str) -> None:
            if self.command == "DELETE":
                del kept.images[image_id]
                kept.data.pop(image_id, None)
                self._tell(204)
            else:
                self._tell(200, kept.images[image_id])

        def _file(self, image_id: str) -> None:
            if self.command == "PUT":
                self._take(image_id)
                return
            kept.reads += 1
            data = kept.data[image_id]
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        def _take(self, image_id: str) -> None:
            image = kept.images[image_id]
            if image["status"] != "queued":
                self.close_connection = True
                self._tell(409)
                return
            kept.uploads += 1
            image["status"] = "saving"
            try:
                data = self._body()
            except (OSError, ValueError):
                image["status"] = "queued"
                raise
            if kept.refuse:
                image["status"] = "queued"
                self._tell(kept.refuse)
                kept.refuse = 0
                return
            if kept.spoil:
                data = b"!" + data[1:]
            kept.fill(image_id, data)
            self._tell(204)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = []
            while length := int(self.rfile.readline().strip(), 16):
                parts.append(self.rfile.read(length))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

    return Handler

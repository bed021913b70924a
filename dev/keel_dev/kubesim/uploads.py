"""CDI's upload: token requests, and the proxy that takes the bytes."""

from __future__ import annotations

import secrets
import threading

from . import errors
from .api import Target, parse
from .cluster import Cluster
from .controllers.populators import PHASE, drop_unwanted, incoming_key, room_of
from .images import ImageError, receive
from .kinds import PVC
from .metadata import check_envelope, new_uid
from .server import Answer, Request

TOKEN_SECONDS = 300.0


class Uploads:
    """Tokens live five virtual minutes and only in memory."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._tokens: dict[str, tuple[str, str, float]] = {}
        self._lock = threading.Lock()

    def request_token(self, request: Request, target: Target) -> Answer:
        """POST uploadtokenrequests: a token for a claim that waits for an upload."""
        body = parse(request, target.kind)
        check_envelope(target.kind, body)
        name = (body.get("spec") or {}).get("pvcName")
        if not name:
            raise errors.invalid_field(target.kind, "", "spec.pvcName", "Required value", "Required")
        claim = self._cluster.get(PVC, target.namespace, name)
        if claim is None:
            raise errors.not_found(self._cluster.catalogue.get(PVC), name)
        if (claim["spec"].get("dataSourceRef") or {}).get("kind") != "VolumeUploadSource":
            raise errors.bad_request(f"PVC {name} is not an upload target")
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._tokens[token] = (target.namespace, name, self._cluster.clock.now() + TOKEN_SECONDS)
        metadata = {
            **body["metadata"],
            "namespace": target.namespace,
            "uid": new_uid(self._cluster.random),
            "creationTimestamp": self._cluster.clock.stamp(),
        }
        return Answer({**body, "metadata": metadata, "status": {"token": token}}, 201)

    def proxy(self, request: Request) -> Answer:
        """POST /v1beta1/upload or /v1beta1/upload-async: 401, 503 while the target is not ready, 200."""
        path = request.path.rstrip("/")
        if path not in ("/v1beta1/upload", "/v1beta1/upload-async"):
            raise errors.no_such_path()
        scheme, _, token = (request.headers.get("Authorization") or "").partition(" ")
        with self._lock:
            namespace, name, until = self._tokens.get(token, ("", "", -1.0))
        if scheme != "Bearer" or until < self._cluster.clock.now():
            return Answer("Unauthorized", 401)
        if request.method == "HEAD":
            return Answer("")
        if request.method not in ("POST", "PUT"):
            return Answer("Method Not Allowed", 405)
        claim = self._cluster.get(PVC, namespace, name)
        ready = claim is not None and (claim["metadata"].get("annotations") or {}).get(PHASE) == "Running"
        if claim is None or not ready or claim["status"]["phase"] != "Pending":
            return Answer("upload pod is not ready", 503)
        parts = iter(lambda: request.stream.read(1 << 20), b"")
        with self._cluster.contents.receive() as into:
            try:
                found = receive(parts, room_of(claim), "", request.length, lambda percent: None, into)
            except ImageError as error:
                return Answer(str(error), 400)
            key = incoming_key(claim)
            self._cluster.contents.keep(key, into if found.kept else None, found.facts("upload"))
        drop_unwanted(self._cluster, claim)
        self._cluster.engine.look("populators", namespace, name)
        return Answer("")

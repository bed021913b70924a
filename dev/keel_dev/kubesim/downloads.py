"""The export proxy: the bytes of a claim to whoever has the token of its VirtualMachineExport.

Always the whole of it: a Range header has no effect (the export server streams from the start).
"""

from __future__ import annotations

import base64
import hmac
from typing import Any

from . import errors, quantity
from .cluster import Cluster
from .contents import NotKept, gzipped
from .controllers.exports import FORMATS
from .controllers.volumes import content_key
from .kinds import EXPORT, PVC, SECRET
from .server import Answer, Request

TOKEN_HEADER = "x-kubevirt-export-token"


class Downloads:
    """GET /api/export.kubevirt.io/v1/namespaces/N/virtualmachineexports/E/volumes/V/disk.img[.gz]"""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster

    def __call__(self, request: Request) -> Answer:
        words = [part for part in request.path.split("/") if part]
        if len(words) != 10 or words[3::2][:3] != ["namespaces", "virtualmachineexports", "volumes"]:
            raise errors.no_such_path()
        namespace, name, volume, file = words[4], words[6], words[8], words[9]
        export = self._cluster.get(EXPORT, namespace, name)
        if export is None:
            return Answer("404 page not found", 404)
        if export.get("status", {}).get("phase") != "Ready":
            return Answer("export is not ready", 503)
        if not self._may(export, request.headers.get(TOKEN_HEADER) or request.query.get(TOKEN_HEADER) or ""):
            return Answer("", 401)
        if file not in dict(FORMATS).values() or volume != export["spec"]["source"]["name"]:
            return Answer("404 page not found", 404)
        if request.method not in ("GET", "HEAD"):
            return Answer("", 405)
        return self._content(export, file)

    def _may(self, export: dict[str, Any], token: str) -> bool:
        secret = self._cluster.get(SECRET, export["metadata"]["namespace"], export["status"]["tokenSecretRef"])
        kept = base64.b64decode(((secret or {}).get("data") or {}).get("token", ""))
        return bool(kept) and hmac.compare_digest(kept, token.encode())

    def _content(self, export: dict[str, Any], file: str) -> Answer:
        claim = self._cluster.get(PVC, export["metadata"]["namespace"], export["spec"]["source"]["name"])
        if claim is None:
            return Answer("404 page not found", 404)
        size = quantity.size(claim["status"]["capacity"]["storage"])
        try:
            parts = self._cluster.contents.stream(content_key(claim["spec"]["volumeName"]), size)
        except NotKept as error:
            return Answer(f"the simulated cluster: {error}", 500)
        return Answer(parts=gzipped(parts)) if file.endswith(".gz") else Answer(parts=parts, length=size)

"""A new claim filled by a raw stream, through CDI's upload."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from keel_common.kube import CDI_CONFIG, DATAVOLUME, PVC, UPLOAD_TOKEN, KubeError
from keel_common.kube.export_link import CHUNK, Interrupted
from keel_volume.backend import Backend
from keel_volume.csi import claims, disguise, holdings
from keel_volume.flows.refusals import Refused, is_refusal

#: Annotation on a claim that is filled by a stream: for whom.
WRITTEN_FOR = "openstack.org/written-for"
_EMPTY = bytes(CHUNK)


class Writing:
    """``size`` bytes are to be written, in order; what is not written is zeros.

    The request begins when the first bytes are known: they decide how the disk is sent.
    """

    def __init__(self, begin: Callable[[int], http.client.HTTPConnection], size: int, transfers: Any):
        self.size, self.written = size, 0
        self._begin, self._transfers = begin, transfers
        self._connection: http.client.HTTPConnection | None = None
        self._head, self._back = b"", 0

    def write(self, data: bytes) -> None:
        """Send on. Raises Interrupted, and Refused for more than ``size``."""
        if self.written + len(data) > self.size:
            raise Refused(f"more than {self.size} bytes for the claim", retry=False)
        self._transfers.check()
        self.written += len(data)
        if self._connection is None:
            self._head += data
            if len(self._head) >= min(disguise.HEAD, self.size):
                self._start()
        else:
            self._send(data)

    def skip(self, length: int) -> None:
        """Zeros: there is no other way to say it on this wire."""
        while length > 0:
            part = min(length, CHUNK)
            self.write(_EMPTY[:part])
            length -= part

    def finish(self) -> None:
        """Fill up and hear whether it was taken. Raises Interrupted, Refused."""
        self.skip(self.size - self.written)
        self._send(bytes(self._back))
        answer = self._opened().getresponse()
        text = answer.read(2000).decode("utf-8", "replace")
        if answer.status == 400:
            raise Refused(f"the upload was refused: {text}", retry=False)
        if answer.status >= 300:
            raise Interrupted(f"the upload was answered {answer.status} {text}")

    def _start(self) -> None:
        front = b""
        if disguise.is_needed(self._head):
            front, self._back = disguise.front(self.size), disguise.back(self.size)
        self._connection = self._begin(len(front) + self.size + self._back)
        self._send(front + self._head)

    def _send(self, data: bytes) -> None:
        try:
            self._opened().send(data)
        except OSError as problem:
            raise Interrupted(f"the upload broke: {self._answer() or problem}") from problem

    def _opened(self) -> http.client.HTTPConnection:
        if self._connection is None:
            raise Interrupted("the upload has not begun")
        return self._connection

    def _answer(self) -> str:
        """What a server said that stopped listening, if anything."""
        try:
            answer = self._opened().getresponse()
            return f"{answer.status} {answer.read(2000).decode('utf-8', 'replace')}"
        except (OSError, http.client.HTTPException):
            return ""


@contextmanager
def writing(
    backend: Backend,
    claim_name: str,
    volume: Mapping[str, Any],
    purpose: Any,
    notes: Mapping[str, str] | None = None,
) -> Iterator[Writing]:
    """A new claim of the volume's class and size, filled by what is written in the block; whole and bound after it.

    ``notes`` are annotations of the claim. An unfinished writing of that name is thrown away first. Raises Refused
    (also when a claim of that name is there that no stream has made), Interrupted and KubeError.
    """
    try:
        _clear(backend, claim_name)
        body = claims.upload(volume, backend.namespace, backend.access_mode, claim_name)
        body["metadata"]["annotations"] |= {WRITTEN_FOR: f"{purpose.kind}.{purpose.id}", **(notes or {})}
        backend.kube.create(DATAVOLUME, body)
        with _upload(backend, claim_name, volume["size"] << 30) as sink:
            yield sink
            sink.finish()
        _await(backend, claim_name, ("Succeeded",))
    except KubeError as problem:
        if is_refusal(problem):
            raise Refused(f"the cluster refused the claim {claim_name}: {problem}", retry=False) from problem
        raise
    except (OSError, http.client.HTTPException) as problem:
        raise Interrupted(f"the upload broke: {problem}") from problem


def is_written(backend: Backend, claim_name: str) -> bool:
    """Whether a writing of that claim has ended well."""
    found = backend.kube.find(DATAVOLUME, claim_name, backend.namespace)
    claim = backend.kube.find(PVC, claim_name, backend.namespace)
    if holdings.note(found or claim, WRITTEN_FOR) is None:
        return False
    done = found is None or (found.get("status") or {}).get("phase") == "Succeeded"
    return done and (claim or {}).get("status", {}).get("phase") == "Bound"


def _clear(backend: Backend, claim_name: str) -> None:
    for kind in holdings.KINDS:
        found = backend.kube.find(kind, claim_name, backend.namespace)
        if found is not None and holdings.note(found, WRITTEN_FOR) is None:
            raise Refused(f"there is a claim {claim_name} already", retry=False)
    holdings.remove(backend, [claim_name])
    deadline = backend.provision_deadline.total_seconds()
    for cache in (backend.caches.imports, backend.caches.claims):
        cache.wait(claim_name, lambda item: item is None, deadline)


def _await(backend: Backend, claim_name: str, phases: tuple[str, ...]) -> None:
    def ready(item: dict | None) -> bool:
        phase = ((item or {}).get("status") or {}).get("phase")
        if phase == "Failed":
            raise Interrupted(f"the upload into {claim_name} failed")
        return phase in phases

    backend.caches.imports.wait(claim_name, ready, backend.provision_deadline.total_seconds())


@contextmanager
def _upload(backend: Backend, claim_name: str, size: int) -> Iterator[Writing]:
    _await(backend, claim_name, ("UploadReady",))
    asked = UPLOAD_TOKEN.body(claim_name, backend.namespace, spec={"pvcName": claim_name})
    token = backend.kube.create(UPLOAD_TOKEN, asked)["status"]["token"]
    connection = _connection(backend)

    def begin(length: int) -> http.client.HTTPConnection:
        connection.putrequest("POST", "/v1beta1/upload")
        connection.putheader("Authorization", f"Bearer {token}")
        connection.putheader("Content-Type", "application/octet-stream")
        connection.putheader("Content-Length", str(length))
        connection.endheaders()
        return connection

    try:
        yield Writing(begin, size, backend.transfers)
    finally:
        connection.close()


def _connection(backend: Backend) -> http.client.HTTPConnection:
    """To the upload proxy: as configured, else as CDI tells (status of its CDIConfig). Raises Refused."""
    url, authority = backend.conf.csi.upload_proxy_url, None
    if not url:
        found = backend.kube.find(CDI_CONFIG, "config") or {}
        status = found.get("status") or {}
        url, authority = status.get("uploadProxyURL"), status.get("uploadProxyCA")
    if not url:
        raise Refused("CDI tells no URL of its upload proxy; set [csi]upload_proxy_url", retry=False)
    split = urlsplit(url if "://" in url else f"https://{url}")
    context = ssl.create_default_context(cafile=backend.conf.csi.upload_proxy_cafile, cadata=authority or None)
    return http.client.HTTPSConnection(split.hostname or "", split.port or 443, timeout=120, context=context)

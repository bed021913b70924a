"""Objects in the cluster: make sure that one is there, make sure that one is gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping

from keel_common.kube import AlreadyExists, Conflict, Expired, Invalid, Kind, Kube, names
from keel_compute.errors import BuildAbort
from keel_compute.kubevirt.state import terminating

LOG = logging.getLogger(__name__)

LEFT_OVER = "already exists"
"""Part of CDI's refusal while the claim of an earlier DataVolume is not gone yet."""
PAUSE = 0.2
"""Seconds between two looks at an object that must vanish; the API server is asked because a cache may be behind."""


def present(kube: Kube, kind: Kind, body: dict, timeout: float, check: Callable[[], None] = lambda: None) -> dict:
    """The object, made now or by an earlier try. One that is being deleted, or what it left behind, is waited for
    first.

    It is looked for before it is made, because admission answers before the name is compared: CDI refuses a DataVolume
    whose claim exists even when both are ours. An object of that name with another owner is refused (BuildAbort).
    """
    metadata = body["metadata"]
    deadline = time.monotonic() + timeout
    held = ""
    while True:
        there = kube.find(kind, metadata["name"], metadata["namespace"])
        if there is not None and not terminating(there):
            _own(kind, there, metadata["labels"])
            return there
        if there is None:
            try:
                return kube.create(kind, body)
            except (AlreadyExists, Invalid) as refused:
                if LEFT_OVER not in refused.message:
                    raise
                held = refused.message
        check()
        if time.monotonic() > deadline:
            words = held if there is None else "it is being deleted for too long"
            raise Expired(0, "Timeout", f"{kind.kind} {metadata['name']}: {words}")
        time.sleep(PAUSE)


def _own(kind: Kind, there: dict, labels: Mapping[str, str]) -> None:
    found = there["metadata"].get("labels") or {}
    if found.get(names.SERVER) != labels[names.SERVER]:
        raise BuildAbort(f"{kind.kind} {there['metadata']['name']} exists and does not belong to this server")


def absent(kube: Kube, kind: Kind, name: str, namespace: str, timeout: float, uid: str | None = None) -> None:
    """Delete the object and wait until the API server does not know it any more. Raises Expired."""
    deadline = time.monotonic() + timeout
    if not _ask(kube, kind, name, namespace, uid):
        return
    pause = PAUSE
    while True:
        there = kube.find(kind, name, namespace)
        if there is None or (uid and there["metadata"]["uid"] != uid):
            return
        if time.monotonic() > deadline:
            held = ", ".join(there["metadata"].get("finalizers") or ())
            raise Expired(0, "Timeout", f"{kind.kind} {name} is still there after {timeout:.0f} s (held by {held})")
        time.sleep(pause)
        pause = min(pause * 1.5, 2.0)


def _ask(kube: Kube, kind: Kind, name: str, namespace: str, uid: str | None) -> bool:
    try:
        return kube.delete(kind, name, namespace, uid=uid)
    except Conflict:
        # Another object of the same name: the one we meant is gone.
        return False


def sweep(kube: Kube, kind: Kind, namespace: str, server: str) -> list[str]:
    """Ask for the deletion of every object of that kind that carries the server's label; answers their names."""
    found = [each["metadata"]["name"] for each in kube.list(kind, namespace, {names.SERVER: server})]
    for name in found:
        kube.delete(kind, name, namespace)
    return found

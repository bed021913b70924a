"""The bytes of a claim, out of the cluster and into it: KubeVirt's exports to read, CDI's upload to write.

What a stream makes in the cluster (export, token, a temporary snapshot and a claim of it) is named and labelled after
its purpose, removed when the stream ends, and found by its label when the process that made it is dead. A stream that
broke is begun again from its start: neither side of it can be asked for a part (KubeVirt 1.9, CDI 1.66).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from oslo_log import log

from keel_common.kube import KubeError, exports, names
from keel_common.kube.exports import Interrupted, Reading
from keel_volume.backend import Backend
from keel_volume.csi.stream_writing import Writing, is_written, writing
from keel_volume.flows.refusals import Refused, is_refusal

LOG = log.getLogger(__name__)

__all__ = [
    "Interrupted",
    "Purpose",
    "Reading",
    "Writing",
    "is_written",
    "reading",
    "remove",
    "remove_leftovers",
    "writing",
]

#: Label on everything a reading makes: "<kind>.<id>" of the row it is made for.
STREAM = "openstack.org/stream"


@dataclass(frozen=True)
class Purpose:
    """Whose stream it is: ``kind`` (of keel_volume.steps.KINDS) and ``id`` of a row, and the project it belongs to."""

    kind: str
    id: str
    project: str | None

    @property
    def name(self) -> str:
        """Of every object made for it."""
        return f"read-{self.id}"

    def labels(self) -> dict[str, str]:
        """By which they are found."""
        return {**names.labels(names.STORAGE, self.project), STREAM: f"{self.kind}.{self.id}"}


@contextmanager
def reading(backend: Backend, claim_name: str, purpose: Purpose, snapshot: str | None = None) -> Iterator[Reading]:
    """The bytes of a claim, or of a VolumeSnapshot of it.

    A claim that a pod uses is read through a snapshot of its own. Raises Refused when the cluster will never give
    them, Interrupted or KubeError when it does not now.
    """
    try:
        with exports.reading(reader(backend), claim_name, purpose.name, purpose.labels(), snapshot) as stream:
            yield stream
    except exports.Unreadable as problem:
        raise Refused(str(problem), retry=False) from problem
    except KubeError as problem:
        if is_refusal(problem):
            raise Refused(f"the cluster refused to let {claim_name} be read: {problem}", retry=False) from problem
        raise


def reader(backend: Backend) -> exports.Reader:
    """How this backend reads claims."""
    options = backend.conf.csi
    return exports.Reader(
        kube=backend.kube,
        namespace=backend.namespace,
        snapshot_class=options.snapshot_class,
        links=options.export_links,
        ttl=options.transfer_timeout,
        patience=backend.provision_deadline.total_seconds(),
        pause=backend.transfers.pause,
        check=backend.transfers.check,
    )


def remove(backend: Backend, purpose: Purpose) -> None:
    """Ask the cluster to take away what a reading has made. Raises KubeError."""
    exports.remove(reader(backend), purpose.name)


def remove_leftovers(backend: Backend, is_wanted: Any) -> None:
    """Take away what was made for rows that nobody reads for now (``is_wanted(kind, id)``). Raises KubeError."""
    for kind in exports.KINDS:
        for item in backend.kube.list(kind, backend.namespace, {STREAM: None}):
            of, _, resource_id = item["metadata"]["labels"][STREAM].partition(".")
            if not is_wanted(of, resource_id):
                LOG.warning("%s %s was left behind and goes", kind.kind, item["metadata"]["name"])
                backend.kube.delete(kind, item["metadata"]["name"], backend.namespace, uid=item["metadata"]["uid"])

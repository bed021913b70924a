"""Disks that live and die with a server: claims filled from an image, or blank."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from keel_common.clients import errors as peers
from keel_common.kube import DATAVOLUME, PVC, SECRET, Expired, KubeError, names
from keel_compute.errors import BuildAbort, BuildFailed
from keel_compute.kubevirt import storage
from keel_compute.kubevirt.disks import Disk, LocalDisk, local_disk, local_disks
from keel_compute.scope import Scope
from keel_compute.steps import cluster

LOG = logging.getLogger(__name__)


def image_facts(scope: Scope) -> dict[str, Any]:
    """What is known of the image: what came with the request, over what the instance keeps."""
    return {**scope.properties, **{key: value for key, value in scope.image.items() if value is not None}}


def planned(scope: Scope) -> list[LocalDisk]:
    """The local disks this server must have."""
    return local_disks(scope.mappings, scope.instance.flavor, image_facts(scope))


def begin(scope: Scope, wanted: Sequence[LocalDisk] | None = None) -> None:
    """Ask for the claims of local disks, else of all; the import runs while network and volumes are prepared."""
    for local in planned(scope) if wanted is None else wanted:
        source = _source(scope) if local.from_image else None
        body = storage.data_volume(scope.server, local, scope.site.namespace, scope.labels, scope.site.storage, source)
        cluster.present(scope.site.kube, DATAVOLUME, body, scope.site.conf.kubevirt.delete_timeout, scope.flight.check)


def _source(scope: Scope) -> storage.Source:
    """Where CDI fetches the image, with the user's token in a Secret that goes when the import is done."""
    site = scope.site
    image_id = scope.image.get("id") or scope.instance.image_ref
    try:
        url, token = site.clients.glance.file_url(image_id), scope.context.auth_token or site.clients.glance.token()
    except peers.ClientError as unknown:
        raise BuildAbort(f"Image {image_id} cannot be fetched: {unknown.message}") from unknown
    site.kube.apply(SECRET, storage.header_secret(scope.server, site.namespace, scope.labels, token))
    algorithm, digest = scope.image.get("os_hash_algo"), scope.image.get("os_hash_value")
    return storage.Source(
        url=url,
        header_secret=names.secret(scope.server, "image"),
        digest=f"{algorithm}:{digest}" if algorithm and digest and site.conf.kubevirt.verify_image_digest else None,
        certificates=site.conf.kubevirt.image_ca_configmap,
    )


def wait(scope: Scope, wanted: Sequence[LocalDisk] | None = None) -> None:
    """Wait until these local disks, else all, are filled.

    Raises BuildAbort with the importer's words when it gives up, BuildFailed when it is not done within
    [kubevirt]import_timeout.
    """
    group = scope.site.conf.kubevirt
    disks = planned(scope) if wanted is None else wanted
    for local in disks:
        progress = _Progress(scope, local)
        try:
            scope.site.volumes.wait(progress.name, progress.ready, group.import_timeout)
        except Expired as late:
            words = f": {progress.complaint}" if progress.complaint else ""
            raise BuildFailed(f"Disk {local.suffix} was not ready after {group.import_timeout} s{words}") from late
    if any(local.from_image for local in disks):
        _forget_token(scope)


class _Progress:
    """Watches one DataVolume and remembers what its importer complained about last."""

    def __init__(self, scope: Scope, local: LocalDisk) -> None:
        self.name = names.local_disk(scope.server, local.suffix)
        self.complaint = ""
        self._scope = scope
        self._suffix = local.suffix
        self._attempts = scope.site.conf.kubevirt.import_attempts

    def ready(self, volume: dict | None) -> bool:
        self._scope.flight.check()
        if volume is None or volume["metadata"]["uid"] != self._scope.uids.get(self.name, volume["metadata"]["uid"]):
            return False
        done, complaint = storage.progress(volume)
        self.complaint = complaint or self.complaint
        if not done and storage.gave_up(volume, self._attempts):
            raise BuildAbort(f"Disk {self._suffix} could not be filled: {self.complaint}")
        return done


def discard(scope: Scope, suffix: str) -> None:
    """Take a local disk and what fills it out of the cluster and wait until it is gone. Raises Expired."""
    site, name = scope.site, names.local_disk(scope.server, suffix)
    for kind in (DATAVOLUME, PVC):
        cluster.absent(site.kube, kind, name, site.namespace, site.conf.kubevirt.delete_timeout)


def local(scope: Scope) -> list[Disk]:
    """The local disks as disks of the machine."""
    return [local_disk(scope.server, each, scope.properties) for each in planned(scope)]


def _forget_token(scope: Scope) -> None:
    try:
        scope.site.kube.delete(SECRET, names.secret(scope.server, "image"), scope.site.namespace)
    except KubeError as error:
        # It goes with the server at the latest.
        LOG.warning("The image token of server %s stays in the cluster for now: %s", scope.server, error)

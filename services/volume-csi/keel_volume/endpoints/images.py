"""Volumes into images, and images over volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oslo_log import log

from keel_common.db.stores.cinder import backend as rows
from keel_common.db.stores.cinder import workers
from keel_volume.endpoints.served import Served
from keel_volume.flows import reimage, upload

LOG = log.getLogger(__name__)


class Images(Served):
    """What volumes and images have to do with each other after a volume is made."""

    def copy_volume_to_image(self, context: Any, volume_id: str, image_meta: Mapping[str, Any]) -> None:
        """Begin to fill an image with a volume; the row says uploading already."""
        backend = self._backend
        with self._reconciler.alone("volume", volume_id):
            row = backend.db.read(rows.volume, volume_id)
            if row is None or row["status"] != "uploading":
                LOG.info("volume %s is not to be uploaded any more", volume_id)
                return
            backend.db.run(workers.take, "Volume", volume_id, "uploading", self._service_id())
            upload.begin(backend, context, row, image_meta)

    def reimage(self, context: Any, volume: Any, image_meta: Mapping[str, Any], image_snap: Any = None) -> None:
        """Begin to write an image, or the snapshot behind it, over a volume; the row says downloading already."""
        backend = self._backend
        with self._reconciler.alone("volume", volume.id):
            row = backend.db.read(rows.volume, volume.id)
            if row is None or row["status"] != "downloading":
                LOG.info("volume %s is not to be written over any more", volume.id)
                return
            backend.db.run(workers.take, "Volume", volume.id, "downloading", self._service_id())
            reimage.begin(backend, context, row, image_meta, image_snap.id if image_snap else None)

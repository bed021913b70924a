"""Client of Cinder (block storage API v3): volumes and attachments, as Nova needs them.

Microversion 3.44 is the least (nova 34.0.0 volume client); idempotent calls
are tried again on 500 and 504 as Nova does.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from keel_common.clients import errors
from keel_common.clients.session import Service

ATTACHMENTS = "3.44"
_ATTEMPTS = 5


class Cinder:
    """Requests as the caller of ``context``, with our service token beside it."""

    def __init__(self, service: Service):
        self._service = service

    def has_credentials(self) -> bool:
        """Whether the configuration names credentials for Cinder."""
        return self._service.has_credentials()

    def newest_version(self) -> str:
        """The highest microversion that is offered. Raises Unreachable."""
        return self._service.newest_version()

    def show_volume(self, context: Any, volume_id: str) -> dict:
        """One volume; NotFound."""
        return self._service.json("GET", f"/volumes/{volume_id}", context=context, microversion="3.48")["volume"]

    def show_snapshot(self, context: Any, snapshot_id: str) -> dict:
        """One volume snapshot; NotFound."""
        return self._service.json("GET", f"/snapshots/{snapshot_id}", context=context, microversion=ATTACHMENTS)[
            "snapshot"
        ]

    def list_volumes(self, context: Any) -> list[dict]:
        """Every volume the caller may see in its project, with details, page by page."""
        return self._pages(context, "volumes")

    def list_snapshots(self, context: Any) -> list[dict]:
        """Every volume snapshot the caller may see in its project, with details, page by page."""
        return self._pages(context, "snapshots")

    def create_snapshot(self, context: Any, snapshot: dict) -> dict:
        """Ask for a snapshot; it is in status creating. NotFound, BadRequest, OverQuota."""
        return self._service.json(
            "POST", "/snapshots", json={"snapshot": snapshot}, context=context, microversion=ATTACHMENTS
        )["snapshot"]

    def delete_snapshot(self, context: Any, snapshot_id: str) -> None:
        """Ask for the deletion of a snapshot; NotFound, BadRequest when its status forbids it."""
        self._service.request("DELETE", f"/snapshots/{snapshot_id}", context=context, microversion=ATTACHMENTS)

    def limits(self, context: Any) -> dict[str, int]:
        """What the caller's project may have and has (maxTotalSnapshots, totalSnapshotsUsed ...); -1 is no limit."""
        return self._service.json("GET", "/limits", context=context, microversion=ATTACHMENTS)["limits"]["absolute"]

    def create_volume(self, context: Any, volume: dict, microversion: str = ATTACHMENTS) -> dict:
        """Ask for a volume (size in GiB); it is in status creating."""
        return self._service.json(
            "POST", "/volumes", json={"volume": volume}, context=context, microversion=microversion
        )["volume"]

    def delete_volume(self, context: Any, volume_id: str) -> None:
        """Ask for deletion; NotFound, BadRequest when it is in use."""
        self._service.request("DELETE", f"/volumes/{volume_id}", context=context, microversion=ATTACHMENTS)

    def create_attachment(
        self, context: Any, volume_id: str, server_id: str, connector: dict | None = None, mountpoint: str | None = None
    ) -> dict:
        """Reserve a volume for a server; BadRequest when its status forbids it."""
        body: dict[str, Any] = {"volume_uuid": volume_id, "instance_uuid": server_id}
        if connector is not None:
            body["connector"] = _with_mountpoint(connector, mountpoint)
        return self._service.json(
            "POST", "/attachments", json={"attachment": body}, context=context, microversion=ATTACHMENTS
        )["attachment"]

    def show_attachment(self, context: Any, attachment_id: str) -> dict:
        """One attachment; NotFound."""
        return self._service.json("GET", f"/attachments/{attachment_id}", context=context, microversion=ATTACHMENTS)[
            "attachment"
        ]

    def list_attachments(self, context: Any, **filters: str) -> list[dict]:
        """Attachments that match (volume_id, instance_id, status); as our service user those of every project."""
        query = urlencode({**filters, **({} if context is not None else {"all_tenants": "1"})})
        path = f"/attachments/detail?{query}"
        return self._service.json("GET", path, context=context, microversion=ATTACHMENTS)["attachments"]

    def update_attachment(
        self, context: Any, attachment_id: str, connector: dict, mountpoint: str | None = None
    ) -> dict:
        """Give the connector; the attachment with its connection_info comes back."""
        body = {"attachment": {"connector": _with_mountpoint(connector, mountpoint)}}
        return self._again(
            lambda: self._service.json(
                "PUT", f"/attachments/{attachment_id}", json=body, context=context, microversion=ATTACHMENTS
            )["attachment"]
        )

    def complete_attachment(self, context: Any, attachment_id: str) -> None:
        """Say that the server has the volume: it becomes in-use."""
        self._service.request(
            "POST",
            f"/attachments/{attachment_id}/action",
            json={"os-complete": {}},
            context=context,
            microversion=ATTACHMENTS,
        )

    def delete_attachment(self, context: Any, attachment_id: str) -> bool:
        """End an attachment; False when it is gone already."""
        try:
            self._again(
                lambda: self._service.request(
                    "DELETE", f"/attachments/{attachment_id}", context=context, microversion=ATTACHMENTS
                )
            )
        except errors.NotFound:
            return False
        return True

    def begin_detaching(self, context: Any, volume_id: str) -> None:
        """in-use -> detaching; BadRequest otherwise."""
        self._action(context, volume_id, {"os-begin_detaching": {}})

    def roll_detaching(self, context: Any, volume_id: str) -> None:
        """detaching -> in-use."""
        self._action(context, volume_id, {"os-roll_detaching": {}})

    def _pages(self, context: Any, collection: str) -> list[dict]:
        found: list[dict] = []
        path = f"/{collection}/detail"
        while path:
            page = self._service.json("GET", path, context=context, microversion=ATTACHMENTS)
            found += page[collection]
            more = f"{collection}_links" in page and page[collection]
            path = f"/{collection}/detail?marker={found[-1]['id']}" if more else ""
        return found

    def reimage_volume(self, context: Any, volume_id: str, image_id: str) -> None:
        """Have an image written over a volume that is reserved for a server (3.68); Nova is told when it is done."""
        body = {"os-reimage": {"image_id": image_id, "reimage_reserved": True}}
        self._action(context, volume_id, body, microversion="3.68")

    def _action(self, context: Any, volume_id: str, body: dict, microversion: str = ATTACHMENTS) -> None:
        self._service.request(
            "POST", f"/volumes/{volume_id}/action", json=body, context=context, microversion=microversion
        )

    def _again(self, call: Any) -> Any:
        retrying = Retrying(
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_exponential(multiplier=0.2, max=3),
            retry=retry_if_exception(lambda e: isinstance(e, errors.ClientError) and e.status in (500, 504)),
            reraise=True,
        )
        return retrying(call)


def _with_mountpoint(connector: dict, mountpoint: str | None) -> dict:
    return connector if mountpoint is None else {**connector, "mountpoint": mountpoint}

"""Who may take a connection away from a running server (source: cinder 29.0.0 service token rule, CVE-2023-2088)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_api.volume import faults
from keel_common.clients import errors
from keel_common.domain.volume.attachments import needs_service_token

Row = Mapping[str, Any]


def check(
    req: Request, volume: Row, held: Sequence[Row], attachment_id: str | None, *, named_only: bool = False
) -> None:
    """Refuse (409) to disconnect what Nova still uses, unless Nova itself asks with its service token.

    `attachment_id` None means the only attachment of the volume (`named_only`: several of them are no reason to refuse
    here). Asks Nova, as the caller, about a connected attachment of a server.
    """
    if _is_service(req):
        return
    if attachment_id is None:
        if not held or (named_only and len(held) > 1):
            return
        if len(held) > 1:
            raise _conflict("several attachments exist: name the one to take away")
        attachment = held[0]
    else:
        found = [row for row in held if row["id"] == attachment_id]
        if not found:
            raise faults.invalid_input(f"attachment {attachment_id} does not belong to volume {volume['id']}")
        attachment = found[0]
    if needs_service_token(attachment) and _nova_uses(req, volume["id"], attachment):
        raise _conflict(f"detach the volume from server {attachment['instance_uuid']} with the Compute API")


def _is_service(req: Request) -> bool:
    """Whether a valid service token of a trusted role came along."""
    trusted = set(req.services.conf.keystone_authtoken.service_token_roles)
    return bool(trusted.intersection(req.context.service_roles or ()))


def _nova_uses(req: Request, volume_id: str, attachment: Row) -> bool:
    try:
        theirs = req.services.clients.nova.volume_attachment(req.context, attachment["instance_uuid"], volume_id)
    except errors.NotFound:
        return False
    return theirs.get("attachment_id") == attachment["id"]


def _conflict(reason: str) -> Fault:
    return Fault(409, f"ConflictNovaUsingAttachment: {reason}")

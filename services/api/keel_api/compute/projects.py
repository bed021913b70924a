"""Whether a project exists, as several operations ask before they write about it."""

from __future__ import annotations

from keel_api.http import Fault, Request
from keel_common.clients.errors import ClientError


def must_exist(req: Request, project: str) -> None:
    """400 when Keystone does not know a project, or is not to be found at all.

    What Keystone will not tell counts as existing (nova 34.0.0 identity).
    """
    try:
        known = req.services.clients.keystone.project_exists(project, context=req.context)
    except ClientError as error:
        if error.status:
            return
        raise Fault(400, f"Unable to reach the identity service: {error.message}") from None
    if not known:
        raise Fault(400, f"Project ID {project} is not a valid project.")

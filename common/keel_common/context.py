"""Who asks, as an HTTP service learns it: the headers that keystonemiddleware leaves behind a valid token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from keel_contract.context import Context

__all__ = ["Context", "from_environ"]


def from_environ(environ: Mapping[str, Any]) -> Context:
    """The context of a WSGI request after authentication; ``user_id`` is None when nobody was authenticated.

    ``is_admin`` is not decided here but by policy (``keel_common.policy``). Raises ValueError for a service catalog
    header that is no JSON.
    """
    catalog = environ.get("HTTP_X_SERVICE_CATALOG")
    return Context.from_environ(
        dict(environ),
        is_admin=False,
        remote_address=environ.get("REMOTE_ADDR"),
        service_catalog=orjson.loads(catalog) if catalog else [],
    )

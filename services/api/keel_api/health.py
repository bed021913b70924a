"""/healthcheck, /livez and /readyz of an API on its public port."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from flask import Blueprint, Response

LOG = logging.getLogger(__name__)


def blueprint(checks: Callable[[], Mapping[str, Callable[[], None]]]) -> Blueprint:
    """``checks`` gives the readiness checks by name; one that raises makes /readyz a 503 that names it."""
    health = Blueprint("health", __name__)

    @health.get("/healthcheck")
    @health.get("/livez")
    def alive() -> Response:
        return Response("OK", content_type="text/plain; charset=UTF-8")

    @health.get("/readyz")
    def ready() -> Response:
        failed = []
        for name, check in checks().items():
            try:
                check()
            except Exception as error:  # noqa: BLE001 - any failure of a check means not ready
                LOG.warning("Not ready: %s: %s", name, error)
                failed.append(name)
        if failed:
            return Response("not ready: " + ", ".join(sorted(failed)), 503, content_type="text/plain; charset=UTF-8")
        return Response("OK", content_type="text/plain; charset=UTF-8")

    return health

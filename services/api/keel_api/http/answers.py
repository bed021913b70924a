"""Answers against the recorded response schemas: [api]response_validation of nova.conf (nova 34.0.0, measured).

``warn`` logs an answer that its schema refuses, ``error`` refuses it (400, with the words for a wrong request),
``ignore`` looks at none. Nova's default is ``warn``; here nothing is looked at unless the operator says so, because it
costs a tenth of a long list.
"""

from __future__ import annotations

import logging
from typing import Any

import orjson
from oslo_config import cfg

from keel_api.http.dialect import Dialect
from keel_api.http.fault import Fault
from keel_api.http.ops import Op
from keel_api.http.responses import Responses, responses_of
from keel_api.http.schemas import Invalid, Schemas
from keel_api.http.version import Version

LOG = logging.getLogger(__name__)
_UNSAID = (cfg.Locations.opt_default, cfg.Locations.set_default)


def mode(conf: Any, dialect: Dialect) -> str:
    """``error``, ``warn`` or ``ignore``."""
    if dialect.suite != "compute":
        return "ignore"  # cinder has neither the option nor the schemas
    where = conf.get_location("response_validation", "api")
    return "ignore" if where is None or where.location in _UNSAID else conf.api.response_validation


class Answers:
    """Looks at the answers of one suite."""

    def __init__(self, dialect: Dialect, mode: str):
        self._mode = mode
        # Nearly 4 MB that most processes have no use for.
        self._responses = Responses() if mode == "ignore" else responses_of(dialect)
        self._schemas = Schemas(self._responses.schemas, dialect)

    def check(self, op: Op, version: Version, body: Any) -> None:
        """Raise Fault 400 (``error``) or log one line (``warn``) for a body that is not as recorded."""
        name = self._responses.name(op.id, version)
        if name is None:
            return
        try:
            self._schemas.get(name).check(_as_sent(body))
        except Invalid as invalid:
            text = invalid.text(query=False)
            LOG.error("The answer to %s is not as recorded (%s): %s", op.id, name, text)
            if self._mode == "error":
                raise Fault(400, text) from None


def _as_sent(body: Any) -> Any:
    """The document that a client reads."""
    if body is None or body == b"":
        return None
    return orjson.loads(body if isinstance(body, bytes) else orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS))

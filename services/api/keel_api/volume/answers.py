"""Answers without a body."""

from __future__ import annotations

from keel_api.http.plain import BARE
from keel_api.http.request import Response


def bare() -> Response:
    """No body, and the media type that comes of it at some operations of cinder 29.0.0 (measured; others say JSON)."""
    return Response(headers={"Content-Type": BARE})

"""Answers outside the fault format: the plain errors of the layers in front of the operations.

Their body is text, HTML or JSON by the Accept header (nova 34.0.0 http discovery "webob_plain").
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from http import HTTPStatus

import orjson
from werkzeug.wrappers import Response

from keel_api.http.fault import STOCK

BARE = "text/html; charset=UTF-8"
"""The media type of pages, and of a few answers without a body (measured at nova 34.0.0 and cinder 29.0.0)."""


def plain(code: int, accept: str | None, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """An error of a status with its stock sentence."""
    title = HTTPStatus(code).phrase
    text = STOCK.get(code, title)
    accept = accept or ""
    if "html" in accept or "*/*" in accept:
        body = (
            f"<html>\n <head>\n  <title>{code} {title}</title>\n </head>\n <body>\n  <h1>{code} {title}</h1>\n"
            f"  {html.escape(text)}<br /><br />\n{html.escape(detail)}\n\n\n </body>\n</html>"
        )
        kind = BARE
    elif "application/json" in accept:
        content = {"code": f"{code} {title}", "message": f"{text}<br /><br />\n{detail}\n\n", "title": title}
        body = orjson.dumps(content).decode()
        kind = "application/json"
    else:
        body = f"{code} {title}\n\n{text}\n\n{detail}\n\n   "
        kind = "text/plain; charset=UTF-8"
    return Response(body, status=code, headers={**(headers or {}), "Content-Type": kind})

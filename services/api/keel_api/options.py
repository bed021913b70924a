"""Options of the API processes beside the recorded ones."""

from __future__ import annotations

from typing import Any

from keystonemiddleware import opts as token_options
from oslo_config import cfg

_MIDDLEWARE = [
    cfg.IntOpt("max_request_body_size", default=114688, help="Largest request body in bytes; more is a 413."),
    cfg.BoolOpt("enable_proxy_headers_parsing", default=False, help="Believe X-Forwarded-* of a proxy in front."),
]
# The listener of nova-api up to the releases before it was served by a WSGI server alone; operators' files have them.
_COMPUTE = [
    cfg.HostAddressOpt("osapi_compute_listen", default="0.0.0.0", help="Address of the compute API."),
    cfg.PortOpt("osapi_compute_listen_port", default=8774, help="Port of the compute API."),
    cfg.IntOpt("osapi_compute_workers", min=1, help="Worker processes; default: the number of processors."),
]
_OWN = [cfg.IntOpt("api_threads", default=16, min=1, help="Requests that one API worker serves at a time.")]


def register(conf: Any, suite: str) -> None:
    """Register what the API of a suite needs; harmless when done twice."""
    conf.register_opts(_MIDDLEWARE, group="oslo_middleware")
    conf.register_opts(_OWN, group="keel")
    for group, found in token_options.list_auth_token_opts():
        conf.register_opts(found, group=group)
    if suite == "compute":
        conf.register_opts(_COMPUTE)

"""How the two suites differ on the wire, as data in one place (nova 34.0.0 and cinder 29.0.0 http contracts)."""

from __future__ import annotations

from dataclasses import dataclass, field

from keel_api.http.version import Version

_NAMES = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    405: "badMethod",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    501: "notImplemented",
    503: "serviceUnavailable",
}


@dataclass(frozen=True)
class Dialect:
    """One suite's manners. Every member is a recorded fact, none is a choice."""

    suite: str
    package: str  # where the handlers and the data of the suite live
    service: str  # the word in OpenStack-API-Version
    default: Version
    low: Version
    high: Version
    prefixes: tuple[str, ...]  # first path segment of the versioned endpoints
    legacy: str | None  # an endpoint that is the default version with relaxed bodies
    version_headers: tuple[tuple[str, str], ...]  # header name, template with {version}
    older_header: str | None  # a second header that asks for a version
    strict_header: bool  # an OpenStack-API-Version without an entry of this service is a 400
    fault_names: dict[int, str] = field(default_factory=lambda: _NAMES)
    fault_type: str = "application/json"
    media_types: tuple[str, ...] = ("application/json",)
    accepted_types: tuple[str, ...] = ("", "application/json", "text/plain")
    project: str = r"[0-9a-f-]+"
    unexpected: str | None = None  # text of an uncaught error, {cls} its class; None is the stock sentence
    open_paths: frozenset[str] = frozenset()  # answered before authentication
    link_prefix_option: tuple[str | None, str] = (None, "")
    draft: str = "2020-12"  # JSON schema dialect
    forwarded_host: bool = False  # the last entry of X-Forwarded-Host replaces the host in links


NOVA = Dialect(
    suite="compute",
    package="keel_api.compute",
    service="compute",
    default=(2, 1),
    low=(2, 1),
    high=(2, 104),
    prefixes=("v2.1", "v2"),
    legacy="v2",
    version_headers=(
        ("OpenStack-API-Version", "compute {version}"),
        ("X-OpenStack-Nova-API-Version", "{version}"),
    ),
    older_header="X-OpenStack-Nova-API-Version",
    strict_header=False,
    fault_names={**_NAMES, 429: "overLimit"},
    fault_type="application/json; charset=UTF-8",
    accepted_types=("", "application/json", "application/vnd.openstack.compute+json", "text/plain"),
    unexpected="Unexpected API Error. Please contact the administrator\n<class '{cls}'>",
    open_paths=frozenset({"/v2", "/v2/", "/v2.1", "/v2.1/"}),
    link_prefix_option=("api", "compute_link_prefix"),
)

CINDER = Dialect(
    suite="volume",
    package="keel_api.volume",
    service="volume",
    default=(3, 0),
    low=(3, 0),
    high=(3, 71),
    prefixes=("v3",),
    legacy=None,
    version_headers=(("OpenStack-API-Version", "volume {version}"),),
    older_header=None,
    strict_header=True,
    accepted_types=("", "application/json", "application/vnd.openstack.volume+json"),
    link_prefix_option=(None, "public_endpoint"),
    draft="4",
    forwarded_host=True,
)

DIALECTS = {dialect.suite: dialect for dialect in (NOVA, CINDER)}

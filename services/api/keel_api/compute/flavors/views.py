"""How flavors look (nova 34.0.0 response schemas; the deprecated fields leave at 2.102)."""

from __future__ import annotations

from typing import Any

from keel_api.http import ABSENT, Field, Request, View

EXTRA_SPECS = "os_compute_api:os-flavor-extra-specs:index"


def _specs(row: Any, _: Any) -> Any:
    return row.get("extra_specs", ABSENT)


def _links(row: Any, req: Request) -> Any:
    return req.links.pair("flavors", row["flavorid"])


_LIST = [
    Field("id", "flavorid"),
    Field("name", "name"),
    Field("links", _links, columns=("flavorid",)),
    Field("description", "description", since="2.55"),
]
INDEX = View("flavors", _LIST)
DETAIL = View(
    "flavor",
    [
        *_LIST,
        Field("ram", "memory_mb"),
        Field("disk", "root_gb"),
        Field("vcpus", "vcpus"),
        Field("swap", lambda row, _: row["swap"] or "", until="2.74", columns=("swap",)),
        Field("swap", "swap", since="2.75"),
        Field("OS-FLV-EXT-DATA:ephemeral", "ephemeral_gb"),
        Field("OS-FLV-DISABLED:disabled", "disabled", until="2.101"),
        Field("os-flavor-access:is_public", "is_public"),
        Field("rxtx_factor", lambda row, _: row["rxtx_factor"] or "", until="2.101", columns=("rxtx_factor",)),
        Field(
            "extra_specs",
            lambda row, _: row.get("extra_specs", ABSENT),
            since="2.61",
            policy=EXTRA_SPECS,
            optional=True,
        ),
    ],
)

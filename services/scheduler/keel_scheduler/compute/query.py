"""The query to Placement: what the flavor, the image and the destination ask, as (key, value) pairs.

Rules: nova 34.0.0 scheduler/placement_query and request_filter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass, field

from keel_scheduler.compute.request import Request

_RESOURCE = re.compile(r"^resources([a-zA-Z0-9_-]{1,64})?:([A-Z0-9_]+)$")
_TRAIT = re.compile(r"^trait([a-zA-Z0-9_-]{1,64})?:([A-Z0-9_]+)$")
#: These hints need every host, not the first page (scheduler/utils).
_UNLIMITED_HINTS = ("group", "same_host", "different_host")


class Unsupported(Exception):
    """A request that Placement cannot be asked for yet; the text says which part."""


@dataclass
class _Part:
    """One request group: unsuffixed ("") or with a suffix."""

    resources: dict[str, int] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)
    member_of: list[str] = field(default_factory=list)


def placement_query(
    request: Request,
    *,
    limit: int,
    aggregates: list[str] | None = None,
    in_tree: str | None = None,
    root_required: Set[str] = frozenset(),
) -> list[tuple[str, str]]:
    """All parameters of GET /allocation_candidates for a request.

    ``aggregates``: member_of values that request filters added; ``in_tree``: the
    one provider tree a forced destination leaves; ``root_required``: traits of the
    host itself; ``limit``: the most results.
    """
    parts = _from_extra_specs(request)
    _add_flavor(parts, request)
    _add_image(parts[""], request)
    pairs: list[tuple[str, str]] = []
    for suffix, part in sorted(parts.items()):
        pairs += _pairs(suffix, part)
    pairs += [("member_of", value) for value in aggregates or ()]
    pairs.append(("root_required", _traits(set(root_required), {"COMPUTE_STATUS_DISABLED"})))
    if in_tree:
        pairs.append(("in_tree", in_tree))
    pairs += _group_policy(request, parts)
    if not any(hint in request.hints for hint in _UNLIMITED_HINTS):
        pairs.append(("limit", str(limit)))
    return pairs


def _from_extra_specs(request: Request) -> dict[str, _Part]:
    parts: dict[str, _Part] = defaultdict(_Part)
    parts[""] = _Part()
    for key, value in request.extra_specs.items():
        if found := _RESOURCE.match(key):
            parts[found[1] or ""].resources[found[2]] = int(value)
        elif found := _TRAIT.match(key):
            target = {"required": "required", "forbidden": "forbidden"}.get(value)
            if target:
                getattr(parts[found[1] or ""], target).add(found[2])
    for group in request.groups:
        part = parts[group.requester_id or ""]
        part.resources.update(group.resources or {})
        part.required.update(group.required_traits or ())
    return parts


def _add_flavor(parts: dict[str, _Part], request: Request) -> None:
    """CPU, memory and disk go to the unsuffixed group unless some group already names the class."""
    named = {name for part in parts.values() for name in part.resources}
    wanted = {_cpu_class(request): request.vcpus, "MEMORY_MB": request.memory_mb, "DISK_GB": request.disk_gb}
    main = parts[""]
    for name, amount in wanted.items():
        if name not in named:
            main.resources[name] = amount
    main.resources = {name: amount for name, amount in main.resources.items() if amount}


def _cpu_class(request: Request) -> str:
    policy = request.extra_specs.get("hw:cpu_policy") or request.image.get("hw_cpu_policy") or "shared"
    if policy == "mixed":
        raise Unsupported("hw:cpu_policy=mixed cannot be placed on Kubernetes nodes")
    return "PCPU" if policy == "dedicated" else "VCPU"


def _add_image(main: _Part, request: Request) -> None:
    main.required.update(request.image.get("traits_required") or ())
    secure = request.extra_specs.get("os:secure_boot") or request.image.get("os_secure_boot")
    if secure == "required":
        main.required.add("COMPUTE_SECURITY_UEFI_SECURE_BOOT")


def _pairs(suffix: str, part: _Part) -> list[tuple[str, str]]:
    pairs = []
    if part.resources:
        text = ",".join(f"{name}:{amount}" for name, amount in sorted(part.resources.items()))
        pairs.append((f"resources{suffix}", text))
    if part.required or part.forbidden:
        pairs.append((f"required{suffix}", _traits(part.required, part.forbidden)))
    return pairs


def _traits(required: set[str], forbidden: set[str]) -> str:
    return ",".join([*sorted(required), *(f"!{name}" for name in sorted(forbidden))])


def _group_policy(request: Request, parts: dict[str, _Part]) -> list[tuple[str, str]]:
    if "group_policy" in request.extra_specs:
        return [("group_policy", request.extra_specs["group_policy"])]
    return [("group_policy", "none")] if len([s for s in parts if s]) > 1 else []

"""The quota resources of the compute API (nova 34.0.0)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Resource:
    """One limit. ``option`` is its default in [quota]; None for what belongs to the network service now: always -1."""

    name: str
    option: str | None


RESOURCES = (
    Resource("instances", "instances"),
    Resource("cores", "cores"),
    Resource("ram", "ram"),
    Resource("metadata_items", "metadata_items"),
    Resource("injected_files", "injected_files"),
    Resource("injected_file_content_bytes", "injected_file_content_bytes"),
    Resource("injected_file_path_bytes", "injected_file_path_length"),
    Resource("key_pairs", "key_pairs"),
    Resource("server_groups", "server_groups"),
    Resource("server_group_members", "server_group_members"),
    Resource("fixed_ips", None),
    Resource("floating_ips", None),
    Resource("security_groups", None),
    Resource("security_group_rules", None),
)
NAMES = tuple(resource.name for resource in RESOURCES)
NETWORK = ("fixed_ips", "floating_ips", "security_groups", "security_group_rules")
FILES = ("injected_files", "injected_file_content_bytes", "injected_file_path_bytes")
UNLIMITED = -1


def exceeded(limits: dict[str, int], used: dict[str, int], wanted: dict[str, int]) -> list[str]:
    """The resources whose limit would be passed, in order of name. Asking for nothing never passes a limit."""
    return sorted(
        name
        for name, amount in wanted.items()
        if amount > 0 and limits[name] != UNLIMITED and used.get(name, 0) + amount > limits[name]
    )

"""Names of hosts, backends and pools: `host@backend#pool`."""

from __future__ import annotations


def split(name: str) -> tuple[str, str | None, str | None]:
    """(host, backend, pool) of a name; missing parts are None."""
    rest, _, pool = name.partition("#")
    host, _, backend = rest.partition("@")
    return host, backend or None, pool or None


def backend_of(name: str) -> str:
    """The name without its pool: `host@backend`, the queue a volume service listens to."""
    return name.partition("#")[0]


def destination(row) -> str:
    """Where messages about a volume or group row go: its cluster when it has one, else its host; pool removed."""
    return backend_of(row["cluster_name"] or row["host"])


def level_patterns(name: str) -> tuple[str, list[str]]:
    """Which hosts a host filter names: (exact value, further prefixes). A host covers its backends, a backend its
    pools."""
    if "#" in name:
        return name, []
    if "@" in name:
        return name, [name + "#"]
    return name, [name + "#", name + "@"]

"""Hosts and clusters that requests name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keel_api.volume import faults


def one_place(asked: Mapping[str, Any], clusters: bool) -> tuple[bool, str]:
    """(is it a cluster, its name) of a body or query with `host` or, where `clusters` are known, `cluster`.

    Raises a 400 unless exactly one of them is named.
    """
    host, cluster = asked.get("host"), asked.get("cluster") if clusters else None
    if not clusters and not host:
        raise faults.invalid_input("Host field is missing.")
    if bool(host) == bool(cluster):
        raise faults.invalid_input("One and only one of cluster and host must be set.")
    return bool(cluster), str(cluster or host)

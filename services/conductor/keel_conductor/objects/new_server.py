"""An Instance object that is not in a cell yet, as the row set it becomes there."""

import json
from typing import Any

from keel_common.db.stores.nova.instances_create import NewServer
from keel_conductor.objects import wire

FLAGS = {"cleaned": 0, "hidden": False, "disable_terminate": False, "shutdown_terminate": False}
"""Columns that no new server leaves empty."""


def of(obj: Any, **more: Any) -> NewServer:
    """The row set of an Instance; `more` adds devices, tags, action ... of NewServer."""
    changes_all = {name for name in obj.fields if obj.is_set(name)}
    values = FLAGS | wire.instance_values(obj, changes_all)
    flavors = wire.flavors(obj, changes_all)
    # a move is never of a server that is being made
    extra = wire.extra_texts(obj, changes_all - {"migration_context"})
    if flavors:
        extra["flavor"] = json.dumps({"cur": None, "old": None, "new": None} | flavors)
    cache = obj.get("info_cache")
    network_info = cache.network_info if cache is not None and cache.is_set("network_info") else []
    return NewServer(
        values=values,
        extra=extra,
        metadata=obj.get("metadata", {}),
        system_metadata=obj.get("system_metadata", {}),
        network_info=json.dumps(network_info or []),
        **more,
    )

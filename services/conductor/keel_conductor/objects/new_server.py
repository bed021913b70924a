"""An Instance object that is not in a cell yet, as the row set it becomes there."""

import json
from typing import Any

from keel_common.db.stores.nova.instances_create import NewServer
from keel_conductor.objects import wire


def of(obj: Any, **more: Any) -> NewServer:
    """The row set of an Instance; `more` adds devices, tags, action ... of NewServer."""
    changes_all = {name for name in obj.fields if obj.is_set(name)}
    values = wire.instance_values(obj, changes_all)
    stored = {"cur": None, "old": None, "new": None} | wire.flavors(obj, changes_all)
    extra = wire.extra_texts(obj, changes_all) | {"flavor": json.dumps(stored)}
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

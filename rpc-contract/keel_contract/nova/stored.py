"""Objects as they are stored as JSON in the databases, so that every release which may share a database reads them.

A real service reads a stored object only when its version is not above its own: a request spec that nova 34 stored is
no longer read by a nova 33 beside it, or after going back to it (observed on the packages). So an object is stored at
the versions of the oldest release that can tell all it holds.
"""

from __future__ import annotations

from typing import Any

from keel_contract.nova.objects.base import REGISTRY
from keel_contract.objects import BackportRefused, VersionedObject
from keel_contract.releases import NOVA

_UNTOLD = ("nova_object.version", "nova_object.changes")


def stored_form(obj: VersionedObject) -> dict[str, Any]:
    """The wire form to store: of the oldest recorded release that loses nothing by it, else the newest."""
    newest = obj.to_primitive()
    own = REGISTRY.manifest(obj.obj_name())
    for release in NOVA:
        lower = {name: version for name, version in release.objects.items() if name in own}
        if not lower:
            break  # the same versions as today's
        manifest = own | lower
        try:
            older = obj.to_primitive(manifest[obj.obj_name()], manifest)
        except BackportRefused:
            continue
        if _values(older) == _values(newest):
            return older
    return newest


def _values(value: Any) -> Any:
    """A wire form without versions and changes."""
    if isinstance(value, dict):
        return {key: _values(part) for key, part in value.items() if key not in _UNTOLD}
    return [_values(part) for part in value] if isinstance(value, list | tuple) else value

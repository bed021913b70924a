"""What one request asks of the volume scheduler, read once from objects or plain dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Wish:
    """Size in GiB, extra specs of the type (of the volume, or of the group) and where the volume may or must go."""

    size: int
    new_size: int | None = None
    extra_specs: Mapping[str, str] = field(default_factory=dict)
    zones: tuple[str, ...] = ()
    resource_backend: str | None = None
    same_host: tuple[str, ...] = ()
    different_host: tuple[str, ...] = ()
    operation: str | None = None
    attached: bool = False
    attempts: int = 0
    tried: tuple[str, ...] = ()
    exists_on: str | None = None

    @property
    def requested(self) -> int:
        """GiB that the pool must still give."""
        return self.size if self.new_size is None else self.new_size - self.size

    @property
    def thick(self) -> bool:
        """Whether the type wants every byte there from the start."""
        return self.extra_specs.get("provisioning:type") == "thick"

    @classmethod
    def read(cls, spec: Any, filter_properties: Mapping[str, Any] | None, **more: Any) -> Wish:
        """From a RequestSpec object or a plain request_spec, and the filter properties."""
        properties = filter_properties or {}
        hints = properties.get("scheduler_hints") or {}
        retry = properties.get("retry") or {}
        specs = _get(_get(spec, "volume_type"), "extra_specs") or _get(_get(spec, "group_type"), "group_specs")
        volume = _get(spec, "volume_properties") or _get(spec, "resource_properties")
        zone = _get(volume, "availability_zone")
        zones = tuple(_get(spec, "availability_zones") or ((zone,) if zone else ()))
        values = {
            "size": _get(volume, "size") or 0,
            "extra_specs": dict(specs or {}),
            "zones": zones,
            "resource_backend": _get(spec, "resource_backend"),
            "same_host": _ids(hints.get("same_host")),
            "different_host": _ids(hints.get("different_host")),
            "new_size": properties.get("new_size"),
            "operation": _get(spec, "operation"),
            "attempts": retry.get("num_attempts", 0),
            "tried": tuple(retry.get("backends") or retry.get("hosts") or ()),
        }
        return cls(**(values | more))


def _get(thing: Any, name: str) -> Any:
    if thing is None:
        return None
    if isinstance(thing, Mapping):
        return thing.get(name)
    return getattr(thing, name) if name in thing.fields and thing.obj_attr_is_set(name) else None


def _ids(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())

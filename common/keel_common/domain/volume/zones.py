"""Choice of availability zones for a new volume (source: cinder 29.0.0 create flow)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class ZoneRefused(ValueError):
    """The wish of the caller cannot be met; the text says why."""


def zones_of_type(extra_specs: Mapping[str, str | None]) -> list[str]:
    """Zones a volume type is limited to (empty: not limited)."""
    text = extra_specs.get("RESKEY:availability_zones") or ""
    return [zone.strip() for zone in text.split(",") if zone.strip()]


def choose(
    asked: str | None,
    source_zone: str | None,
    group_zone: str | None,
    type_zones: Iterable[str],
    known: Iterable[str],
    *,
    default: str | None,
    storage_default: str,
    fallback: bool,
    same_as_source: bool,
) -> list[str]:
    """The zones a new volume may land in, best first; one entry is final, several leave the choice to the scheduler.

    Order of wishes: zone of the group, of the request, of the source, the default of the deployment, the storage
    default.
    Raises ZoneRefused when the zone is unknown (and no fallback is allowed), outside the type's zones, or differs
    from the
    source's while clones have to stay in the zone of their source.
    """
    wish = group_zone or asked or source_zone
    allowed, zones = list(type_zones), list(known)
    if allowed:
        usable = [zone for zone in allowed if zone in zones]
        if wish is None:
            candidates = usable
        elif wish in allowed:
            candidates = [wish]
        else:
            raise ZoneRefused(f"the volume type does not offer availability zone {wish}")
    else:
        candidates = [wish or default or storage_default]
    good = [zone for zone in candidates if zone in zones]
    if not good:
        if not fallback:
            raise ZoneRefused(f"availability zone '{', '.join(candidates) or wish}' is invalid")
        good = [default or storage_default]
    if same_as_source and source_zone and source_zone not in good:
        raise ZoneRefused("a copy has to stay in the availability zone of its source")
    return [source_zone] if same_as_source and source_zone else good

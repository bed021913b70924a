"""The refusals of the volume API, by the class names its clients know (codes: cinder 29.0.0 errors)."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from keel_api.http.fault import Fault
from keel_common.domain.volume import quotas
from keel_contract.errors import RemoteFault


def not_found(what: str, name: str) -> Fault:
    """404: no such thing, or not for this caller."""
    return Fault(404, f"{what} {name} could not be found.")


def invalid_input(reason: str) -> Fault:
    """400: the request itself makes no sense."""
    return Fault(400, f"Invalid input received: {reason}")


def invalid_volume(reason: str, code: int = 400) -> Fault:
    """400 (or the code of the transition): the volume is in a state that forbids it."""
    return Fault(code, f"Invalid volume: {reason}")


def invalid_snapshot(reason: str, code: int = 400) -> Fault:
    """400 (or the code of the transition): the snapshot is in a state that forbids it."""
    return Fault(code, f"Invalid snapshot: {reason}")


_INVALID = {
    "InvalidVolume": "Invalid volume",
    "InvalidSnapshot": "Invalid snapshot",
    "InvalidBackup": "Invalid backup",
    "InvalidGroup": "Invalid Group",
    "InvalidGroupSnapshot": "Invalid GroupSnapshot",
    "InvalidVolumeType": "Invalid volume type",
    "InvalidGroupType": "Invalid group type",
}


def invalid(name: str, reason: str, code: int = 400) -> Fault:
    """A refusal of one of the Invalid... classes, 400 unless its transition says otherwise."""
    return Fault(code, f"{_INVALID[name]}: {reason}")


def refused_transition(transition: Any, reason: str) -> Fault:
    """The answer a transition of the state table declares for a row that does not match."""
    code, name = transition.on_mismatch
    return invalid(name, reason, code)


def metadata_missing(owner_id: str, key: str, what: str = "Volume") -> Fault:
    """404: the volume or snapshot has no metadata with this key."""
    return Fault(404, f"{what} {owner_id} has no metadata with key {key}.")


def too_much(class_name: str, text: str) -> Fault:
    """413 of the quota family: class name before the text, and a client may try again at once."""
    return Fault(413, f"{class_name}: {text}", {"Retry-After": "0"}, retryAfter="0")


def over_quota(error: quotas.OverQuota, resource: str, size: int = 0) -> Fault:
    """413 for an exhausted resource, while making a `resource` ("volumes", "snapshots") of `size` GiB."""
    over = error.overs[0]
    name = quotas.fault_class(over, resource)
    limit, usage = error.limits[over], error.usages[over]
    if "gigabytes" in over:
        text = (
            f"Requested volume or snapshot exceeds allowed {over} quota. Requested {size}G, quota is {limit}G and "
            f"{usage.total}G has been consumed."
        )
    else:
        text = f"Maximum number of {resource} allowed ({limit}) exceeded for quota '{over}'."
    return too_much(name, text)


def over_extend(error: quotas.OverQuota, increase: int) -> Fault:
    """413 while growing a volume."""
    over = error.overs[0]
    text = (
        f"Requested volume or snapshot exceeds allowed {over} quota. Requested {increase}G, quota is "
        f"{error.limits[over]}G and {error.usages[over].total}G has been consumed."
    )
    return too_much("VolumeSizeExceedsAvailableQuota", text)


def usage_overflow(error: quotas.UsageOverflow) -> Fault:
    """413: the counter would pass what the database holds."""
    return too_much("QuotaUsageOverflow", f"Usage of {error.resource} would pass {quotas.MAX_INT}.")


def size_above_limit(size: int, limit: int) -> Fault:
    """413: one volume is larger than the deployment or project allows."""
    return too_much(
        "VolumeSizeExceedsLimit", f"Requested volume size {size}G is larger than maximum allowed limit {limit}G."
    )


@cache
def _classes() -> dict[str, list[int]]:
    """Class name -> [HTTP code, how its text is shown] of the faults a peer may raise; all others are a bare 500."""
    return json.loads(resources.files("keel_api.volume").joinpath("data", "fault_classes.json").read_bytes())


_KEPT, _NAMED = 0, 1


def of_peer(error: RemoteFault) -> Fault:
    """What a fault of the scheduler or a volume service means to the client.

    Its text goes through where the class lets it (as recorded), else the stock sentence of the status stands there.
    """
    code, shown = _classes().get(error.class_name, (500, None))
    if shown == _KEPT:
        return Fault(code, error.message)
    return Fault(code, f"{error.class_name}: {error.message}") if shown == _NAMED else Fault(code)

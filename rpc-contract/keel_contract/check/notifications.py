"""Objects of versioned notifications against our declarations. Only Nova has them."""

from __future__ import annotations

from keel_contract import goldens
from keel_contract.check.counts import Count
from keel_contract.check.objects import compared
from keel_contract.nova.notifications import REGISTRY


def count(suite: str) -> Count:
    """The recorded notification objects of a suite; those of Cinder's notifications are plain dicts."""
    return compared(goldens.load(suite, "notifications"), REGISTRY) if suite == "nova" else Count(0, 0)

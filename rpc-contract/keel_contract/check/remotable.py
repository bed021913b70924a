"""Methods of objects that a peer may have done at a conductor: kind and signature, against our declarations."""

from __future__ import annotations

from keel_contract import goldens
from keel_contract.check.counts import Count
from keel_contract.check.objects import described
from keel_contract.suites import SUITES


def count(suite: str) -> Count:
    """The recorded remotable methods; Cinder has none, its services hold the database themselves."""
    recorded = _methods(goldens.load(suite, "objects"))
    declared = _methods(described(SUITES[suite].registry))
    things = {
        name: [] if declared.get(name) == row else [f"{row}, here {declared.get(name)}"]
        for name, row in recorded.items()
    }
    return Count.of(things).also(f"{name}: declared, never recorded" for name in declared.keys() - recorded.keys())


def _methods(objects: dict) -> dict[str, dict]:
    return {
        f"{name}.{method}": signature
        for name, row in objects.items()
        for method, signature in row.get("remotable", {}).items()
    }

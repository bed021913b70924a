"""What operators may do to the backends of a service, as guarded changes (source: cinder 29.0.0 state table)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """One change: its policy, what a row must hold before and holds afterwards, whether the service has to be up."""

    verb: str
    rule: str
    expected: Mapping[str, tuple[Any, ...]]
    values: Mapping[str, Any]
    needs_up: bool = False

    @property
    def column(self) -> str:
        """The column that is looked at."""
        return next(iter(self.expected))

    @property
    def wanted(self) -> str:
        """The values it may hold, in words."""
        words = " or ".join(str(value) for value in self.expected[self.column])
        return f"{words} and the service up" if self.needs_up else words


FREEZE = Change("freeze", "volume:freeze_host", {"frozen": (False,)}, {"frozen": True})
THAW = Change("thaw", "volume:thaw_host", {"frozen": (True,)}, {"frozen": False})
FAILOVER = Change(
    "failover",
    "volume:failover_host",
    {"replication_status": ("enabled", "failed-over")},
    {"replication_status": "failing-over"},
    needs_up=True,
)

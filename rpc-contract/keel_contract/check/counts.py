"""How many recorded things there are and how many of them our declarations equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """The outcome of one comparison.

    :ivar recorded: how many things a real release was recorded with
    :ivar matching: how many of them are declared here in just the same way
    :ivar differences: one line for each difference, "thing: what differs"; also for what is declared and not recorded
    """

    recorded: int
    matching: int
    differences: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """True when everything recorded matches and nothing else is declared."""
        return self.recorded == self.matching and not self.differences

    @classmethod
    def of(cls, things: Mapping[str, Iterable[str]]) -> Count:
        """Count recorded things by name with what differs at each; a thing without differences matches."""
        differing = {name: list(lines) for name, lines in things.items()}
        lines = tuple(f"{name}: {line}" for name, found in differing.items() for line in found)
        return cls(len(differing), sum(not found for found in differing.values()), lines)

    def also(self, lines: Iterable[str]) -> Count:
        """The same count with more differences, such as things that are declared and were never recorded."""
        return Count(self.recorded, self.matching, (*self.differences, *lines))

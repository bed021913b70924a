"""Admission: the hooks that complete or refuse a write, by type.

A hook is a function of a `Review`. Mutating hooks edit ``review.obj``, validating ones raise a
`StatusError`. Hooks that stand for webhooks of KubeVirt or CDI are registered under the webhook's name and
fail as unreachable webhooks do while the control endpoint holds them down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import webhook_down
from ..kinds import Kind
from ..writer import Writer


@dataclass
class Review:
    """One write under review: operation CREATE, UPDATE or DELETE, the new and the old object, who writes."""

    operation: str
    kind: Kind
    obj: dict[str, Any]
    old: dict[str, Any] | None
    writer: Writer
    subresource: str = ""

    @property
    def name(self) -> str:
        return self.obj["metadata"].get("name", "")

    @property
    def namespace(self) -> str:
        return self.obj["metadata"].get("namespace", "")


Hook = Callable[[Review], None]


class Admission:
    """The hooks by type key, in the order they were registered."""

    def __init__(self) -> None:
        self._mutating: dict[str, list[tuple[str, Hook]]] = {}
        self._validating: dict[str, list[tuple[str, Hook]]] = {}
        self._schema_hooks: dict[str, str] = {}
        self.down: set[str] = set()

    def mutating(self, key: str, hook: Hook, webhook: str = "") -> None:
        self._mutating.setdefault(key, []).append((webhook, hook))

    def validating(self, key: str, hook: Hook, webhook: str = "") -> None:
        self._validating.setdefault(key, []).append((webhook, hook))

    def reports_schema(self, key: str, webhook: str) -> None:
        """Schema errors of this type are found first by a mutating webhook, in its words."""
        self._schema_hooks[key] = webhook

    def schema_hook(self, review: Review) -> str:
        return self._schema_hooks.get(review.kind.key, "")

    def mutate(self, review: Review) -> None:
        if review.subresource or review.operation == "DELETE":
            return
        for webhook, hook in self._mutating.get(review.kind.key, ()):
            self._reach(webhook)
            hook(review)

    def validate(self, review: Review) -> None:
        for webhook, hook in self._validating.get(review.kind.key, ()):
            self._reach(webhook)
            hook(review)

    def webhooks(self) -> list[str]:
        tables = (self._mutating, self._validating)
        return sorted({webhook for table in tables for hooks in table.values() for webhook, _ in hooks if webhook})

    def _reach(self, webhook: str) -> None:
        if webhook and webhook in self.down:
            service = "cdi-api.cdi" if "cdi" in webhook else "virt-api.kubevirt"
            raise webhook_down(webhook, f"https://{service}.svc:443/{webhook.partition('.')[0]}?timeout=10s")

"""Who writes and how, and how a deletion is meant."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Writer:
    """Who writes and how: the field manager, dry run, field validation (Ignore, Warn, Strict).

    ``trusted`` is a controller of the cluster itself. ``warnings`` collects what the answer must warn of.
    """

    manager: str = "kubesim"
    user: str = "kubernetes-admin"
    trusted: bool = False
    dry_run: bool = False
    validation: str = "Warn"
    warnings: list[str] = field(default_factory=list)


@dataclass
class Removal:
    """DeleteOptions as far as they matter; ``policy`` Background, Foreground or Orphan."""

    policy: str = "Background"
    grace: int | None = None
    uid: str | None = None
    version: str | None = None

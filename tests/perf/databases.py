"""SQLite files for a suite, with the service that opened them in the URL."""

from __future__ import annotations

import shutil
from pathlib import Path

from keel_common.db import Database, sync

_made: dict[str, Path] = {}


def create(folder: Path, **names: str) -> None:
    """Fresh databases by name and kind (nova_api, nova_cell, cinder); tables are made once for each kind."""
    for name, kind in names.items():
        target = folder / f"{name}.sqlite"
        if kind not in _made:
            db = Database(f"sqlite:///{target}")
            sync(db, kind)
            db.close()
            _made[kind] = target.rename(folder / f"{kind}.empty")
        shutil.copyfile(_made[kind], target)


def url(folder: Path, name: str, who: str) -> str:
    """The URL under which the service `who` opens a database."""
    return f"sqlite:///file:{folder}/{name}.sqlite?uri=true&who={who}"

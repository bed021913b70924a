"""The recorded tables this package decides by, read once."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "data"


@cache
def table(name: str) -> dict[str, Any]:
    """Return the recorded table `name` (status, guards or lists); treat it as read only."""
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))

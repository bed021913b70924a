"""Policy files that were written as JSON, a form that is on its way out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oslo_policy import opts

OLD_NAME = "policy.json"


def named(conf: Any) -> str | None:
    """The value of [oslo_policy]policy_file."""
    for group, options in opts.list_opts():
        conf.register_opts(options, group)
    return conf.oslo_policy.policy_file


def configured(conf: Any) -> Path | None:
    """The file that [oslo_policy]policy_file names, None when there is none."""
    return found(conf, named(conf))


def found(conf: Any, name: str | None) -> Path | None:
    """A file by its path, or by its name beside the configuration files."""
    place = conf.find_file(name) if name else None
    return Path(place) if place else None


def is_json(path: Path) -> bool:
    """Whether a file is a JSON document (an empty one is not)."""
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True

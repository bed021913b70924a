"""keel-manage openapi compute|volume: print the OpenAPI document of an API."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import orjson

from keel_api.http.version import BadVersion, UnsupportedVersion
from keel_api.openapi.document import document
from keel_common.manage.verb import Verb, text

_ARGUMENTS = (
    text("--microversion", help="a version such as 2.96; the newest without it"),
    text("--output", help="a file instead of the standard output"),
)


def compute(conf: Any, args: argparse.Namespace) -> int:
    """The compute API: 0 printed, 1 no such version."""
    return _print("compute", args)


def volume(conf: Any, args: argparse.Namespace) -> int:
    """The volume API: 0 printed, 1 no such version."""
    return _print("volume", args)


def _print(suite: str, args: argparse.Namespace) -> int:
    try:
        made = document(suite, args.microversion)
    except (BadVersion, UnsupportedVersion) as wrong:
        print(f"The {suite} API has no version {wrong}", file=sys.stderr)
        return 1
    text = orjson.dumps(made, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if args.output:
        Path(args.output).write_bytes(text)
    else:
        sys.stdout.write(text.decode())
    return 0


VERBS = {("openapi", "compute"): Verb(compute, _ARGUMENTS), ("openapi", "volume"): Verb(volume, _ARGUMENTS)}
"""Found by keel-manage through the entry point `openkeel.manage`, whatever the suite."""

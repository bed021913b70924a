"""``keel-contract record``: write the goldens of an installed real release, or compare with those there are."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from keel_contract import goldens
from keel_contract.recorder import recording


def main(argv: list[str]) -> int:
    """0 written, or equal with ``--compare``; 1 differs, or not recorded."""
    asked = _arguments(argv)
    try:
        suites = [asked.suite] if asked.suite else recording.installed(asked.python)
        different = [file for suite in suites for file in _suite(asked, suite)]
    except recording.NotRecorded as problem:
        print(problem, file=sys.stderr)
        return 1
    for file in different:
        print(f"{file}: differs from the recording in {asked.output}", file=sys.stderr)
    return 1 if different else 0


def _suite(asked: argparse.Namespace, suite: str) -> list[str]:
    recorded = recording.record(asked.python, suite)
    contents = recording.files(suite, recorded)
    print(f"{suite} {recorded['release']}: {sum(map(len, contents.values()))} bytes in {', '.join(contents)}")
    if asked.compare:
        return recording.differing(asked.output, contents)
    recording.write(asked.output, contents)
    return []


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="keel-contract record",
        description="Record what an installed release of Nova or Cinder speaks: methods, objects, versions.",
    )
    parser.add_argument("--python", required=True, help="the interpreter that has the release, such as VENV/bin/python")
    parser.add_argument("--suite", choices=recording.SUITES, help="one suite, where the interpreter has both")
    parser.add_argument("--output", type=Path, default=goldens.FOLDER, help="folder of the goldens (default: ours)")
    parser.add_argument("--compare", action="store_true", help="write nothing; say what differs from the output folder")
    return parser.parse_args(argv)

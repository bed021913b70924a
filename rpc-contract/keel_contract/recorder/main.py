"""``keel-contract record``: write the goldens of an installed real release, or compare with those there are."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from keel_contract import goldens
from keel_contract.recorder import backports, blobs, recording


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
    contents = _contents(asked, suite)
    print(f"{suite}: {sum(map(len, contents.values()))} bytes in {', '.join(contents)}")
    if asked.compare:
        return recording.differing(asked.output, contents)
    recording.write(asked.output, contents)
    return []


def _contents(asked: argparse.Namespace, suite: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if not (asked.backports or asked.blobs):
        found |= recording.files(suite, recording.record(asked.python, suite))
    if asked.backports:
        found |= backports.files(asked.python, suite)
    if asked.blobs:
        found |= blobs.files(asked.python, suite)
    return found


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="keel-contract record",
        description="Record what an installed release of Nova or Cinder speaks: methods, objects, versions.",
    )
    parser.add_argument("--python", required=True, help="the interpreter that has the release, such as VENV/bin/python")
    parser.add_argument("--suite", choices=recording.SUITES, help="one suite, where the interpreter has both")
    parser.add_argument("--output", type=Path, default=goldens.FOLDER, help="folder of the goldens (default: ours)")
    parser.add_argument("--backports", action="store_true", help="instead: what it makes of objects for older peers")
    parser.add_argument("--blobs", action="store_true", help="instead: what it stores of objects as JSON (Nova)")
    parser.add_argument("--compare", action="store_true", help="write nothing; say what differs from the output folder")
    return parser.parse_args(argv)

"""Runs the programs of ``probes`` in the interpreter of a real release, and keeps their results compressed."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from keel_contract import goldens
from keel_contract.recorder.recording import NotRecorded

_PROBES = Path(__file__).with_name("probes")
_SECONDS = 1800  # the longest takes a minute on an idle machine


def run(python: str, program: str, arguments: Sequence[str] = (), *, asked: Mapping[str, Any]) -> str:
    """What a program writes when ``asked`` is its standard input.

    :raises NotRecorded: it did not end well; the text has what it said
    """
    with tempfile.TemporaryFile("w+") as output:
        _run(python, program, arguments, asked, output)
        output.seek(0)
        return output.read()


def documents(python: str, program: str, arguments: Sequence[str], asked: Mapping[str, Any]) -> Iterator[Any]:
    """The JSON documents that a program writes, one a line.

    :raises NotRecorded: it did not end well; the text has what it said
    """
    with tempfile.TemporaryFile("w+") as output:
        _run(python, program, arguments, asked, output)
        output.seek(0)
        yield from (json.loads(line) for line in output)


def _run(python: str, program: str, arguments: Sequence[str], asked: Mapping[str, Any], output: IO[str]) -> None:
    # sets of strings have the same order in every run
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryFile("w+") as given:
        json.dump(asked, given)
        given.seek(0)
        try:
            done = subprocess.run(
                [python, str(_PROBES / program), *arguments],
                stdin=given,
                stdout=output,
                stderr=subprocess.PIPE,
                env=environment,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise NotRecorded(f"{python}: {problem}") from None
    if done.returncode:
        raise NotRecorded(f"{python}: {program} failed:\n{done.stderr[-4000:]}")


def path(name: str, part: str) -> Path:
    """The compressed golden ``part`` of a release such as ``nova-33``."""
    return goldens.FOLDER / f"{name}-{part}.json.gz"


def compressed(document: Mapping[str, Any]) -> bytes:
    """A golden's content; the same document is the same bytes."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def read(file: Path) -> dict[str, Any]:
    """The document of a compressed golden."""
    return json.loads(gzip.decompress(file.read_bytes()))

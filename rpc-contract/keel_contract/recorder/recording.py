"""A recording: asked of another interpreter, written as files, compared byte for byte.

A release is named as its goldens are: ``nova-34`` is any 34.x of Nova; the exact version stands inside.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

INSIDE = Path(__file__).parent / "inside"
SUITES = ("nova", "cinder")
_SECONDS = 600  # a recording takes about 20

_INSTALLED = """
import importlib.metadata as m, json
print(json.dumps([d for d in ("nova", "cinder") if any(True for _ in m.distributions(name=d))]))
"""


class NotRecorded(Exception):
    """The interpreter has nothing to record, or its release could not be recorded."""


def installed(python: str) -> list[str]:
    """The suites that an interpreter has.

    :raises NotRecorded: it is no interpreter, or has none
    """
    found = json.loads(_run([python, "-I", "-c", _INSTALLED]))
    if not found:
        raise NotRecorded(f"{python} has neither Nova nor Cinder")
    return found


def record(python: str, suite: str) -> dict[str, Any]:
    """Everything about the release of ``suite`` that the interpreter ``python`` has: part -> recording.

    :raises NotRecorded: the recording failed; the text has what it said
    """
    return json.loads(_run([python, "-I", str(INSIDE), suite]))


def name(suite: str, recording: Mapping[str, Any]) -> str:
    """What the goldens of a recording are called."""
    return f"{suite}-{recording['release'].partition('.')[0]}"


def files(suite: str, recording: Mapping[str, Any]) -> dict[str, bytes]:
    """File name -> content of the goldens of a recording."""
    parts = {part: value for part, value in recording.items() if part != "release"}
    parts["versions"] = {"release": recording["release"], **parts["versions"]}
    return {f"{name(suite, recording)}-{part}.json": _document(value) for part, value in sorted(parts.items())}


def _document(value: Mapping[str, Any]) -> bytes:
    """JSON with one line for each key, so that versions of a file can be compared line by line."""
    lines = [f"{json.dumps(key)}:{_compact(part)}" for key, part in sorted(value.items())]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files into ``folder``, each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in contents.items():
        unfinished = folder / f".{file}.{os.getpid()}"
        unfinished.write_bytes(content)
        unfinished.replace(folder / file)


def differing(folder: Path, contents: Mapping[str, bytes]) -> list[str]:
    """The files whose content in ``folder`` is another, or that are not there."""
    return [
        file
        for file, content in contents.items()
        if not (folder / file).is_file() or (folder / file).read_bytes() != content
    ]


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except OSError as problem:
        raise NotRecorded(f"{command[0]}: {problem.strerror}") from None
    except subprocess.TimeoutExpired:
        raise NotRecorded(f"{command[0]}: not done after {_SECONDS} s") from None
    if done.returncode:
        print(done.stderr[-4000:], file=sys.stderr)
        raise NotRecorded(f"{' '.join(command[:1])}: the recording failed (exit code {done.returncode})")
    return done.stdout

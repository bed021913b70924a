"""python -m conductor_objects record|compare --python PYTHON

record writes the golden anew from the Nova that PYTHON has; compare shows where our conductor differs from that Nova.
"""

import argparse
import re
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from conductor_objects import golden, run, worlds
from conductor_objects.compare import differences
from conductor_objects.deliberate import DIFFERENT


def answers(server: str | None, ask: Any) -> dict[str, Any]:
    """What `ask(world, folder)` finds on fresh databases."""
    with tempfile.TemporaryDirectory() as place, worlds.mysql(server) if server else nullcontext() as world:
        return dict(ask(world or worlds.sqlite(Path(place)), Path(place)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="conductor_objects", description=__doc__)
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("--python", default=run.reference(), help="python of an environment with a real Nova")
    parser.add_argument("--mysql", help="compare on a server: mysql+pymysql://root@localhost/?unix_socket=...")
    parser.add_argument("--only", default="", help="a regular expression: compare cases whose name has it")
    given = parser.parse_args()
    if given.python is None:
        parser.error("--python or KEEL_REFERENCE has to name the python of an environment with a real Nova")
    cases = (
        golden.CASES
        if given.command == "record"
        else [one for one in golden.CASES if re.search(given.only, one["name"])]
    )
    theirs = answers(given.mysql, lambda world, place: run.theirs(world, place, cases, given.python))
    if given.command == "record":
        golden.write(theirs)
        print(f"{len(theirs)} cases in {golden.PATH}")
        return 0
    ours = answers(given.mysql, lambda world, place: run.ours(world, place, cases))
    lines = [line for line in differences(theirs, ours) if line.split(": /")[0] not in DIFFERENT]
    print("\n".join(lines) or f"{len(theirs)} cases, no difference but the {len(DIFFERENT)} that are meant")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())

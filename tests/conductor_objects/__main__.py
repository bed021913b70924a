"""python -m conductor_objects record|compare --python PYTHON

record writes the golden anew from the Nova that PYTHON has; compare shows where our conductor differs from that Nova.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from conductor_objects import golden, run
from conductor_objects.compare import differences
from conductor_objects.deliberate import DIFFERENT


def main() -> int:
    parser = argparse.ArgumentParser(prog="conductor_objects", description=__doc__)
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("--python", default=run.reference(), help="python of an environment with a real Nova")
    given = parser.parse_args()
    if given.python is None:
        parser.error("--python or KEEL_REFERENCE has to name the python of an environment with a real Nova")
    with tempfile.TemporaryDirectory() as place:
        theirs = run.theirs(Path(place), golden.CASES, given.python)
    if given.command == "record":
        golden.write(theirs)
        print(f"{len(theirs)} cases in {golden.PATH}")
        return 0
    with tempfile.TemporaryDirectory() as place:
        ours = run.ours(Path(place), golden.CASES)
    lines = [line for line in differences(theirs, ours) if line.split(": /")[0] not in DIFFERENT]
    print("\n".join(lines) or f"{len(theirs)} cases, no difference but the {len(DIFFERENT)} that are meant")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())

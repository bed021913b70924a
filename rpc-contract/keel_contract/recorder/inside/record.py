"""The recording of one release, as JSON."""

import importlib
import importlib.metadata
import json
import os

SUITES = ("nova", "cinder")


def main(argv):
    """Write ``{"release": .., part: ..}`` of the suite named in ``argv`` to standard output."""
    if len(argv) != 1 or argv[0] not in SUITES:
        raise SystemExit(f"usage: inside {'|'.join(SUITES)}")
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print must not get into the document
    suite = importlib.import_module(f".{argv[0]}", __package__)
    document = {"release": importlib.metadata.version(argv[0]), **suite.record()}
    with out:
        json.dump(document, out, sort_keys=True)

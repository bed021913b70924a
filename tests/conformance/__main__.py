"""make conformance API=compute|volume [SCENARIOS=FILE]: replay recorded exchanges and print what came of it."""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from pathlib import Path
from typing import Any

from conformance import report
from conformance.compute_cloud import ComputeCloud
from conformance.replay import Result, replay
from conformance.scenario import DATA, environment_ids, judged, load
from conformance.volume_cloud import VolumeCloud

CLOUDS: dict[str, type] = {"compute": ComputeCloud, "volume": VolumeCloud}


def chosen(path: Path, only: str | None = None) -> list[dict[str, Any]]:
    """The scenarios of a file that can be judged; `only` is a pattern of their ids."""
    return [each for each in load(path) if judged(each) and (only is None or re.search(only, each["id"]))]


def run(api: str, scenarios: list[dict[str, Any]]) -> list[Result]:
    """Replay scenarios against a fresh deployment, each on an empty cloud."""
    cloud, ids = CLOUDS[api](), environment_ids()
    try:
        return [replay(each, cloud, ids) for each in scenarios]
    finally:
        cloud.close()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("api", choices=sorted(CLOUDS))
    parser.add_argument("scenarios", nargs="?", type=Path, help="a file of scenarios (default: the recorded ones)")
    parser.add_argument("--only", help="pattern of scenario ids")
    parser.add_argument("--unbuilt", action="store_true", help="list scenarios that met an unbuilt operation too")
    parser.add_argument("--json", type=Path, help="write verdicts and reasons here")
    parser.add_argument("--log", default="ERROR", help="level of the services' log")
    given = parser.parse_args(argv)
    logging.basicConfig(level=given.log)
    results = run(given.api, chosen(given.scenarios or DATA / f"{given.api}.jsonl.gz", given.only))
    print("\n".join(report.failures(results, given.unbuilt)))
    print("\n".join(["", *report.table(results), "", *report.sums(results)]))
    if given.json:
        given.json.write_text(json.dumps([report.plain(each) for each in results], indent=1))
    return 0 if all(each.verdict == "pass" for each in results) else 1


if __name__ == "__main__":
    sys.exit(main())

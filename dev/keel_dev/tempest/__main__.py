"""`make tempest`: bring the cloud of a way up, run the suite, say what it means."""

import argparse
import sys
from pathlib import Path

from keel_dev.cloud import Cloud
from keel_dev.console import CloudError, say, table
from keel_dev.seeds import images, volume_types
from keel_dev.settings import CHECKOUT, Settings
from keel_dev.tempest import verdict
from keel_dev.tempest.suite import Suite
from keel_dev.tempest.ways import BACKENDS, COMPUTES, Way, way

LISTS = CHECKOUT / "tests" / "tempest"
#: What of the suites belongs to an API.
TESTS = {"compute": r"^tempest\.api\.compute", "volume": r"^(tempest\.api\.volume|cinder_tempest_plugin\.api)"}


def run(arguments: argparse.Namespace) -> int:
    """Run and judge; 1 when a test fails that nobody expects to."""
    settings = Settings.from_environment("services")
    chosen = way(arguments.compute, arguments.backend or BACKEND_OF[arguments.compute])
    bring_up(settings, chosen)
    images.seed(settings, images.OTHER_NAME)
    volume_types.seed_multiattach(settings)
    suite = Suite(settings, chosen)
    suite.prepare()
    suite.run(arguments.tests or TESTS[arguments.api], arguments.exclude, arguments.concurrency)
    verdicts = verdict.judge(
        suite.results(),
        chosen.name,
        verdict.read_baseline(LISTS / f"baseline-{arguments.api}.txt"),
        verdict.read_known(LISTS / "known.json"),
    )
    report(verdicts, suite.workspace)
    return 1 if verdict.counts(verdicts)[verdict.FAILED] else 0


#: The volume service that a compute can attach volumes of.
BACKEND_OF = {"kubevirt": "csi", "nova": "cinder"}


def bring_up(settings: Settings, chosen: Way) -> None:
    """Start what the way needs; a cloud with these processes is left as it is."""
    remembered = Cloud(settings)
    if remembered.was_up and remembered.mixture == chosen.mixture:
        cloud = remembered
    else:
        cloud = Cloud(settings, chosen.mixture)
    if all(cloud.book.pid(name) for name in cloud.services):
        say(f"the cloud of {chosen.name} runs already")
        return
    cloud.up()


def report(verdicts: list[verdict.Judged], workspace: Path) -> None:
    """Print what failed and why, what was forgiven, and the counts; the last line is the sum."""
    for state in (verdict.LISTED, verdict.FAILED):
        found = [judged for judged in verdicts if judged.state == state]
        for judged in found:
            said = judged.known.reason if judged.known else judged.result.reason
            say(f"{state} {judged.result.name}\n    {said}")
    table("Tests by area", ["area", *verdict.STATES], verdict.table_rows(verdicts))
    say(f"requests and answers: {workspace / 'tempest.log'}")
    say(verdict.last_line(verdicts))


def parser() -> argparse.ArgumentParser:
    """The arguments of the lane."""
    top = argparse.ArgumentParser(prog="make tempest", description=__doc__)
    top.add_argument("--api", choices=TESTS, default="compute")
    top.add_argument("--tests", default="", help="a regular expression; all of the API when it is empty")
    top.add_argument("--exclude", default="", help="a regular expression of tests to leave out")
    top.add_argument("--compute", choices=COMPUTES, default="kubevirt", help="nova: the real one with its fake driver")
    top.add_argument("--backend", choices=["", *BACKENDS], default="", help="csi with kubevirt, cinder with nova")
    top.add_argument("--concurrency", type=int, default=2)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run the lane."""
    try:
        return run(parser().parse_args(argv))
    except CloudError as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

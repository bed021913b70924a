"""Turn a subunit stream on standard input into lines of JSON; run where Tempest is installed.

Each line is {"id", "state", "reason", "seconds"}; a state is passed, failed or skipped.
"""

import json
import sys

import subunit
import testtools

STATES = {"success": "passed", "xfail": "passed", "skip": "skipped"}
#: As much of an exception as a table can show.
LONGEST_REASON = 400


def reason_of(test):
    """Why a test was skipped, or the last words of what made it fail."""
    texts = {name: detail.as_text() for name, detail in test["details"].items()}
    if "reason" in texts:
        return texts["reason"].strip()
    for name, text in texts.items():
        if name.startswith("traceback"):
            lines = [line for line in text.splitlines() if line.strip() and line[0] not in " }"]
            return " ".join(lines[-2:] if lines and lines[-1].startswith("Details") else lines[-1:])[:LONGEST_REASON]
    return ""


def write(test):
    """Print one finished test; a stream begins with tests that only exist."""
    if test["status"] == "exists":
        return
    begun, ended = test["timestamps"]
    seconds = (ended - begun).total_seconds() if begun and ended else 0
    state = STATES.get(test["status"], "failed")
    line = {"id": test["id"], "state": state, "reason": reason_of(test), "seconds": round(seconds, 1)}
    print(json.dumps(line))


def main():
    """Read the whole stream."""
    collector = testtools.StreamToDict(write)
    collector.startTestRun()
    subunit.ByteStreamToStreamResult(sys.stdin.buffer, non_subunit_name="stdout").run(collector)
    collector.stopTestRun()


if __name__ == "__main__":
    main()

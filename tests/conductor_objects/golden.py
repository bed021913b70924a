"""What the real conductor answered, kept so that a replay needs no real Nova."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from conductor_objects.calls import Case
from conductor_objects.cases_api import CASES as API
from conductor_objects.cases_devices import CASES as DEVICES
from conductor_objects.cases_hosts import CASES as HOSTS
from conductor_objects.cases_limits import CASES as LIMITS
from conductor_objects.cases_servers import CASES as SERVERS
from conductor_objects.compare import judged

PATH = Path(__file__).with_name("golden.json.gz")
CASES: list[Case] = [*SERVERS, *DEVICES, *HOSTS, *API, *LIMITS]


@cache
def load() -> dict[str, Any]:
    """Case name -> outcomes."""
    return dict(json.loads(gzip.decompress(PATH.read_bytes())))


def write(answers: dict[str, Any]) -> None:
    """The same bytes for the same answers."""
    plain = {name: judged(outcomes) for name, outcomes in answers.items()}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    PATH.write_bytes(gzip.compress(text.encode(), mtime=0))

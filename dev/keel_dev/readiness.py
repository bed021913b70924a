"""Wait until started processes are ready to work."""

import subprocess
import time
from collections.abc import Sequence

import requests
import urllib3

from keel_dev.console import CloudError
from keel_dev.environments import variables
from keel_dev.processes import ProcessBook
from keel_dev.service import Service
from keel_dev.settings import Settings

READY_SECONDS = 180.0


def wait(settings: Settings, book: ProcessBook, services: Sequence[Service]) -> None:
    """Wait for each service's own sign; CloudError names one that ended or stayed away, with its last words."""
    deadline = time.monotonic() + READY_SECONDS
    waiting = [service for service in services if service.ready_url]
    programs = [service for service in services if service.rpc]
    pinger = _ping(settings, programs) if programs else None
    try:
        while waiting or pinger:
            _check(book, services, waiting, deadline)
            waiting = [service for service in waiting if not answers(service)]
            if pinger and pinger.poll() is not None:
                if pinger.returncode:
                    names = ", ".join(service.name for service in programs)
                    raise CloudError(f"not every one of {names} answers on the message bus; see {book.log_folder}")
                pinger = None
            time.sleep(0.15)
    finally:
        if pinger:
            pinger.terminate()


def answers(service: Service) -> bool:
    """Whether the service says that it is ready; one without a URL, which only the bus can ask, counts as ready."""
    if not service.ready_url:
        return True
    try:
        with urllib3.warnings.catch_warnings():
            urllib3.warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)
            # The simulated cluster signs its own certificate: this only asks whether it is there.
            answer = requests.get(service.ready_url, timeout=30, verify=False)
    except requests.RequestException:
        return False
    return answer.status_code == 200 if service.strict else answer.status_code < 500


def _check(book: ProcessBook, services: Sequence[Service], waiting: Sequence[Service], deadline: float) -> None:
    for service in services:
        if not book.pid(service.name):
            raise CloudError(f"{service.name} ended while starting:\n{_last_words(book, service.name)}")
    if time.monotonic() > deadline:
        names = ", ".join(service.name for service in waiting)
        details = "\n".join(f"{service.name}: {reason(service)}" for service in waiting)
        raise CloudError(f"not ready after {READY_SECONDS:.0f} s: {names}; logs in {book.log_folder}\n{details}")


def reason(service: Service) -> str:
    """What the service answers instead of being ready."""
    try:
        answer = requests.get(service.ready_url, timeout=10, verify=False)
    except requests.RequestException as error:
        return str(error)
    return f"{answer.status_code} {answer.text[:500]}"


def _last_words(book: ProcessBook, name: str) -> str:
    path = book.log_path(name)
    lines = path.read_text(errors="replace").splitlines()[-15:]
    return "\n".join([*lines, f"(whole log: {path})"])


def _ping(settings: Settings, programs: Sequence[Service]) -> subprocess.Popen:
    """A helper in the environment of one of the real services that pings them all over the bus."""
    environment = programs[0].environment
    targets = [
        f"{service.name}={service.rpc.topic}/{service.rpc.server}/{service.rpc.exchange}"
        for service in programs
        if service.rpc
    ]
    argv = [settings.program("python", environment), "-m", "keel_plugins.rpc_ready", settings.transport_url]
    return subprocess.Popen(
        [*argv, str(READY_SECONDS), *targets],
        env=variables(settings, environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

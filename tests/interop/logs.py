"""What the logs of all services say during a cell: nothing of the level WARNING or above, and no traceback.

What a service says in any deployment, whoever its peers are, stands in EXPECTED with a reason. Those of real services
were seen in the cell of real services alone, but for the two that come with the exchange of processes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

#: A record of a log, which names its request in brackets (the lines of a traceback below it do not), or a traceback
#: that was printed past the log.
LOUD = re.compile(
    r"^\d{4}-\d\d-\d\d \S+ \d+ (?:WARNING|ERROR|CRITICAL) (?P<text>\S+ \[.*)|^(?P<trace>Traceback \(most .*)"
)
#: Ids of requests, people and processes are of no interest in a report.
CONTEXT = re.compile(r"\[(?:None )?req-\S+[^\]]*\] ")


@dataclass(frozen=True)
class Expected:
    """A line that is no sign of trouble.

    :param service: beginning of the names of the services that say it
    :param text: a regular expression that is found in the line
    :param reason: why it says nothing about the messages of a peer
    :param always: the cell of real services alone shows it in every run; else it comes with a start or a timer
    """

    service: str
    text: str
    reason: str
    always: bool = False


#: A real service that ends loses what the broker sends it meanwhile (six calls of six at once, docs/interop.md); ours
#: do not. The caller waits for its whole time-out, after the cell has changed.
LOST = "a real service that was stopped before this cell took the message and lost it"

EXPECTED = (
    Expected("", r"Using the in-process token cache is deprecated", "no memcached on this machine"),
    Expected("", r"Could not load 'oslo_cache.memcache_pool'", "no memcached on this machine"),
    Expected("", r"oslo_rpc_server_ping", "the supervisor's ping is an option that warns of itself"),
    Expected("", r"amqp .*Received method \(60, 30\) during closing channel", "a consumer that ends; ours, too"),
    Expected("", r"python binding code in neutronclient is deprecated", "at the first use of Neutron"),
    Expected("nova-compute", r"no_fork=True: running service in main process", "on every start"),
    Expected("nova-compute", r"If this is the first time this service is starting", "a new host"),
    Expected("nova-compute", r"No compute node record for [\w-]+:", "a new host"),
    Expected("nova-compute", r"Failed to retrieve allocations for resource provider .*404", "a host that came back"),
    Expected("nova-compute", r"Moving ComputeNode \S+ from service", "a host that was deleted and came back"),
    Expected("nova-compute", r"In native threading mode the number of concurrent builds", "its defaults"),
    Expected("nova-", r"manager_shutdown_timeout .* is higher than graceful_shutdown_timeout", "its defaults"),
    Expected(
        "nova-compute",
        r"Received unexpected event network-vif-plugged-\S+ for instance with vm_state building",
        "the port is bound at once and the fake driver does not wait for it",
        always=True,
    ),
    Expected("cinder-", r"Deprecated: Option \"\w+\"", "the place of paste.ini is an old option"),
    Expected("cinder-api", r"The Host API is deprecated", "on every start"),
    Expected("cinder-", r"Deprecated: Default quota for resource", "the limits of a type come from the defaults"),
    Expected("cinder-", r"SAWarning: SELECT statement has a cartesian product", "a query of its own"),
    Expected("nova-compute", r"While synchronizing instance power states, found", "its timer met a server being made"),
    Expected("nova-", r"MessagingTimeout: Timed out waiting for a reply", LOST),
    Expected("keel-compute-kubevirt", r"Timed out waiting for a reply", LOST),
)


class Logs:
    """The part of every log that is written from now on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.begins = {path: path.stat().st_size for path in folder.glob("*.log")}

    def findings(self, services: Iterable[str]) -> list[str]:
        """Lines of these services that nothing explains, shortened, each once."""
        return list(
            dict.fromkeys(
                f"{name}: {line}" for name in services for line in self._loud(name) if not explained(name, line)
            )
        )

    def expected(self, services: Iterable[str]) -> set[Expected]:
        """Which expected lines were written."""
        return {known for name in services for line in self._loud(name) if (known := explained(name, line))}

    def _loud(self, name: str) -> list[str]:
        path = self.folder / f"{name}.log"
        matches = (LOUD.match(line) for line in self._written(path).splitlines())
        return [CONTEXT.sub("", match["text"] or match["trace"])[:300] for match in matches if match]

    def _written(self, path: Path) -> str:
        if not path.exists():
            return ""
        with open(path, errors="replace") as log:
            log.seek(self.begins.get(path, 0))
            return log.read()


def explained(service: str, line: str) -> Expected | None:
    """The expected line that this is one of."""
    fitting = (known for known in EXPECTED if service.startswith(known.service) and re.search(known.text, line))
    return next(fitting, None)

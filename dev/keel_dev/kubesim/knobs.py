"""What tests may tell the cluster: delays, failures, the behaviour of guests, nodes, provisioners, imports.

All of it is plain data in one place; the control endpoint reads and writes it, the API and the controllers
ask it. The defaults are a healthy, asynchronous cluster.
"""

from __future__ import annotations

import fnmatch
import threading
from dataclasses import asdict, dataclass, field, fields
from typing import Any

# Virtual seconds each step takes, after what was observed on an idle cluster.
DELAYS: dict[str, float] = {
    "vm-sync": 0.05,  # a VirtualMachine is seen by its controller
    "vmi-create": 0.1,  # start request -> VMI
    "pod-create": 0.2,  # VMI Pending -> launcher pod
    "pod-schedule": 0.1,
    "pod-start": 0.4,  # scheduled -> Running and Ready
    "pod-stop": 0.2,
    "guest-start": 0.6,  # VMI Scheduled -> Running
    "guest-agent": 2.0,  # Running -> AgentConnected
    "guest-stop": 0.3,  # deletion -> the guest has shut down
    "vmi-remove": 0.1,  # pod gone -> finalizers gone
    "hotplug-attach": 0.3,
    "hotplug-mount": 0.5,
    "hotplug-ready": 0.6,
    "hotplug-detach": 0.4,
    "nic-plug": 1.0,
    "nic-grace": 15.0,  # before an interface that waits asks for a migration
    "workload-update": 5.0,  # how often the workload updater looks
    "migration-step": 0.3,
    "migration-run": 1.0,
    "provision": 0.3,  # claim -> volume bound
    "expand": 0.5,
    "reclaim": 0.1,
    "snapshot-content": 0.1,
    "snapshot-cut": 0.3,
    "import-schedule": 0.3,
    "import-start": 0.3,
    "import-finish": 0.3,
    "collect": 0.1,  # owner gone -> dependents deleted
    "heartbeat": 60.0,
    "node-grace": 40.0,  # silent node -> NotReady
    "pod-eviction": 300.0,  # NotReady -> its pods terminate
}


@dataclass
class Failure:
    """A rule that makes matching requests fail or wait; ``count`` of them, -1 for until it is removed.

    code 0 only adds ``latency`` (real seconds). verb, resource, namespace and name are shell patterns; a subresource is
    written resource/sub.
    """

    code: int = 500
    verb: str = "*"
    resource: str = "*"
    namespace: str = "*"
    name: str = "*"
    count: int = 1
    latency: float = 0.0
    retry_after: int = 1
    message: str = ""

    def fits(self, verb: str, resource: str, namespace: str, name: str) -> bool:
        pairs = ((self.verb, verb), (self.resource, resource), (self.namespace, namespace), (self.name, name))
        return self.count != 0 and all(fnmatch.fnmatchcase(given, pattern) for pattern, given in pairs)


@dataclass
class Guest:
    """How a guest behaves. boot: runs, never (stays Scheduled), crashes (Failed before Running).

    acpi False ignores the power button: a stop takes the whole grace period. migration: succeeds, fails, stalls.
    """

    boot: str = "runs"
    acpi: bool = True
    agent: bool = True
    migration: str = "succeeds"


@dataclass
class Provisioner:
    """How a storage class behaves. outcome: works, stalls, fails (ProvisioningFailed with ``message``, retried)."""

    outcome: str = "works"
    message: str = "rpc error: code = ResourceExhausted desc = not enough free capacity"
    snapshot: str = "works"
    expansion: str = "works"
    delay: float | None = None


@dataclass
class Importer:
    """How imports end. outcome: real (the URL is fetched), stalls, or fails with ``message``."""

    outcome: str = "real"
    message: str = "Unable to connect to http data source: expected status code 200, got 401"


@dataclass
class Pattern:
    """A behaviour for the objects whose name fits a shell pattern."""

    name: str
    value: Any


@dataclass
class Knobs:
    delays: dict[str, float] = field(default_factory=lambda: dict(DELAYS))
    failures: list[Failure] = field(default_factory=list)
    guests: list[Pattern] = field(default_factory=list)
    provisioners: list[Pattern] = field(default_factory=list)
    importers: list[Pattern] = field(default_factory=list)
    paused: set[str] = field(default_factory=set)
    aggregated_api_down: bool = False
    dynamic_networks: bool = True
    lock: threading.Lock = field(default_factory=threading.Lock)

    def delay(self, step: str) -> float:
        return self.delays[step]

    def guest(self, name: str) -> Guest:
        return _pick(self.guests, name, Guest())

    def provisioner(self, storage_class: str) -> Provisioner:
        return _pick(self.provisioners, storage_class, Provisioner())

    def importer(self, name: str) -> Importer:
        return _pick(self.importers, name, Importer())

    def strike(self, verb: str, resource: str, namespace: str, name: str) -> Failure | None:
        """The first failure rule that fits this request, with one of its counts used up."""
        if not self.failures:
            return None
        with self.lock:
            for rule in self.failures:
                if rule.fits(verb, resource, namespace, name):
                    rule.count -= 1 if rule.count > 0 else 0
                    self.failures = [other for other in self.failures if other.count != 0]
                    return rule
        return None

    def set_behaviour(self, table: str, name: str, values: dict[str, Any]) -> Any:
        """Set or change the behaviour for a name pattern. Raises ValueError for an unknown field."""
        make = {"guests": Guest, "provisioners": Provisioner, "importers": Importer}[table]
        rows: list[Pattern] = getattr(self, table)
        found = next((row for row in rows if row.name == name), None)
        merged = {**(asdict(found.value) if found else {}), **values}
        value = checked(make, merged)
        if found:
            found.value = value
        else:
            rows.insert(0, Pattern(name, value))
        return value


def checked(make: Any, values: dict[str, Any]) -> Any:
    known = {item.name for item in fields(make)}
    unknown = sorted(set(values) - known)
    if unknown:
        raise ValueError(f"unknown field {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    return make(**values)


def _pick(rows: list[Pattern], name: str, default: Any) -> Any:
    return next((row.value for row in rows if fnmatch.fnmatchcase(name, row.name)), default)

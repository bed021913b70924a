"""One API process tree: ours or the real one, started on a port and databases of its own."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from keel_dev.confs import compute, volume
from keel_dev.environments import variables
from keel_dev.ini import render
from keel_dev.real_services import MODULES
from keel_dev.settings import HOST, Settings

THREADS = 4
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
PORTS = {("compute", "real"): 8874, ("compute", "ours"): 8875, ("volume", "real"): 8876, ("volume", "ours"): 8877}
DATABASES = {
    "compute": {"api_database": "bench_nova_api", "database": "bench_nova_cell1"},
    "volume": {"database": "bench_cinder"},
}


@dataclass
class Side:
    """The API of a suite by one implementation ("ours", "real"), with a number of workers."""

    settings: Settings
    suite: str
    kind: str
    workers: int = 1
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def port(self) -> int:
        """Where it listens: beside the cloud it borrows the other services from."""
        return PORTS[self.suite, self.kind] + self.settings.port_offset

    @property
    def folder(self) -> Path:
        """Its configuration and log."""
        return self.settings.root / "bench" / f"{self.suite}-{self.kind}"

    def start(self, seconds: float = 60) -> None:
        """Start and wait until it answers; RuntimeError with the end of its log when it does not."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / self.conf_name).write_text(render(self.sections()))
        log = open(self.folder / "log", "wb")  # noqa: SIM115 - the process keeps it
        environment = variables(self.settings, self._environment, self._extra)
        self.process = subprocess.Popen(
            self._command(), env=environment, stdout=log, stderr=log, start_new_session=True
        )
        end = time.monotonic() + seconds
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.suite} {self.kind} did not start:\n{self._last_words()}")
            time.sleep(0.2)

    def stop(self) -> None:
        """End the whole tree."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def cpu(self) -> float:
        """CPU seconds that the tree has used until now."""
        return sum(_stat(pid)[0] for pid in self._tree())

    def memory(self) -> float:
        """Resident MiB of the largest process of the tree: a worker."""
        return max(_stat(pid)[1] for pid in self._tree())

    def _tree(self) -> list[int]:
        assert self.process is not None
        found, queue = [], [self.process.pid]
        while queue:
            pid = queue.pop()
            found.append(pid)
            queue += _children(pid)
        return found

    def _answers(self) -> bool:
        try:
            connection = http.client.HTTPConnection(HOST, self.port, timeout=5)
            connection.request("GET", "/")
            return connection.getresponse().status < 500
        except OSError:
            return False

    def _last_words(self) -> str:
        return "\n".join((self.folder / "log").read_text(errors="replace").splitlines()[-15:])

    # -- what the two implementations want

    @property
    def conf_name(self) -> str:
        return "nova.conf" if self.suite == "compute" else "cinder.conf"

    @property
    def _environment(self) -> str:
        return "project" if self.kind == "ours" else "reference"

    @property
    def _extra(self) -> dict[str, str]:
        if self.kind == "real" and self.suite == "compute":
            return {"OS_NOVA_CONFIG_DIR": str(self.folder)}
        return {}

    def sections(self) -> dict[str, dict[str, Any]]:
        name = f"bench-{self.suite}-{self.kind}"
        sections: Any
        if self.suite == "compute":
            ours = compute.control(self.settings, name) | {"keel": {"cluster": name}}
            sections = ours if self.kind == "ours" else compute.real(self.settings, "nova-api")
            sections["DEFAULT"] |= {"osapi_compute_listen_port": self.port, "osapi_compute_workers": self.workers}
        else:
            sections = (
                volume.keel(self.settings, name, 0)
                if self.kind == "ours"
                else volume.real(self.settings, "cinder-api", "reference", False)
            )
            sections["DEFAULT"] |= {"osapi_volume_listen_port": self.port, "osapi_volume_workers": self.workers}
        sections["DEFAULT"] |= {"control_exchange": "bench"}  # nobody hears what is cast
        self._lift_quotas(sections)
        for section, database in DATABASES[self.suite].items():
            sections[section] = {**sections.get(section, {}), "connection": self.settings.database_url(database)}
        return sections

    def _lift_quotas(self, sections: dict[str, dict[str, Any]]) -> None:
        if self.suite == "compute":  # those of volumes stand in the database
            sections["quota"] = {"instances": -1, "cores": -1, "ram": -1}

    def _command(self) -> list[str]:
        conf = str(self.folder / self.conf_name)
        if self.kind == "ours":
            return [self.settings.program(f"keel-{self.suite}-api", "project"), "--config-file", conf]
        binary = "nova-api" if self.suite == "compute" else "cinder-api"
        if self.suite == "compute":
            self._copy_paste()
        serve = ["--module", MODULES[binary], "--bind", f"{HOST}:{self.port}"]
        serve += ["--workers", str(self.workers), "--threads", str(THREADS)]
        return [
            self.settings.program("python", "reference"),
            "-m",
            "keel_plugins.serve",
            *serve,
            "--",
            "--config-file",
            conf,
        ]

    def _copy_paste(self) -> None:
        source = self.settings.environment_folder("reference") / "etc" / "nova" / "api-paste.ini"
        (self.folder / "api-paste.ini").write_bytes(source.read_bytes())


def _stat(pid: int) -> tuple[float, float]:
    """CPU seconds, those of children that ended included, and resident MiB."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0, 0.0
    return sum(int(ticks) for ticks in fields[11:15]) / TICK, int(fields[21]) * PAGE / 2**20


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []

"""Start and stop processes that are known by a record of their pid.

A process is signalled only when its pid and its start time both match the record, so a pid that somebody else got
in the meantime is safe, and a cloud ends only what it started.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

#: More than the services themselves take (graceful_shutdown_timeout in their files).
STOP_SECONDS = 30.0


class ProcessBook:
    """The recorded processes of one cloud."""

    def __init__(self, run_folder: Path, log_folder: Path, stop_seconds: float = STOP_SECONDS) -> None:
        self.run_folder = run_folder
        self.log_folder = log_folder
        self.stop_seconds = stop_seconds

    def log_path(self, name: str) -> Path:
        """The file that takes a process's output."""
        return self.log_folder / f"{name}.log"

    def names(self) -> list[str]:
        """Names of all recorded processes."""
        return sorted(path.stem for path in self.run_folder.glob("*.json"))

    def record(self, name: str) -> dict | None:
        """The record of a process; None when there is none, or when writing it was interrupted."""
        try:
            return json.loads(self._record_path(name).read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return None

    def pid(self, name: str) -> int | None:
        """Pid of a recorded process that runs."""
        record = self.record(name)
        if record and start_ticks(record["pid"]) == record["start_ticks"]:
            return record["pid"]
        return None

    def start(self, name: str, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start a process in a session of its own and record it; nothing when it runs already."""
        if self.pid(name):
            return
        self.run_folder.mkdir(parents=True, exist_ok=True)
        self.log_folder.mkdir(parents=True, exist_ok=True)
        with open(self.log_path(name), "ab") as log:
            process = subprocess.Popen(
                argv,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.run_folder,
            )
        record = {"pid": process.pid, "start_ticks": start_ticks(process.pid), "started_at": time.time()}
        self._record_path(name).write_text(json.dumps(record | {"argv": list(argv)}))

    def stop(self, names: Sequence[str]) -> list[str]:
        """End processes in the order given, all asked at once; return the names of those that had to be killed."""
        running = {name: pid for name in names if (pid := self.pid(name))}
        for pid in running.values():
            _signal(pid, signal.SIGTERM)
        deadline = time.monotonic() + self.stop_seconds
        killed = []
        for name, pid in running.items():
            while self.pid(name) and time.monotonic() < deadline:
                time.sleep(0.05)
            if self.pid(name):
                killed.append(name)
            _kill_group(pid)
        for name in names:
            self._record_path(name).unlink(missing_ok=True)
        return killed

    def kill(self, name: str) -> bool:
        """End a process and its children without a chance to clean up; False when it does not run."""
        pid = self.pid(name)
        if pid is None:
            return False
        _kill_group(pid)
        self._record_path(name).unlink(missing_ok=True)
        return True

    def _record_path(self, name: str) -> Path:
        return self.run_folder / f"{name}.json"


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _kill_group(group: int) -> None:
    """Kill what is left of a process group and wait until its leader has gone."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
    deadline = time.monotonic() + STOP_SECONDS
    while start_ticks(group) and time.monotonic() < deadline:
        time.sleep(0.02)


def start_ticks(pid: int) -> int | None:
    """Start time of a live process in clock ticks; a zombie counts as gone, a child of ours is reaped."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *rest = fields.split()
    return None if state == "Z" else int(rest[18])


def resident_mib(group: int) -> float:
    """Resident memory of a process group in MiB; pages that its processes share count once for each."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            stat = (status.parent / "stat").read_text().rpartition(")")[2]
            if int(stat.split()[2]) == group:
                lines = status.read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total / 1024

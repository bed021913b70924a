"""Start-up time and resident memory of each process.

Each service is started alone, with empty databases on SQLite, a bus inside and a simulated cluster, until it says that
it is ready. compute-kubevirt is not ready without a conductor and Placement: of it the imports are timed. Memory under
work is that of the processes of the cloud that runs here, if one does.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import requests

from keel_dev.kubesim import KubeSim
from keel_dev.processes import ProcessBook, resident_mib
from keel_dev.settings import Settings
from perf import databases

PATIENCE = 60.0
SERVICES = ("conductor", "compute-scheduler", "compute-api", "volume-scheduler", "volume-csi", "volume-api")
_IMPORTS = {"compute-kubevirt": "keel_compute.main"}
_CONF = """
[DEFAULT]
host = bench
transport_url = fake:/
state_path = {folder}
enabled_backends = cluster
auth_strategy = keystone
osapi_compute_listen = 127.0.0.1
osapi_volume_listen = 127.0.0.1
osapi_compute_listen_port = {port}
osapi_volume_listen_port = {port}
osapi_compute_workers = 1
osapi_volume_workers = 1
[api]
auth_strategy = keystone
[oslo_concurrency]
lock_path = {folder}
[api_database]
connection = sqlite:///{folder}/api.sqlite
[database]
connection = sqlite:///{folder}/{database}.sqlite
[keystone_authtoken]
auth_type = password
auth_url = http://127.0.0.1:9/v3
username = bench
password = bench
project_name = service
user_domain_name = Default
project_domain_name = Default
[csi]
kubeconfig = {kubeconfig}
[keel]
health_port = {health}
"""


def table() -> list[str]:
    """A line per process: seconds from exec to ready and MiB then, and MiB of those that run in the cloud here."""
    lines = [f"{'process started alone':<28}{'seconds':>10}{'MiB':>8}"]
    with tempfile.TemporaryDirectory(prefix="keel-bench-") as name, KubeSim(seed=7, namespace="volumes") as sim:
        folder = Path(name)
        databases.create(folder, api="nova_api", cell0="nova_cell", cell1="nova_cell", cinder="cinder")
        for service in SERVICES:
            seconds, memory = _start(service, folder, sim)
            lines.append(f"keel-{service:<23}{seconds:>10.2f}{memory:>8.0f}")
    for service, module in _IMPORTS.items():
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        lines.append(f"keel-{service + ' (imports)':<23}{time.monotonic() - begun:>10.2f}{'':>8}")
    return [*lines, "", *_running()]


def _start(service: str, folder: Path, sim: Any) -> tuple[float, float]:
    health, port = _free_port(), _free_port()
    suite = "cinder" if service.startswith("volume") else "cell1"
    path = folder / f"{service}.conf"
    values = {"folder": folder, "port": port, "health": health, "database": suite, "kubeconfig": sim.kubeconfig}
    path.write_text(_CONF.format(**values))
    program = Path(sys.executable).with_name(f"keel-{service}")
    with open(folder / f"{service}.log", "wb") as log:
        begun = time.monotonic()
        argv = [str(program), "--config-file", str(path)]
        process = subprocess.Popen(argv, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        _wait(process, f"http://127.0.0.1:{health}/readyz", begun + PATIENCE, folder / f"{service}.log")
        return time.monotonic() - begun, resident_mib(process.pid)
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, end: float, log: Path) -> None:
    told = "no answer"
    while time.monotonic() < end and process.poll() is None:
        try:
            answer = requests.get(url, timeout=5)
        except requests.RequestException as away:
            told = str(away)
        else:
            if answer.status_code == 200:
                return
            told = answer.text
        time.sleep(0.02)
    raise RuntimeError(f"{log.stem} did not become ready: {told}\n{log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _running() -> list[str]:
    settings = Settings.from_environment()
    book = ProcessBook(settings.root / "run", settings.root / "log")
    pids = {name: pid for name in book.names() if name.startswith("keel-") and (pid := book.pid(name))}
    if not pids:
        return ["no cloud runs here (KEEL_HOME names another folder)"]
    lines = [
        f"{'process of the cloud':<28}{'MiB':>8}  (an API: a master and its workers, shared pages counted for each)"
    ]
    return lines + [f"{name:<28}{resident_mib(pid):>8.0f}" for name, pid in pids.items()]

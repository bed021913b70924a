"""Parts start in order, stop in reverse with what they hold finished, and say when they are ready."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest

from keel_common.runtime import HealthServer, Periodic, Process, Stopping, Workers, WsgiServer, verdict


class Recorder:
    """A part that writes down what happens to it."""

    def __init__(self, name, log, fails=False):
        self.name, self.log, self.fails = name, log, fails

    def start(self):
        if self.fails:
            raise RuntimeError(f"{self.name} cannot")
        self.log.append(f"start {self.name}")

    def stop(self, deadline):
        self.log.append(f"stop {self.name}")

    def checks(self):
        return {self.name: lambda: None}


def get(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def soon():
    return time.monotonic() + 10


def test_parts_stop_in_reverse_order():
    log = []
    process = Process([Recorder("a", log), Recorder("b", log)])
    process.start()
    process.stop(soon())
    assert log == ["start a", "start b", "stop b", "stop a"]


def test_a_part_that_cannot_start_stops_those_before_it():
    log = []
    process = Process([Recorder("a", log), Recorder("b", log, fails=True), Recorder("c", log)])
    with pytest.raises(RuntimeError, match="b cannot"):
        process.start()
    assert log == ["start a", "stop a"]


def test_a_process_is_ready_only_between_start_and_stop():
    process = Process([Recorder("a", [])])
    assert verdict(process.checks())[0] == 503
    process.start()
    assert verdict(process.checks()) == (200, {"status": "ok", "checks": {"started": "ok", "a": "ok"}})
    process.stop(soon())
    assert verdict(process.checks())[0] == 503


def test_health_server_names_the_failing_check():
    def broken():
        raise ConnectionError("no database")

    health = HealthServer("127.0.0.1", 0, lambda: {"database": broken, "bus": lambda: None})
    health.start()
    base = f"http://127.0.0.1:{health.port}"
    try:
        assert get(f"{base}/livez")[0] == 200
        code, body = get(f"{base}/readyz")
        assert (code, json.loads(body)["checks"]) == (503, {"database": "ConnectionError: no database", "bus": "ok"})
        code, body = get(f"{base}/metrics")
        assert (code, b"python_info" in body) == (200, True)
        assert get(f"{base}/other")[0] == 404
    finally:
        health.stop(soon())


def test_periodic_goes_on_after_a_failure():
    runs, enough = [], threading.Event()

    def work():
        runs.append(1)
        if len(runs) == 1:
            raise RuntimeError("once")
        enough.set()

    periodic = Periodic("tick", 0.01, work, first=0)
    periodic.start()
    assert enough.wait(5)
    periodic.stop(soon())
    count = len(runs)
    time.sleep(0.05)
    assert len(runs) == count


def test_stopping_workers_waits_for_jobs_and_takes_no_more():
    workers, gate, done = Workers("jobs", 1), threading.Event(), []

    def job(number):
        gate.wait(5)
        done.append(number)

    for number in range(3):
        workers.submit(job, number)
    threading.Timer(0.05, gate.set).start()
    workers.stop(soon())
    assert done == [0, 1, 2]
    with pytest.raises(Stopping):
        workers.submit(job, 3)


def test_a_full_pool_makes_the_sender_wait():
    workers, gate = Workers("jobs", 1, limit=1), threading.Event()
    workers.submit(gate.wait, 5)
    blocked = threading.Thread(target=workers.submit, args=(lambda: None,))
    blocked.start()
    blocked.join(0.05)
    assert blocked.is_alive()
    gate.set()
    blocked.join(5)
    assert not blocked.is_alive()
    workers.stop(soon())


def test_a_failing_job_is_logged_with_its_name(caplog):
    workers = Workers("jobs", 1)

    def broken_job():
        raise ValueError("bad")

    future = workers.submit(broken_job)
    assert isinstance(future.exception(5), ValueError)
    workers.stop(soon())
    assert "broken_job failed" in caplog.text


def test_wsgi_server_finishes_the_request_it_has_when_stopped():
    entered, gate = threading.Event(), threading.Event()

    def app(environ, start_response):
        entered.set()
        gate.wait(5)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"x" * 300_000]

    server = WsgiServer(app, "127.0.0.1", 0, threads=2)
    server.start()
    url, answers = f"http://127.0.0.1:{server.port}/", []
    client = threading.Thread(target=lambda: answers.append(get(url)))
    client.start()
    assert entered.wait(5)
    threading.Timer(0.1, gate.set).start()
    server.stop(soon())
    client.join(5)
    assert [(code, len(body)) for code, body in answers] == [(200, 300_000)]
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port), timeout=1)


PROGRAM = """
import sys
from keel_common import runtime
from keel_common.config import load
from keel_common.runtime.web import serve

def app_factory():
    def app(environ, start_response):
        start_response("200 OK", [])
        return [(conf.upgrade_levels.compute or "hello").encode()]
    return app

conf = load("compute", config_files=[sys.argv[1]])
sys.exit(serve(conf, app_factory, "127.0.0.1", int(sys.argv[2]), int(sys.argv[3]), 2, name="test-api"))
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_api_process_serves_reports_ready_follows_sighup_and_ends_cleanly_on_sigterm(tmp_path, workers):
    port, health = free_port(), free_port()
    config = tmp_path / "nova.conf"
    config.write_text(f"[keel]\nhealth_port = {health}\n")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), str(config), str(port), str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ)
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                if get(f"http://127.0.0.1:{health}/readyz")[0] == 200:
                    break
            except OSError:
                time.sleep(0.1)
        assert get(f"http://127.0.0.1:{health}/readyz")[0] == 200
        assert get(f"http://127.0.0.1:{port}/") == (200, b"hello")
        config.write_text(f"[keel]\nhealth_port = {health}\n[upgrade_levels]\ncompute = auto\n")
        process.send_signal(signal.SIGHUP)
        while get(f"http://127.0.0.1:{port}/")[1] != b"auto":
            assert time.monotonic() < until + 20, "the new configuration is not served"
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    finally:
        if process.poll() is None:
            process.kill()
        process.stdout.close()

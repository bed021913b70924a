"""The book of processes: it ends what it started and nothing else."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from keel_dev.processes import ProcessBook, resident_mib, start_ticks

SLEEP = [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
]


@pytest.fixture
def book(tmp_path: Path) -> ProcessBook:
    return ProcessBook(tmp_path / "run", tmp_path / "log")


def wait_for_log(book: ProcessBook, name: str, text: str) -> None:
    deadline = time.monotonic() + 10
    while text not in book.log_path(name).read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_started_process_is_known_and_ends_when_stopped(book: ProcessBook) -> None:
    book.start("sleeper", SLEEP, os.environ)
    pid = book.pid("sleeper")
    assert pid and book.names() == ["sleeper"] and resident_mib(pid) > 1
    wait_for_log(book, "sleeper", "begun")
    assert book.stop(["sleeper"]) == []
    assert book.pid("sleeper") is None and book.names() == [] and start_ticks(pid) is None


def test_a_running_process_is_not_started_twice(book: ProcessBook) -> None:
    book.start("sleeper", SLEEP, os.environ)
    pid = book.pid("sleeper")
    book.start("sleeper", SLEEP, os.environ)
    assert book.pid("sleeper") == pid
    book.kill("sleeper")


def test_one_that_does_not_listen_is_killed_and_named(tmp_path: Path) -> None:
    book = ProcessBook(tmp_path / "run", tmp_path / "log", stop_seconds=0.3)
    book.start("deaf", DEAF, os.environ)
    wait_for_log(book, "deaf", "deaf")
    pid = book.pid("deaf")
    assert book.stop(["deaf"]) == ["deaf"]
    assert start_ticks(pid) is None


def test_kill_leaves_no_child(book: ProcessBook) -> None:
    child = f"import subprocess; p = subprocess.Popen({SLEEP!r}); print('child', p.pid, flush=True); p.wait()"
    book.start("parent", [sys.executable, "-c", child], os.environ)
    wait_for_log(book, "parent", "begun")
    words = book.log_path("parent").read_text().split()
    pid = int(words[words.index("child") + 1])
    assert book.kill("parent")
    deadline = time.monotonic() + 5
    while start_ticks(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert not book.kill("parent")


def test_a_pid_that_somebody_else_has_now_is_left_alone(book: ProcessBook) -> None:
    stranger = subprocess.Popen(SLEEP, stdout=subprocess.DEVNULL)
    try:
        book.run_folder.mkdir()
        record = {"pid": stranger.pid, "start_ticks": start_ticks(stranger.pid) - 1, "argv": SLEEP}
        (book.run_folder / "old.json").write_text(json.dumps(record))
        assert book.pid("old") is None
        book.stop(["old"])
        assert stranger.poll() is None and book.names() == []
    finally:
        stranger.send_signal(signal.SIGKILL)
        stranger.wait()


def test_a_record_whose_writing_was_interrupted_counts_as_none(book: ProcessBook) -> None:
    book.run_folder.mkdir()
    (book.run_folder / "half.json").write_text('{"pid": 1')
    assert book.pid("half") is None
    book.stop(["half"])
    assert book.names() == []

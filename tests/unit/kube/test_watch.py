"""The informer: order, gaps, 410, waiting."""

import threading
import time

import pytest
from fakes.kube import Answer

from keel_common.kube import VMI, Expired, Informer, Kube

PATH = "/apis/kubevirt.io/v1/namespaces/ns/virtualmachineinstances"


def vmi(name: str, version: str, phase: str = "Pending", uid: str | None = None) -> dict:
    return {
        "metadata": {"name": name, "uid": uid or name, "resourceVersion": version, "managedFields": [{}]},
        "status": {"phase": phase},
    }


def listing(version: str, *items: dict) -> Answer:
    return Answer(200, {"metadata": {"resourceVersion": version}, "items": list(items)})


def event(kind: str, body: dict) -> dict:
    return {"type": kind, "object": body}


class Seen:
    def __init__(self) -> None:
        self.events: list[tuple[str, str, str]] = []
        self.changed = threading.Condition()

    def __call__(self, kind: str, body: dict, before: dict | None) -> None:
        with self.changed:
            self.events.append((kind, body["metadata"]["name"], body["status"]["phase"]))
            self.changed.notify_all()

    def until(self, count: int) -> list[tuple[str, str, str]]:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.events) >= count, 5), self.events
            return list(self.events)


@pytest.fixture
def follow(server):
    parts: list[Informer] = []

    def start(*answers: Answer, **kwargs) -> Informer:
        server.script["GET", PATH] = list(answers)
        part = Informer(Kube(server.kubeconfig), VMI, "ns", **kwargs)
        part.start()
        parts.append(part)
        return part

    yield start
    for part in parts:
        part.stop(time.monotonic() + 2)


def test_listed_and_watched_objects_are_cached_and_told(follow):
    seen = Seen()
    changes = [
        event("MODIFIED", vmi("a", "2", "Running")),
        event("ADDED", vmi("b", "3")),
        event("DELETED", vmi("a", "4")),
    ]
    part = follow(listing("1", vmi("a", "1")), Answer(lines=changes, hold=30), on_event=seen)
    assert seen.until(4) == [
        ("ADDED", "a", "Pending"),
        ("MODIFIED", "a", "Running"),
        ("ADDED", "b", "Pending"),
        ("DELETED", "a", "Pending"),
    ]
    assert part.get("a") is None
    assert [each["metadata"]["name"] for each in part.items()] == ["b"]
    assert "managedFields" not in part.get("b")["metadata"]
    assert part.age() < 5
    part.checks()[part.name]()


def test_watch_goes_on_from_the_last_bookmark(server, follow):
    bookmark = event("BOOKMARK", {"metadata": {"resourceVersion": "40"}})
    follow(listing("1"), Answer(lines=[bookmark]), Answer(lines=[], hold=30))
    server.wait_for("GET", PATH, 3)
    watches = [query for _, _, query, _, _ in server.seen if "watch" in query]
    assert [each["resourceVersion"] for each in watches] == ["1", "40"]


def test_gap_after_410_is_closed_by_a_list(follow):
    seen = Seen()
    gone = event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"})
    follow(
        listing("1", vmi("a", "1"), vmi("b", "1")),
        Answer(lines=[gone]),
        listing("9", vmi("a", "8", "Running"), vmi("c", "9")),
        Answer(lines=[], hold=30),
        on_event=seen,
    )
    assert seen.until(5)[2:] == [("DELETED", "b", "Pending"), ("MODIFIED", "a", "Running"), ("ADDED", "c", "Pending")]


def test_new_object_under_an_old_name_is_a_deletion_and_an_addition(follow):
    seen = Seen()
    follow(
        listing("1", vmi("a", "1", uid="old")),
        Answer(lines=[event("MODIFIED", vmi("a", "2", uid="new"))], hold=30),
        on_event=seen,
    )
    assert [kind for kind, _, _ in seen.until(3)] == ["ADDED", "DELETED", "ADDED"]


def test_handler_that_raises_does_not_stop_the_stream(follow):
    seen = Seen()

    def handler(kind: str, body: dict, before: dict | None) -> None:
        seen(kind, body, before)
        raise ValueError("a bug")

    changes = [event("ADDED", vmi("b", "2")), event("ADDED", vmi("c", "3"))]
    follow(listing("1"), Answer(lines=changes, hold=30), on_event=handler)
    assert len(seen.until(2)) == 2


def test_wait_answers_when_the_object_changes(follow):
    part = follow(listing("1", vmi("a", "1")), Answer(lines=[event("MODIFIED", vmi("a", "2", "Running"))], hold=30))
    found = part.wait("a", lambda body: body and body["status"]["phase"] == "Running" and body, timeout=5)
    assert found["metadata"]["resourceVersion"] == "2"


def test_wait_gives_up_at_its_deadline(follow):
    part = follow(listing("1"), Answer(lines=[], hold=30))
    with pytest.raises(Expired):
        part.wait("a", lambda body: body, timeout=0.1)


def test_check_fails_before_the_first_list(server):
    part = Informer(Kube(server.kubeconfig), VMI, "ns")
    with pytest.raises(RuntimeError, match="not listed yet"):
        part.checks()[part.name]()


def test_stop_ends_a_silent_stream_at_once(server, follow):
    part = follow(listing("1"), Answer(lines=[], hold=60))
    server.wait_for("GET", PATH, 2)
    time.sleep(0.05)
    begin = time.monotonic()
    part.stop(begin + 5)
    assert time.monotonic() - begin < 2

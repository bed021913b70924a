"""Watches: what arrives, when a stream ends, and what cannot be resumed."""

from __future__ import annotations

import itertools
import time


def config_map(name: str, **labels: str) -> dict:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}}


def take(stream, number: int) -> list[tuple[str, str]]:
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in itertools.islice(stream, number)]


def test_from_a_version_only_later_changes_arrive(client):
    client.made("configmaps", config_map("old"))
    version = client.get("configmaps").json()["metadata"]["resourceVersion"]
    stream = client.watch("configmaps", resourceVersion=version)
    client.made("configmaps", config_map("new"))
    client.patch("configmaps", "new", {"data": {"a": "b"}})
    client.delete("configmaps", "new")
    assert take(stream, 3) == [("ADDED", "new"), ("MODIFIED", "new"), ("DELETED", "new")]


def test_without_a_version_the_present_comes_first(client):
    client.made("configmaps", config_map("here"))
    stream = client.watch("configmaps")
    assert take(stream, 1) == [("ADDED", "here")]


def test_initial_events_end_with_a_marked_bookmark(client):
    client.made("configmaps", config_map("here"))
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    events = list(itertools.islice(client.watch("configmaps", **query), 2))
    assert [event["type"] for event in events] == ["ADDED", "BOOKMARK"]
    assert events[1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_the_server_ends_the_stream_in_time_with_a_bookmark(client):
    began = time.monotonic()
    version = client.get("configmaps").json()["metadata"]["resourceVersion"]
    events = list(client.watch("configmaps", resourceVersion=version, timeoutSeconds="1", allowWatchBookmarks="true"))
    assert 0.8 < time.monotonic() - began < 3
    assert [event["type"] for event in events] == ["BOOKMARK"]
    assert set(events[0]["object"]) == {"kind", "apiVersion", "metadata"}


def test_a_version_too_old_is_one_error_event(client):
    client.made("configmaps", config_map("one"))
    client.sim_call("POST", "compaction")
    events = list(client.watch("configmaps", resourceVersion="1"))
    assert [event["type"] for event in events] == ["ERROR"]
    status = events[0]["object"]
    assert (status["code"], status["reason"]) == (410, "Expired")
    assert status["message"].startswith("too old resource version: 1 (")


def test_a_version_of_the_future_stays_silent(client):
    assert list(client.watch("configmaps", resourceVersion="99999999", timeoutSeconds="1")) == []


def test_a_selector_turns_changes_into_additions_and_deletions(client):
    client.made("configmaps", config_map("c", tier="one"))
    version = client.get("configmaps").json()["metadata"]["resourceVersion"]
    stream = client.watch("configmaps", resourceVersion=version, labelSelector="tier=two")
    client.patch("configmaps", "c", {"metadata": {"labels": {"tier": "two"}}})
    client.patch("configmaps", "c", {"data": {"a": "b"}})
    client.patch("configmaps", "c", {"metadata": {"labels": {"tier": "one"}}})
    assert take(stream, 3) == [("ADDED", "c"), ("MODIFIED", "c"), ("DELETED", "c")]


def test_a_stream_can_be_cut_and_resumed_without_loss(client):
    version = client.get("configmaps").json()["metadata"]["resourceVersion"]
    stream = client.watch("configmaps", resourceVersion=version)
    client.made("configmaps", config_map("one"))
    event = next(stream)
    assert client.sim_call("POST", "watches/cut")["cut"] >= 1
    assert list(stream) == []
    client.made("configmaps", config_map("two"))
    resumed = client.watch("configmaps", resourceVersion=event["object"]["metadata"]["resourceVersion"])
    assert take(resumed, 1) == [("ADDED", "two")]


def test_a_deletion_carries_its_own_version(client):
    made = client.made("configmaps", config_map("one"))
    stream = client.watch("configmaps", resourceVersion=made["metadata"]["resourceVersion"])
    client.delete("configmaps", "one")
    event = next(stream)
    assert event["type"] == "DELETED"
    assert int(event["object"]["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])

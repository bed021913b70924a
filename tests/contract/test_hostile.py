"""Hostile messages to every service of ours on the in-process bus: each is refused as a real service refuses it.

``data/hostile_answers.json`` was recorded from nova 34.0.0 and cinder 29.0.0 on RabbitMQ with the same table. The same
rows on a broker, and the envelopes, which exist there alone: tests/e2e/test_hostile.py.
"""

import json
import logging
import threading
import time
from pathlib import Path

import oslo_messaging
import pytest
from fakes import hostile
from fakes.hostile_accepted import DIFFERENT, matches

from keel_common.config import load
from keel_common.db import Database, sync
from keel_compute.endpoints.compute import ComputeEndpoint
from keel_conductor.endpoints.compute_task import TaskEndpoint
from keel_conductor.endpoints.objects import ObjectEndpoint
from keel_contract.bus import Bus, Endpoint
from keel_contract.cinder import interfaces as cinder
from keel_contract.nova import interfaces as nova
from keel_contract.nova.baseapi import BaseEndpoint
from keel_scheduler.compute.endpoints import SchedulerEndpoint as ComputeScheduler
from keel_scheduler.volume.choose import Chooser
from keel_scheduler.volume.endpoints import SchedulerEndpoint as VolumeScheduler
from keel_scheduler.volume.pools import Pools
from keel_volume.endpoints import VolumeEndpoint

RECORDED = json.loads((Path(__file__).parent / "data" / "hostile_answers.json").read_text())
SERVER = "under-attack"
# What only a broker carries: messages that a sender in this process cannot make, and time-outs it keeps to itself.
BROKER_ONLY = {"context key self", "context nested 600 deep", "argument of 5000 digits", "message id a dict"}
BROKER_ONLY |= {row.name for row in [*hostile.REPLIES, *hostile.NESTING] if "100 deep" not in row.name}
ROWS = [row for row in hostile.MESSAGES if row.name not in BROKER_ONLY]


@pytest.fixture(scope="module")
def services():
    """The real endpoints of every service. What they stand on is not there: nothing hostile may get that far."""
    compute, volume = load("compute", argv=[]), load("volume", argv=[])
    db = Database("sqlite://")
    sync(db, "cinder")
    pools = Pools("1.0")
    ours = {
        "conductor": [
            Endpoint(nova.CONDUCTOR, ObjectEndpoint(compute, None)),
            Endpoint(nova.BASE, BaseEndpoint("conductor")),
            Endpoint(nova.COMPUTE_TASK, TaskEndpoint(None)),
        ],
        "compute": [
            Endpoint(nova.COMPUTE, ComputeEndpoint(None, None, None, None)),
            Endpoint(nova.BASE, BaseEndpoint("compute")),
        ],
        "compute-scheduler": [
            Endpoint(nova.SCHEDULER, ComputeScheduler(None)),
            Endpoint(nova.BASE, BaseEndpoint("scheduler")),
        ],
        "volume-scheduler": [
            Endpoint(cinder.SCHEDULER, VolumeScheduler(volume, db, pools, Chooser(volume, db, pools), None, None))
        ],
        "volume": [Endpoint(cinder.VOLUME, VolumeEndpoint(None, None, lambda: 1, lambda: None))],
    }
    buses = {suite: Bus(conf, suite, "fake:/") for suite, conf in (("nova", compute), ("cinder", volume))}
    parts = [
        buses[hostile.BASES[name].suite].server(hostile.BASES[name].topic, SERVER, endpoints)
        for name, endpoints in ours.items()
    ]
    for part in parts:
        part.start()
    yield buses
    ending = [threading.Thread(target=part.stop, args=(time.monotonic() + 5,)) for part in parts]
    for thread in ending:
        thread.start()
    for thread in ending:
        thread.join()
    for bus in buses.values():
        bus.close()


def send(buses, name, message, wait=True):
    """Put a message on the in-process bus as it is; the outcome in the words of the recording."""
    basis = hostile.BASES[name]
    context = {key[9:]: value for key, value in message.items() if key.startswith("_context_")}
    body = {key: value for key, value in message.items() if not key.startswith("_context_")}
    target = oslo_messaging.Target(exchange=basis.exchange, topic=basis.topic, server=SERVER)
    transport = buses[basis.suite].transport
    try:
        transport._driver.send(
            target, context, body, wait_for_reply=wait, timeout=10, call_monitor_timeout=message.get("_timeout")
        )
    except oslo_messaging.RemoteError as fault:
        return fault.exc_type
    except RecursionError:
        return "silence"
    except Exception as fault:
        return type(fault).__name__.removesuffix("_Remote")
    return "result"


def rows_of(name):
    return [pytest.param(name, row, id=f"{name}: {row.name}") for row in ROWS]


@pytest.mark.parametrize(("name", "row"), [param for name in hostile.BASES for param in rows_of(name)])
def test_a_hostile_call_is_answered_as_a_real_service_answers_it(services, caplog, name, row):
    basis = hostile.BASES[name]
    with caplog.at_level(logging.WARNING):
        answered = send(services, name, plain(hostile.message(basis, row)))
    recorded = DIFFERENT.get((name, row.name)) or DIFFERENT.get((None, row.name)) or RECORDED[name][row.name]
    assert matches(answered, recorded), f"answered {answered}, recorded {recorded}"
    assert hostile.SECRET not in caplog.text
    assert "Traceback" not in caplog.text
    assert send(services, name, basis.message()) == "result"


def plain(message):
    """The message with its texts read, as the in-process bus takes values; too deep a one as deep as values get."""
    return json.loads(hostile.encode(message))


@pytest.mark.parametrize("name", list(hostile.BASES))
def test_a_hostile_cast_is_one_line_in_the_log(services, caplog, name):
    basis = hostile.BASES[name]
    with caplog.at_level(logging.WARNING):
        for row in (hostile.METHODS[0], hostile.VERSIONS[2], *hostile.ARGUMENTS[:2], hostile.OBJECTS[0]):
            send(services, name, plain(hostile.message(basis, row)), wait=False)
        assert send(services, name, basis.message()) == "result"
        until(lambda: len(caplog.records) >= 5)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 5
    assert all(line.startswith("Refused ") and "\n" not in line for line in lines), lines
    assert hostile.SECRET not in caplog.text


def test_no_thread_is_lost_to_refused_calls_that_are_watched(services):
    """oslo.messaging's own dispatcher keeps a thread for ever that tells signs of life of a call that was refused."""
    row = next(row for row in hostile.METHODS if row.name == "method with watched time-out")
    basis = hostile.BASES["conductor"]
    send(services, "conductor", basis.message())
    for _ in range(3):
        assert send(services, "conductor", hostile.message(basis, row)) == "NoSuchMethod"
    assert [thread for thread in threading.enumerate() if thread.name == "signs of life"] == []


def test_a_name_in_the_log_is_short_and_printable(services, caplog):
    basis = hostile.BASES["conductor"]
    with caplog.at_level(logging.WARNING):
        send(services, "conductor", {**basis.message(), "method": "a\nroot logged in\x1b[2J" + "x" * 10_000})
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.isprintable()
    assert len(line) < 500


def until(fact, seconds=5):
    deadline = time.monotonic() + seconds
    while not fact() and time.monotonic() < deadline:
        time.sleep(0.01)

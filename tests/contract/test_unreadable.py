"""What is no message is one line in the log, through the very function of the driver that throws it away."""

import logging
from types import SimpleNamespace

from oslo_messaging._drivers import impl_rabbit

from keel_contract.unreadable import log_in_one_line, throw_away_what_cannot_be_taken


class Garbage:
    """A message of kombu whose payload cannot be decoded."""

    rejected = False

    @property
    def payload(self):
        raise ValueError("secret in the body")

    def reject(self):
        self.rejected = True


def consumer():
    made = object.__new__(impl_rabbit.Consumer)
    made.rabbit_stream_fanout = False
    made.queue = SimpleNamespace(channel=None)
    made.callback = lambda message: None
    return made


def test_garbage_is_thrown_away_with_one_line(caplog):
    log_in_one_line()
    log_in_one_line()
    garbage = Garbage()
    with caplog.at_level(logging.WARNING):
        consumer()._callback(garbage)
    assert garbage.rejected
    (record,) = caplog.records
    assert record.getMessage() == "Threw away a message that cannot be read: ValueError"
    assert record.levelname == "WARNING"
    assert "Traceback" not in caplog.text and "secret" not in caplog.text


def test_other_lines_of_the_driver_stay_as_they_are(caplog):
    log_in_one_line()
    log = logging.getLogger("oslo.messaging._drivers.impl_rabbit")
    with caplog.at_level(logging.WARNING):
        try:
            raise OSError("the broker is gone")
        except OSError:
            log.exception("Failed to connect")
    assert "the broker is gone" in caplog.text


def test_a_message_the_listener_cannot_take_is_thrown_away_and_the_next_is_taken(caplog):
    taken = []

    def take(message):
        if message == "bad":
            raise RecursionError
        taken.append(message)

    made = consumer()
    made.callback = take
    connection = SimpleNamespace(_consumers={made: "1"})
    throw_away_what_cannot_be_taken(
        SimpleNamespace(listener=SimpleNamespace(_poll_style_listener=SimpleNamespace(conn=connection)))
    )
    with caplog.at_level(logging.WARNING):
        for message in ("bad", "good"):
            made.callback(message)
    assert taken == ["good"]
    assert [record.getMessage() for record in caplog.records] == [
        "Threw away a message that cannot be taken: RecursionError"
    ]


def test_a_server_without_a_broker_is_left_alone():
    throw_away_what_cannot_be_taken(SimpleNamespace(listener=SimpleNamespace()))

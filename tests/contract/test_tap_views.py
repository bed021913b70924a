"""What the tap shows: lines, JSON, the page on a terminal, the summary. And its command line."""

import io
import json

import pytest
from rich.console import Console

from keel_contract.__main__ import main
from keel_contract.tap import summary
from keel_contract.tap.command import Tap
from keel_contract.tap.lines import Json, Lines
from keel_contract.tap.mirror import Copy
from keel_contract.tap.options import WrongUrl, amqp_url, parser, transport
from keel_contract.tap.screen import Screen


def copy(key="compute.node-1", exchange="nova", **message):
    return Copy(exchange, key, json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(message)}).encode())


GOOD = copy(method="get_host_uptime", version="6.0", args={}, _msg_id="1", _reply_q="reply_a")
WRONG = copy(method="no_such", version="6.0", args={})
FAILED = copy("reply_a", "", result=None, failure=json.dumps({"class": "NotFound"}), _msg_id="1")
EVENT = copy("versioned_notifications.info", event_type="instance.create.end", publisher_id="nova-compute:node-1")
GARBAGE = Copy("nova", "conductor", b"\xff")
ALL = (GOOD, WRONG, FAILED, EVENT, GARBAGE)


def shown(view_of, *copies):
    out = io.StringIO()
    tap = Tap(view_of(out))
    for one in copies:
        tap.take(one)
    return out.getvalue(), tap


def test_lines_tell_who_what_and_to_whom():
    text, _ = shown(Lines, *ALL)
    good, wrong, violation, failed, event, garbage = text.splitlines()
    assert "call   nova-api #1" in good and "> compute node-1" in good and good.endswith("get_host_uptime 6.0")
    assert "cast   ?" in wrong
    assert violation.strip() == "! method: compute has no no_such"
    assert failed.endswith("get_host_uptime failed with NotFound")
    assert event.endswith("instance.create.end")
    assert "unreadable message to conductor" in garbage


def test_quiet_lines_show_violations_alone():
    text, _ = shown(lambda out: Lines(out, quiet=True), GOOD, WRONG, EVENT)
    assert [line.split()[1] for line in text.splitlines()] == ["cast", "method:"]


def test_a_message_cannot_forge_a_line():
    text, _ = shown(Lines, copy(method="a\nroot\x1b[2J", version="6.0\n", args={}))
    assert all(line.isprintable() for line in text.splitlines())
    assert len(text.splitlines()) == 2


def test_json_is_an_object_for_each_message():
    text, _ = shown(Json, *ALL)
    found = [json.loads(line) for line in text.splitlines()]
    assert [one["mode"] for one in found] == ["call", "cast", "reply", "notification", "unreadable"]
    assert found[0]["sender"] == "nova-api #1"
    assert found[1]["violations"] == ["method: compute has no no_such"]


def test_the_page_has_conversations_messages_and_a_bar():
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=140, height=40, color_system=None)
    tap = Tap(Screen(console, "rabbit:5672", lambda: "4 exchanges"))
    for one in ALL:
        tap.take(one)
    tap.view.tick(tap.tally)
    text = out.getvalue()
    for word in (
        "keel-contract tap",
        "rabbit:5672",
        "4 exchanges",
        "Who speaks what to whom",
        "get_host_uptime 6.0",
        "! method",
    ):
        assert word in text, word
    tap.view.close(lambda: "the summary")
    assert "the summary" in out.getvalue()


def test_the_summary_tells_pins_violations_and_failures():
    _, tap = shown(Lines, *ALL)
    console = Console(file=io.StringIO(), width=140, record=True)
    console.print(summary.render(tap.tally, [], 3.0, ["a note"]))
    text = console.export_text()
    for word in ("5 messages in 3 s", "When can each pin be raised?", "compute has no no_such", "NotFound", "a note"):
        assert word in text, word


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("rabbit://u:p@h:1/v", "amqp://u:p@h:1/v"),
        ("rabbit://u:p%2F@h/a%2Fb", "amqp://u:p%2F@h:5672/a%2Fb"),
        ("rabbit://u:p@a:1,u:p@b:2/v", "amqp://u:p@a:1/v;amqp://u:p@b:2/v"),
        ("rabbit://u:p@[::1]:1/v", "amqp://u:p@[::1]:1/v"),
    ],
)
def test_a_transport_url_as_kombu_writes_it(url, found):
    assert amqp_url(transport(parser().parse_args(["--transport-url", url]))) == found


def test_the_transport_url_may_stand_in_a_configuration(tmp_path):
    path = tmp_path / "nova.conf"
    path.write_text("[DEFAULT]\ntransport_url = rabbit://u:p@h:1/v\n")
    assert amqp_url(transport(parser().parse_args(["--config-file", str(path)]))) == "amqp://u:p@h:1/v"


def test_a_bus_without_a_broker_cannot_be_watched(capsys):
    with pytest.raises(WrongUrl):
        amqp_url(transport(parser().parse_args(["--transport-url", "fake:/"])))
    assert main(["tap", "--transport-url", "fake:/"]) == 1
    assert "no broker" in capsys.readouterr().err


def test_a_broker_that_is_not_there_is_told_without_its_password(capsys):
    assert main(["tap", "--transport-url", "rabbit://u:s3cret@127.0.0.1:1/v", "--seconds", "1"]) == 1
    told = capsys.readouterr()
    assert "no broker" in told.err
    assert "s3cret" not in told.err + told.out


def test_commands_are_listed(capsys):
    assert main(["--help"]) == 0
    assert "tap" in capsys.readouterr().out
    assert main(["no-such"]) == 2

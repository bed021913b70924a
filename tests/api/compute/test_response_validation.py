"""[api]response_validation: what becomes of an answer that is not as recorded (nova 34.0.0, measured)."""

import logging

import pytest
from fakes.api import Identity

from api.compute import recorded, wishes
from keel_api.http.answers import mode
from keel_api.http.dialect import DIALECTS
from keel_common.config import load

#: Nothing of bare metal is proxied.
WISHES = [wish for wish in wishes.first_wishes() if "/os-baremetal-nodes" not in wish.op_id]
#: The recorded schema wants names of hosts to be uuids.
MISTAKEN = ("GET /os-instance_usage_audit_log", "GET /os-instance_usage_audit_log/{id}")


@pytest.fixture
def set_to(whole):
    """The API with a value of the option."""

    def build(value):
        whole.api.set("response_validation", value, "api")
        whole.api.with_handlers({})

    yield build
    build("ignore")


def without_update(whole):
    """The answer to a migration that was never changed: its schema wants a moment."""
    migrations = whole.api.cell1.db
    migrations.run(lambda conn: conn.exec_driver_sql("UPDATE migrations SET updated_at = NULL"))
    path = f"/servers/{whole.made['moving']}/migrations"
    return whole.api.get(path, who=Identity.ADMIN, version="2.104", checked=False)


def test_an_answer_that_is_not_as_recorded_is_refused_with_error(whole, set_to, caplog):
    set_to("error")
    reply = without_update(whole)
    assert reply.status == 400
    assert reply.message == "Invalid input for field/attribute updated_at. Value: None. None is not of type 'string'"


def test_it_is_one_line_of_the_log_with_warn(whole, set_to, caplog):
    set_to("warn")
    with caplog.at_level(logging.ERROR):
        assert without_update(whole).status == 200
    (line,) = [record.getMessage() for record in caplog.records]
    assert "GET /servers/{server_id}/migrations" in line and "updated_at" in line


def test_nobody_looks_with_ignore(whole, set_to, caplog):
    set_to("ignore")
    with caplog.at_level(logging.ERROR):
        assert without_update(whole).status == 200
    assert caplog.records == []


def test_every_fair_answer_is_as_recorded(whole, set_to):
    set_to("error")
    for wish in WISHES:
        reply = whole.ask(wish, Identity.ADMIN)
        assert (reply.status < 300) != (wish.op_id in MISTAKEN), (wish.id, reply.raw)
        whole.restore()
    assert len(WISHES) == len(recorded.live()) - 6


@pytest.mark.parametrize(("text", "expected"), [("", "ignore"), ("[api]\nresponse_validation = warn\n", "warn")])
def test_the_default_is_not_to_look(tmp_path, text, expected):
    file = tmp_path / "nova.conf"
    file.write_text(text)
    assert mode(load("compute", [], config_files=[str(file)]), DIALECTS["compute"]) == expected

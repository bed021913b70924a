"""The context travels under the recorded keys of each suite."""

import datetime

import pytest

from keel_contract import goldens
from keel_contract.context import Context


def contexts(suite):
    for name, messages in goldens.load(suite, "messages").items():
        for message in messages:
            wire = {k.removeprefix("_context_"): v for k, v in message["message"].items() if k.startswith("_context_")}
            if wire:
                yield pytest.param(suite, wire, id=f"{suite}-{name}")
                break


@pytest.mark.parametrize(("suite", "wire"), [*contexts("nova"), *contexts("cinder")])
def test_recorded_context_survives_a_round_trip(suite, wire):
    again = Context.from_wire(suite, wire).to_wire(suite)
    # Some of Cinder's own contexts carry a zone; ours never do, and a receiver takes both.
    moment = datetime.datetime.fromisoformat(wire["timestamp"]).replace(tzinfo=None)
    assert datetime.datetime.fromisoformat(again.pop("timestamp")) == moment
    assert again == {key: value for key, value in wire.items() if key != "timestamp"}


def test_cinder_admin_carries_the_role_admin():
    wire = Context("u", "p", ["member"], is_admin=True).to_wire("cinder")
    assert wire["roles"] == ["member", "admin"]
    assert Context.admin("cinder").to_wire("cinder")["roles"] == ["admin"]


def test_nova_admin_of_the_service_itself_has_no_roles_and_no_user():
    wire = Context.admin("nova").to_wire("nova")
    assert (wire["roles"], wire["user_id"], wire["is_admin"]) == ([], None, True)
    assert wire["user_identity"] == "- - - - -"


def test_elevated_is_a_copy_with_the_token_and_the_role_admin():
    context = Context("u", "p", ["member"], auth_token="t", service_catalog=[{"type": "image"}])
    admin = context.elevated(read_deleted="yes")
    assert (admin.is_admin, admin.roles, admin.auth_token, admin.read_deleted) == (
        True,
        ["member", "admin"],
        "t",
        "yes",
    )
    assert (context.is_admin, context.roles, context.read_deleted) == (False, ["member"], "no")
    assert admin.request_id == context.request_id


def test_only_the_kept_parts_of_the_catalog_travel():
    catalog = [{"type": "image"}, {"type": "compute"}, {"type": "placement"}]
    context = Context(service_catalog=catalog)
    assert [e["type"] for e in context.to_wire("nova")["service_catalog"]] == ["image", "placement"]
    assert [e["type"] for e in context.to_wire("cinder")["service_catalog"]] == ["image", "compute"]


def test_unknown_keys_of_a_newer_peer_are_ignored():
    assert Context.from_wire("nova", {"user_id": "u", "from_the_future": 1}).user_id == "u"


def test_read_deleted_has_three_values():
    with pytest.raises(ValueError, match="read_deleted"):
        Context(read_deleted="maybe")
    with pytest.raises(ValueError, match="read_deleted"):
        Context().elevated(read_deleted="maybe")

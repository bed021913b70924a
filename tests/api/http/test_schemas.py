"""Request schemas: the fast validator and the explaining one, formats, the relaxed endpoint."""

import json
from pathlib import Path

import pytest

from keel_api.http.dialect import CINDER, DIALECTS, NOVA
from keel_api.http.formats import NOVA as NOVA_FORMATS
from keel_api.http.formats import Refused
from keel_api.http.formats_volume import CINDER as CINDER_FORMATS
from keel_api.http.ops import data
from keel_api.http.schemas import Invalid, Schema, Schemas

CHECKS = {"compute": NOVA_FORMATS, "volume": CINDER_FORMATS}
PROBES = json.loads((Path(__file__).parents[1] / "data" / "format_probes.json").read_text())
ROWS = [(suite, *row) for suite, rows in PROBES.items() for row in rows]


def expand(value):
    """``a*256`` stands for 256 letters."""
    letter, star, count = value.partition("*") if isinstance(value, str) else ("", "", "")
    return letter * int(count) if star and count.isdigit() else value


@pytest.mark.parametrize(("suite", "name", "value", "fits"), ROWS)
def test_formats_accept_what_was_probed(suite, name, value, fits):
    check = CHECKS[suite].get(name)
    try:
        answer = check is None or bool(check(expand(value)))
    except Refused:
        answer = False
    assert answer == fits


@pytest.mark.parametrize("suite", ["compute", "volume"])
def test_every_schema_compiles(suite):
    dialect = DIALECTS[suite]
    schemas = Schemas(data(dialect, "schemas.json"), dialect)
    assert [schemas.get(name).name for name in schemas.names()] == schemas.names()


def schema(properties, dialect=NOVA, **more):
    return Schema("s", {"type": "object", "properties": properties, "additionalProperties": False, **more}, dialect)


def refusal(compiled, instance, query=False):
    with pytest.raises(Invalid) as caught:
        compiled.check(instance)
    return caught.value.text(query)


def test_the_last_name_of_the_path_is_told_for_bodies_and_the_first_for_queries():
    nested = schema({"a": {"type": "object", "properties": {"b": {"type": "string"}}}})
    assert refusal(nested, {"a": {"b": 5}}) == (
        "Invalid input for field/attribute b. Value: 5. 5 is not of type 'string'"
    )
    query = schema({"k": {"type": "array", "items": {"enum": ["x"]}}})
    assert refusal(query, {"k": ["y"]}, query=True) == (
        "Invalid input for query parameters k. Value: y. 'y' is not one of ['x']"
    )


@pytest.mark.parametrize(
    ("value", "fits"), [(3, True), (2, False), ("3", True), ("2", False), ("x", True), (True, True)]
)
def test_bounds_hold_for_numbers_and_numeric_text(value, fits):
    bounded = schema({"n": {"minimum": 3}})
    if fits:
        bounded.check({"n": value})
    else:
        assert "is less than the minimum of 3" in refusal(bounded, {"n": value})


def test_a_pattern_lets_one_line_feed_at_the_end_pass():
    schema({"n": {"type": "string", "pattern": "^[a-z]+$"}}).check({"n": "abc\n"})


def test_a_name_is_refused_with_its_rule_and_not_with_its_value():
    text = refusal(schema({"name": {"type": "string", "format": "name"}}), {"name": " secret"})
    assert "printable" in text and "secret" not in text


def test_formats_of_block_storage_see_every_type():
    with pytest.raises(Invalid):
        schema({"id": {"format": "uuid"}}, CINDER).check({"id": 5})
    schema({"id": {"format": "uuid"}}, NOVA).check({"id": 5})


def test_the_relaxed_endpoint_drops_unknown_keys_unless_all_are_unknown():
    strict = schema({"a": {"type": "string"}})
    assert strict.check_relaxed({"a": "x", "b": 1}) == {"a": "x"}
    assert strict.check_relaxed({"b": 1}) == {"b": 1}
    patterned = schema({"a": {}}, patternProperties={"^x": {}})
    with pytest.raises(Invalid):
        patterned.check_relaxed({"a": 1, "b": 1})


def test_the_sender_keeps_his_body_when_the_relaxed_endpoint_drops_keys():
    body = {"a": "x", "b": 1}
    schema({"a": {"type": "string"}}).check_relaxed(body)
    assert body == {"a": "x", "b": 1}

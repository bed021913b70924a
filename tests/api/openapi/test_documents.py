"""The OpenAPI documents are valid, and say of every operation what the tables that serve it say."""

import json

import pytest
from openapi_spec_validator import validate

from keel_api.http.dialect import DIALECTS
from keel_api.http.ops import Op, data
from keel_api.http.version import BadVersion, UnsupportedVersion, parse
from keel_api.openapi import document
from keel_common.manage.main import main

VERSIONS = [("compute", version) for version in ("2.1", "2.25", "2.36", "2.53", "2.79", "2.104")]
VERSIONS += [("volume", version) for version in ("3.0", "3.27", "3.71")]


@pytest.mark.parametrize(("suite", "version"), VERSIONS)
def test_the_document_is_valid(suite, version):
    made = json.loads(json.dumps(document(suite, version)))
    validate(made)
    assert made["info"]["version"] == version


@pytest.mark.parametrize(("suite", "version"), VERSIONS)
def test_every_operation_of_the_version_is_there_and_no_other(suite, version):
    made = document(suite, version)
    ops = [Op.from_row(row) for row in data(DIALECTS[suite], "operations.json")["operations"]]
    offered = [op for op in ops if op.offered(parse(version))]
    assert {(op.path, op.method.lower()) for op in offered} == {
        (path, method) for path, methods in made["paths"].items() for method in methods if method != "parameters"
    }
    for op in offered:
        shown = made["paths"][op.path][op.method.lower()]
        code = op.removed or op.success.at(parse(version))
        assert str(code) in shown["responses"], op.id
        assert set(op.policies) <= set(shown.get("x-openstack-policies", ()))
        if op.action is not None:
            assert op.action in keys_of(made, shown), op.id


def keys_of(made, operation):
    """The keys that the bodies of an action path may have."""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    found = set()
    for each in schema.get("anyOf", [schema]):
        found |= set(made["components"]["schemas"][each["$ref"].rpartition("/")[2]]["properties"])
    return found


def test_bodies_queries_and_answers_are_the_recorded_ones():
    made = document("compute")
    create = made["paths"]["/servers"]["post"]
    assert create["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith("/servers.create_v294")
    names = {parameter["name"] for parameter in made["paths"]["/servers"]["get"]["parameters"]}
    assert {"limit", "marker", "changes-since", "sort_key", "tags-any"} <= names
    answer = made["paths"]["/flavors/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    shown = made["components"]["schemas"][answer["$ref"].rpartition("/")[2]]
    assert "extra_specs" in shown["properties"]["flavor"]["properties"]
    assert made["paths"]["/os-fping"]["get"]["deprecated"] and "410" in made["paths"]["/os-fping"]["get"]["responses"]


def test_every_reference_leads_somewhere():
    for suite in ("compute", "volume"):
        made = document(suite)
        text = json.dumps(made)
        for place in text.split('"$ref": "')[1:]:
            _, _, kind, name = place.partition('"')[0].split("/")
            assert name in made["components"][kind]


@pytest.mark.parametrize("suite", ["compute", "volume"])
def test_versions_that_are_not_served_are_refused(suite, capsys):
    with pytest.raises(UnsupportedVersion):
        document(suite, "9.9")
    with pytest.raises(BadVersion):
        document(suite, "newest")
    assert main(["openapi", suite, "--microversion", "9.9"]) == 1
    assert "9.9" in capsys.readouterr().err


@pytest.mark.parametrize("suite", ["compute", "volume"])
def test_keel_manage_prints_it(suite, capsys, tmp_path):
    assert main(["openapi", suite]) == 0
    assert json.loads(capsys.readouterr().out) == document(suite)
    file = tmp_path / "api.json"
    low = ".".join(map(str, DIALECTS[suite].low))
    assert main(["openapi", suite, "--microversion", low, "--output", str(file)]) == 0
    assert json.loads(file.read_text())["info"]["version"] == low

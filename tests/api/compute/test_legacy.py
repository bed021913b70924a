"""The legacy endpoint /v2, and a project in the path: as the real nova-api 34.0.0 answered an administrator.

data/legacy.json holds its answers to the same requests on the same databases, with no peers behind it; what it answered
with a server's fault, or because a peer was missing, is not there.
"""

import copy
import json
from pathlib import Path

import pytest
from fakes.api import PROJECT, Identity

from api.compute import wishes

_RECORDED = json.loads((Path(__file__).parent / "data" / "legacy.json").read_bytes())
WISHES = {wish.id: wish for wish in wishes.all_wishes()}
VERSIONS = ("OpenStack-API-Version", "X-OpenStack-Nova-API-Version")


def with_unknown_key(body):
    """The body with a key no schema knows inside its one object; itself where there is none."""
    body = copy.deepcopy(body)
    if isinstance(body, dict) and len(body) == 1:
        (inner,) = body.values()
        if isinstance(inner, dict):
            inner["unknown_key"] = "x"
    return body


def asked(whole, wish, form):
    """(method, path, body, version) of a wish in one of the recorded forms."""
    method, path, body = wish.request(whole.made)
    path = path.replace(f"/{PROJECT}/", "/") if wish.op_id == "GET /" else path
    prefix, _, unknown = form.partition(" ")
    version = wish.version if prefix.startswith("/v2.1") else None
    return method, prefix.replace("{project}", PROJECT) + path, with_unknown_key(body) if unknown else body, version


@pytest.mark.parametrize("form", _RECORDED["forms"])
def test_answers_are_the_measured_ones(whole, form):
    place, different, compared = _RECORDED["forms"].index(form), [], 0
    for name, statuses in _RECORDED["answers"].items():
        if statuses[place] is None:
            continue
        method, path, body, version = asked(whole, WISHES[name], form)
        reply = whole.api.call(method, path, body, who=Identity.ADMIN, version=version, raw=True)
        if reply.status < 400:
            whole.restore()
        if reply.status != statuses[place]:
            different.append(f"{name}: {reply.status}, not {statuses[place]}: {reply.raw[:200]!r}")
        shown = [header for header in VERSIONS if header in reply.headers]
        assert not shown or form.startswith("/v2.1"), f"{name} shows {shown}"
        compared += 1
    assert different == []
    assert compared > 30


@pytest.mark.parametrize("endpoint", ["v2", "v2.1"])
@pytest.mark.parametrize("project", ["", f"/{PROJECT}"])
def test_links_name_endpoint_and_project_as_the_request_did(whole, endpoint, project):
    reply = whole.api.get(f"/{endpoint}{project}/servers?limit=1", raw=True)
    (server,) = reply.body["servers"]
    links = {link["rel"]: link["href"] for link in server["links"]}
    assert links["self"] == f"http://localhost/{endpoint}{project}/servers/{server['id']}"
    assert links["bookmark"] == f"http://localhost{project}/servers/{server['id']}"


@pytest.mark.parametrize(
    "body", [None, [], "x", {}, {"quota_class_set": None}, {"quota_class_set": {"cores": "x"}},
             {"quota_class_set": {"cores": 2**31}}, {"quota_class_set": {"ram": [1]}}, {"quota_class_set": {"ram": -2}}]
)  # fmt: skip
def test_limits_no_schema_looks_at_are_looked_at(whole, body):
    path = "/v2/os-quota-class-sets/default"
    assert whole.api.put(path, body, who=Identity.ADMIN, raw=True).status == 400

"""Paths, versions and the order of refusals (nova 34.0.0 http discovery, measured; cinder 29.0.0 http errors)."""

import pytest
from fakes.api import PROJECT

from keel_api.http.ops import load

ID = "c0ffee00-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v2.1/extensions", 200),
        ("GET", "/v2.1//extensions", 200),
        ("GET", "/v2.1/extensions/", 404),
        ("GET", "/v2.1/extensions.json", 404),
        ("GET", f"/v2.1/{PROJECT}/extensions", 200),
        ("GET", "/v2.1/deadbeef/extensions", 400),
        ("GET", f"/v2.1/{PROJECT}", 404),
        ("GET", f"/v2.1/{PROJECT}/", 200),
        ("GET", "/v2.1/notHEX/extensions", 404),
        ("GET", "/v2.1/nope", 404),
        ("PATCH", "/v2.1/servers", 404),
        ("HEAD", "/v2.1/servers", 404),
        ("OPTIONS", "/v2.1/servers", 404),
        ("DELETE", "/v2.1/servers", 404),
        ("GET", "/v2.1/versions/v2.1", 200),
        ("GET", "/v2.1/versions/v9", 404),
        ("GET", "/v2/versions/v2.1", 200),
        ("GET", "/v2/extensions", 200),
        ("GET", "/", 200),
        ("DELETE", "/", 200),
        ("GET", "/foo", 300),
        ("GET", "/v3", 300),
        ("POST", "/v2.1", 200),
        ("GET", "/v2/", 200),
        ("GET", "/v2.1/os-fping", 410),
        ("GET", "/healthcheck", 200),
    ],
)
def test_compute_paths_answer_as_recorded(shared_compute, method, path, status):
    assert shared_compute.call(method, path, raw=True).status == status


@pytest.mark.parametrize(
    ("headers", "status", "echoed"),
    [
        ({}, 200, "2.1"),
        ({"OpenStack-API-Version": "compute 2.104"}, 200, "2.104"),
        ({"OpenStack-API-Version": "compute latest"}, 200, "2.104"),
        ({"OpenStack-API-Version": "compute 2.105"}, 406, "2.105"),
        ({"OpenStack-API-Version": "compute 1.1"}, 406, "1.1"),
        ({"OpenStack-API-Version": "compute 2.01"}, 400, None),
        ({"OpenStack-API-Version": "compute Latest"}, 400, None),
        ({"OpenStack-API-Version": "compute"}, 200, "2.1"),
        ({"OpenStack-API-Version": "volume 3.1,Compute 2.5"}, 200, "2.5"),
        ({"X-OpenStack-Nova-API-Version": "latest"}, 200, "2.104"),
        ({"X-OpenStack-Nova-API-Version": "x"}, 400, None),
        ({"OpenStack-API-Version": "volume 3.9", "X-OpenStack-Nova-API-Version": "2.7"}, 200, "2.7"),
        ({"OpenStack-API-Version": "compute 2.9", "X-OpenStack-Nova-API-Version": "2.7"}, 200, "2.9"),
    ],
)
def test_compute_versions_are_negotiated_and_echoed(shared_compute, headers, status, echoed):
    reply = shared_compute.get("/extensions", headers=headers)
    assert reply.status == status
    assert reply.headers.get("X-OpenStack-Nova-API-Version") == echoed
    assert reply.headers.getlist("Vary") == (
        ["OpenStack-API-Version", "X-OpenStack-Nova-API-Version"] if echoed else []
    )
    assert reply.headers["x-openstack-request-id"] == reply.headers["x-compute-request-id"]


@pytest.mark.parametrize(
    ("body", "version", "status"),
    [
        (b"", None, 400),
        (b"{", None, 400),
        (b"[]", None, 400),
        (b'["a"]', None, 404),
        (b"5", None, 404),
        (b'"x"', None, 404),
        (b'"xy"', None, 400),
        (b"null", None, 404),
        (b"{}", None, 400),
        (b'{"a":1,"b":2}', None, 400),
        (b'{"nope":1}', None, 400),
        (b"\xff", None, 400),
        (b'{"reboot":{"type":"x"}}', None, 400),
        (b'{"os-getRDPConsole":{"type":"rdp-html5"}}', None, 400),
        (b'{"os-getRDPConsole":{"type":"rdp-html5"}}', "2.6", 404),
        (b'{"resetNetwork":null}', "2.104", 410),
        (b'{"trigger_crash_dump":5}', None, 404),
        (b'{"trigger_crash_dump":5}', "2.17", 400),
    ],
)
def test_the_key_of_an_action_body_picks_the_operation(shared_compute, body, version, status):
    assert shared_compute.post(f"/servers/{ID}/action", body, version=version).status == status


@pytest.mark.parametrize(
    ("kind", "status"),
    [("text/plain", 400), ("application/vnd.openstack.compute+json", 400), ("application/xml", 415)],
)
def test_media_types_outside_json_are_refused(shared_compute, kind, status):
    assert shared_compute.post("/flavors", b'{"flavor":{}}', headers={"Content-Type": kind}).status == status


def test_a_body_above_the_limit_is_refused_before_anything_else(shared_compute):
    reply = shared_compute.post("/flavors", b"x" * 114689, who=None)
    assert reply.status == 413
    assert "OpenStack-API-Version" not in reply.headers


@pytest.mark.parametrize("path", ["/extensions", "/nope"])
def test_without_an_identity_nothing_is_said_about_a_path(shared_compute, path):
    reply = shared_compute.get(path, who=None, version="9.9")
    assert reply.status == 401
    assert reply.headers["Content-Type"].startswith("text/plain")


def test_identity_headers_on_open_paths_are_ignored(shared_compute):
    assert shared_compute.get("/v2.1", raw=True, who=None, headers={"X-User-Id": "me"}).status == 200


def test_query_keys_become_strict_with_the_version(shared_compute):
    assert shared_compute.get("/extensions?foo=1", version="2.101").status == 200
    reply = shared_compute.get("/extensions?foo=1", version="2.102")
    assert reply.status == 400
    assert "foo" in reply.message


def test_a_query_that_is_no_utf8_is_refused(shared_compute):
    assert shared_compute.get("/extensions?%ff=1").status == 400


def test_a_declared_operation_without_a_handler_says_so(compute):
    compute.with_handlers({"GET /os-baremetal-nodes": None})
    reply = compute.get("/os-baremetal-nodes")
    assert reply.status == 501
    assert "GET /os-baremetal-nodes" in reply.message


def test_an_uncaught_error_is_a_500_that_names_its_class_and_is_logged(compute, caplog):
    def broken(req):
        raise RuntimeError("secret")

    compute.with_handlers({"GET /os-baremetal-nodes": broken})
    reply = compute.get("/os-baremetal-nodes")
    assert reply.status == 500
    assert "builtins.RuntimeError" in reply.message and "secret" not in reply.message
    assert "secret" in caplog.text


def test_the_root_document_lists_both_endpoints(shared_compute):
    reply = shared_compute.get("/", raw=True, who=None)
    assert [(v["id"], v["version"]) for v in reply.body["versions"]] == [("v2.0", ""), ("v2.1", "2.104")]
    assert "x-openstack-request-id" not in reply.headers
    assert reply.body["versions"][1]["links"][0]["href"] == "http://localhost/v2.1/"


def test_a_link_prefix_replaces_scheme_host_and_leading_path(compute):
    compute.set("compute_link_prefix", "https://cloud.example/compute", "api")
    compute.with_handlers({})
    reply = compute.get("/", raw=True)
    assert reply.body["versions"][1]["links"][0]["href"] == "https://cloud.example/compute/v2.1/"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {}, 300),
        ("GET", "/v3", {}, 302),
        ("GET", "/v2/", {}, 404),
        ("GET", "/v3/nope", {}, 404),
        ("HEAD", "/v3/volumes", {}, 404),
        ("PATCH", "/v3/volumes", {}, 404),
        ("GET", "/v3//os-baremetal", {}, 404),
        ("PUT", "/v3/limits/1", {}, 404),
        ("POST", "/v3/groups/action", {}, 400),
        ("GET", "/v3/limits", {"OpenStack-API-Version": "volume 3.999"}, 406),
        ("GET", "/v3/limits", {"OpenStack-API-Version": "volume bad"}, 400),
        ("GET", "/v3/limits", {"OpenStack-API-Version": "volume"}, 400),
        ("GET", "/v3/limits", {"OpenStack-API-Version": "compute 2.1"}, 400),
        ("GET", "/v3/deadbeef/limits", {}, 400),
    ],
)
def test_volume_paths_answer_as_recorded(shared_volume, method, path, headers, status):
    assert shared_volume.call(method, path, raw=True, headers=headers).status == status


@pytest.mark.parametrize(("suite", "host"), [("shared_volume", "outer"), ("shared_compute", "localhost")])
def test_block_storage_links_name_the_last_forwarded_host(request, suite, host):
    api = request.getfixturevalue(suite)
    reply = api.get("/", raw=True, who=None, headers={"X-Forwarded-Host": "inner, outer"})
    links = [link["href"] for version in reply.body["versions"] for link in version["links"]]
    assert f"http://{host}/v" in links[-1]


def test_volume_versions_echo_one_header(shared_volume):
    reply = shared_volume.get("/", raw=True, who=None, headers={"OpenStack-API-Version": "volume latest"})
    assert reply.headers["OpenStack-API-Version"] == "volume 3.71"
    assert reply.headers.getlist("Vary") == ["OpenStack-API-Version"]
    (document,) = reply.body["versions"]
    assert document["links"][-1] == {"rel": "self", "href": "http://localhost/v3/"}


def test_every_operation_of_the_compute_api_has_a_handler(compute):
    ops = load(compute.dialect)
    assert len(ops) == 265
    assert [op.id for op in ops if op.handler is None and not op.removed] == []

"""Operations that ask Neutron, Glance or Cinder and only translate (nova 34.0.0, measured on the running service)."""

import pytest

from keel_common.clients import errors

PROJECT_GROUP = "3bf200b3-c1e4-428b-b352-6399e2d4a9b4"
OTHER_GROUP = "7c648fdd-bf60-4930-8006-21cc522c50f6"
UNKNOWN = "c0ffee00-0000-4000-8000-000000000000"


class Neutron:
    def __init__(self):
        self.rules = []
        self.refusal = None
        self.deleted = []

    def show_security_group(self, group_id, context=None):
        if group_id != PROJECT_GROUP:
            raise errors.NotFound(404, f"Security group {group_id} does not exist", "neutron")
        return {
            "id": group_id,
            "name": "web",
            "description": "d",
            "tenant_id": "t",
            "security_group_rules": self.rules,
        }

    def list_security_groups(self, context=None, **filters):
        return [self.show_security_group(PROJECT_GROUP)]

    def create_security_group_rule(self, values, context=None):
        if self.refusal:
            raise self.refusal
        rule = {"id": UNKNOWN, "protocol": None, "port_range_min": None, "port_range_max": None, **values}
        self.rules.append(rule)
        return rule

    def delete_security_group(self, group_id, context=None):
        if self.refusal:
            raise self.refusal
        self.deleted.append(group_id)


@pytest.fixture
def neutron(compute):
    compute.services.clients.neutron = Neutron()
    return compute.services.clients.neutron


def rule_of(**more):
    asked = {"parent_group_id": PROJECT_GROUP, "ip_protocol": "tcp", "from_port": 1, "to_port": 2, "cidr": "10.0.0.0/8"}
    asked.update(more)
    return {"security_group_rule": {key: value for key, value in asked.items() if value != "left out"}}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"cidr": "x"}, "x is not a valid IP network."),
        ({"cidr": "1.1.1.1"}, "1.1.1.1 is not a valid IP network."),
        ({"ip_protocol": "foo"}, "Invalid IP protocol foo."),
        ({"ip_protocol": 6}, "Invalid IP protocol 6."),
        ({"from_port": 70000}, "Former value cannot be greater than the later"),
        ({"from_port": 5, "to_port": 1}, "Former value cannot be greater than the later"),
        ({"from_port": -1, "to_port": -1}, "Valid TCP ports should be between 1-65535"),
        ({"ip_protocol": "ICMP", "from_port": 256}, "For ICMP, the type:code must be valid"),
        ({"from_port": "a"}, "To and From ports must be integers"),
        ({"ip_protocol": "left out"}, "Not enough parameters to build a valid rule."),
        ({"from_port": "left out"}, "Not enough parameters to build a valid rule."),
    ],
)
def test_a_wrong_rule_is_refused_in_words(compute, neutron, asked, words):
    reply = compute.post("/os-security-group-rules", rule_of(**asked))
    assert reply.status == 400 and words in reply.body["badRequest"]["message"]
    assert neutron.rules == []


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({}, ("tcp", 1, 2, {}, {"cidr": "10.0.0.0/8"})),
        ({"cidr": None}, ("tcp", 1, 2, {}, {"cidr": "0.0.0.0/0"})),
        ({"cidr": "fe80::/64", "ip_protocol": "udp"}, ("udp", 1, 2, {}, {"cidr": "fe80::/64"})),
        ({"from_port": "22", "to_port": "22"}, ("tcp", 22, 22, {}, {"cidr": "10.0.0.0/8"})),
        ({"ip_protocol": "icmp", "from_port": -1, "to_port": -1}, ("icmp", -1, -1, {}, {"cidr": "10.0.0.0/8"})),
        ({"group_id": PROJECT_GROUP}, ("tcp", 1, 2, {"name": "web", "tenant_id": "t"}, {})),
        (
            {"group_id": PROJECT_GROUP, "from_port": "left out", "to_port": "left out"},
            ("tcp", 1, 65535, {"name": "web", "tenant_id": "t"}, {}),
        ),
    ],
)
def test_a_rule_is_shown_as_asked(compute, neutron, asked, shown):
    rule = compute.post("/os-security-group-rules", rule_of(**asked)).ok.body["security_group_rule"]
    assert tuple(rule[key] for key in ("ip_protocol", "from_port", "to_port", "group", "ip_range")) == shown
    assert rule["parent_group_id"] == PROJECT_GROUP


def test_a_rule_that_is_there_is_refused(compute, neutron):
    assert compute.post("/os-security-group-rules", rule_of()).status == 200
    reply = compute.post("/os-security-group-rules", rule_of())
    assert reply.status == 400 and "already exists in group" in reply.body["badRequest"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("get", "/os-security-groups/nope", None, 400),
        ("get", f"/os-security-groups/{UNKNOWN}", None, 404),
        ("delete", "/os-security-group-rules/nope", None, 400),
        ("post", "/os-security-group-rules", rule_of(parent_group_id=UNKNOWN), 404),
        ("post", "/os-security-group-rules", {}, 400),
    ],
)
def test_what_neutron_does_not_know(compute, neutron, method, path, body, status):
    args = (path,) if body is None else (path, body)
    assert getattr(compute, method)(*args).status == status


def test_a_group_in_use_stays(compute, neutron):
    neutron.refusal = errors.Conflict(409, "in use", "neutron")
    assert compute.delete(f"/os-security-groups/{PROJECT_GROUP}").status == 400
    neutron.refusal = None
    assert compute.delete(f"/os-security-groups/{PROJECT_GROUP}").status == 202
    assert neutron.deleted == [PROJECT_GROUP]


@pytest.mark.parametrize(
    "path", ["/os-security-groups", "/os-networks", "/os-floating-ips", "/os-volumes", "/images", "/os-snapshots"]
)
def test_the_proxies_end_at_2_36(compute, neutron, path):
    assert compute.get(path, version="2.36").status == 404


class Cinder:
    def __init__(self):
        self.made = []

    def list_volumes(self, context):
        return [volume(f"v{n}") for n in range(5)]

    def show_volume(self, context, volume_id):
        raise errors.NotFound(404, "no", "cinder")

    def create_volume(self, context, values):
        if values["volume_type"] == "nope":
            raise errors.NotFound(404, "Volume type nope could not be found.", "cinder")
        self.made.append(values)
        return volume("v", **values)


def volume(key, **more):
    return {
        "id": key,
        "status": "creating",
        "size": 1,
        "availability_zone": "nova",
        "created_at": "2026-12-01T02:47:03.000000",
        "attachments": [],
        "name": None,
        "description": None,
        "volume_type": "standard",
        "snapshot_id": None,
        "metadata": {},
    } | {key: value for key, value in more.items() if value is not None}


@pytest.fixture
def cinder(compute):
    compute.services.clients.cinder = Cinder()
    return compute.services.clients.cinder


def test_volumes_are_cut_by_limit_and_offset(compute, cinder):
    shown = compute.get("/os-volumes/detail?limit=2&offset=1").ok.body["volumes"]
    assert [each["id"] for each in shown] == ["v1", "v2"]
    assert shown[0]["attachments"] == [{}]
    assert len(compute.get("/os-volumes?limit=0").ok.body["volumes"]) == 5


def test_a_volume_is_asked_for_in_cinders_words(compute, cinder):
    body = {"volume": {"size": "2", "display_name": "n", "metadata": {"a": "b"}}}
    made = compute.post("/os-volumes", body).ok.body["volume"]
    assert (made["size"], made["displayName"], made["metadata"]) == (2, "n", {"a": "b"})
    assert cinder.made[0]["size"] == 2


def test_an_unknown_volume_type_is_no_server_error(compute, cinder):
    reply = compute.post("/os-volumes", {"volume": {"size": 1, "volume_type": "nope"}})
    assert reply.status == 404


def test_an_unknown_volume_is_not_found(compute, cinder):
    assert compute.get("/os-volumes/nope").status == 404

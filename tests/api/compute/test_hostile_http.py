"""Hostile bytes over real connections: the compute API behind its HTTP server and keystonemiddleware.

After everything that is sent here the server answers the next fair request, and soon.
"""

import json
import re
import socket
import time
from contextlib import suppress

import pytest
from fakes.api import OTHER, PROJECT, Identity
from fakes.keystone import FakeKeystone

from keel_api import app
from keel_api.http.middleware import keystone
from keel_common.config import load
from keel_common.runtime import WsgiServer

USERS = {"demo": Identity.MEMBER, "other": Identity.OTHER, "admin": Identity.ADMIN, "nova": Identity.SERVICE}
SETTINGS = """
[keystone_authtoken]
auth_type = password
auth_url = {url}/v3
www_authenticate_uri = {url}
username = nova
password = nova
user_domain_id = default
project_domain_id = default
project_name = nova-project
"""
LIMIT = 114688
#: What keystonemiddleware tells the application, said by a client.
FORGED = {
    "X-Identity-Status": "Confirmed", "X-Roles": "admin", "X-Role": "admin", "X-User-Id": "root", "X-User": "root",
    "X-Project-Id": PROJECT, "X-Tenant-Id": PROJECT, "X-Tenant": PROJECT, "X-Is-Admin-Project": "True",
    "X-Service-Identity-Status": "Confirmed", "X-Service-Roles": "service,admin", "X-Service-User-Id": "root",
    "X-Service-Catalog": "[]", "OpenStack-System-Scope": "all", "X-Authorization": "x", "X-Domain-Id": "default",
}  # fmt: skip


class Wire:
    """Raw requests to the API; `token` of each user."""

    def __init__(self, port, tokens):
        self.port, self.token = port, tokens

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def raw(self, data, seconds=10):
        """What comes back for bytes, until the server closes or is silent for a while."""
        with self.connect() as link:
            link.settimeout(seconds)
            with suppress(BrokenPipeError, ConnectionResetError):  # it may answer and close before all was sent
                link.sendall(data)
            found = b""
            with suppress(TimeoutError, ConnectionResetError):
                while piece := link.recv(65536):
                    found += piece
            return found

    def ask(self, path, user="demo", method="GET", body=b"", close=True, **headers):
        """(status, head, body) of one request; header names with _ for -."""
        lines = {"Host": "nova", "Content-Length": str(len(body)), **headers}
        if user:
            lines["X-Auth-Token"] = self.token.get(user, user)
        if close:
            lines["Connection"] = "close"
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        path = path if isinstance(path, bytes) else path.encode()
        return parsed(self.raw(method.encode() + b" " + path + b" HTTP/1.1\r\n" + head.encode() + b"\r\n" + body))

    def fair(self):
        """A fair request is answered, and soon."""
        begun = time.monotonic()
        assert self.ask("/v2.1/servers")[0] == 200
        assert time.monotonic() - begun < 5


def parsed(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    found = re.match(rb"HTTP/1\.[01] (\d{3})", head)
    return (int(found[1]) if found else None), head, body


@pytest.fixture(scope="module")
def wire(_whole, tmp_path_factory):
    _whole.restore()
    people = FakeKeystone(USERS)
    people.start()
    people.endpoint("identity", "keystone", f"{people.url}/v3")
    file = tmp_path_factory.mktemp("conf") / "nova.conf"
    file.write_text(SETTINGS.format(url=people.url))
    auth = keystone(load("compute", [], config_files=[str(file)]))
    served = app.build(_whole.api.conf, "compute", _whole.api.services, auth=auth)
    server = WsgiServer(served, "127.0.0.1", 0, threads=4, name="compute-api")
    server.start()
    yield Wire(server.port, {user: people.token(user) for user in USERS})
    server.stop(time.monotonic() + 5)
    people.stop()


@pytest.fixture(autouse=True)
def it_goes_on(wire):
    yield
    wire.fair()


def test_too_large_is_said_before_the_token_is_missed_and_that_before_the_path_is_unknown(wire):
    large = b"x" * (LIMIT + 1)
    for path, user in (("/v2.1/nope", None), ("/v2.1/servers", None), ("/v2.1/servers", "demo")):
        assert wire.ask(path, user, "POST", large)[0] == 413
    assert wire.ask("/v2.1/nope", None)[0] == 401
    assert wire.ask("/v2.1/nope", "no-such-token")[0] == 401
    assert wire.ask("/v2.1/nope", "demo")[0] == 404


def test_a_body_in_pieces_is_measured_too(wire):
    head = "POST /v2.1/servers HTTP/1.1\r\nHost: nova\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    piece = b"%x\r\n%s\r\n" % (LIMIT + 1, b"x" * (LIMIT + 1))
    assert parsed(wire.raw(head.encode() + piece + b"0\r\n\r\n"))[0] == 413
    assert parsed(wire.raw(head.encode() + b"5\r\nhello\r\n0\r\n\r\n"))[0] == 401
    for broken in (b"zz\r\nhello\r\n0\r\n\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"5\r\nhel"):
        assert parsed(wire.raw(head.encode() + broken, seconds=1))[0] in (None, 400, 401)


def test_identity_of_the_clients_own_making_counts_for_nothing(wire):
    assert wire.ask("/v2.1/servers", None, **FORGED)[0] == 401
    assert wire.ask("/v2.1/servers", "no-such-token", **FORGED)[0] == 401
    assert wire.ask("/v2.1/os-services", "demo", **FORGED)[0] == 403
    with_underscores = {name.replace("-", "_"): value for name, value in FORGED.items()}
    assert wire.ask("/v2.1/os-services", "demo", **with_underscores)[0] == 403
    status, _, body = wire.ask("/v2.1/servers/detail?all_tenants=1", "other", **FORGED)
    assert status == 403, body
    status, _, body = wire.ask("/v2.1/servers/detail", "other", **FORGED)
    assert status == 200 and json.loads(body) == {"servers": []}
    assert wire.ask(f"/v2.1/{PROJECT}/servers", "other", **FORGED)[0] == 400  # its token is of another project
    assert wire.ask("/v2.1/os-services", "admin")[0] == 200


@pytest.mark.parametrize(
    "path", ["/v2.1%2fservers", "//v2.1/servers", "/v2.1//servers", "/v2.1/./servers", "/v2.1/%2e%2e/v2.1/servers"]
)
def test_no_spelling_of_a_path_goes_past_the_token(wire, path):
    assert wire.ask(path, None, **FORGED)[0] in (401, 404)


def test_a_service_token_that_is_none_raises_nobody(wire):
    for given in (wire.token["demo"], wire.token["admin"], "nonsense"):
        assert wire.ask("/v2.1/os-services", "demo", **{"X-Service-Token": given})[0] in (401, 403)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("//v2.1//servers", (200, 404)),
        ("/v2.1/servers%2f", (404,)),
        ("/v2.1%2fservers", (200,)),  # servers of WSGI decode a path before anybody sees it
        ("/v2.1/servers/%2e%2e/os-services", (404,)),
        ("/v2.1/servers/../os-services", (403, 404)),
        ("/v2.1/servers/%00", (404,)),
        ("/v2.1/servers/%ff%fe", (404,)),
        (b"/v2.1/servers/\xff\xfe", (400, 404)),
        (b"/v2.1/servers/\x00", (400, 404)),
        ("/v2.1/servers/" + "x" * 60000, (404, 414)),
        ("http://elsewhere/v2.1/servers", (200, 404)),
        ("*", (300, 400, 404)),
        ("/v2.1/servers#fragment", (200, 404)),
        ("/v2.1/servers;x=y", (404,)),
        ("/v2.1/servers?" + "a=1&" * 15000, (200, 400)),
    ],
)
def test_paths_of_odd_bytes(wire, path, status):
    assert wire.ask(path)[0] in status


@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Length: -1"],
        ["Content-Length: x"],
        ["Content-Length: 1e3"],
        ["Content-Length: " + "9" * 30],
        ["Content-Length: 5", "Content-Length: 50"],
        ["Content-Length: 4", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: identity, chunked, x"],
        ["Content-Length: 0", " folded: x"],
        ["no colon here"],
        ["X: " + "y" * 2_000_000],
        *[["Content-Type: " + kind] for kind in ("", "x", "application/json; charset=utf-99", "\x00", "a" * 9000)],
        ["Accept: " + ",".join(f"a/{n}" for n in range(3000))],
        ["Expect: 200-ok"],
        ["OpenStack-API-Version: " + "compute 2.1," * 4000],
        ["Host: "],
        ["Host: elsewhere:99999999"],
        ["Host: [::"],
    ],
    ids=lambda lines: lines[0][:40],
)
def test_heads_that_are_none(wire, lines):
    head = "\r\n".join([f"POST /v2.1/servers HTTP/1.1\r\nHost: nova\r\nX-Auth-Token: {wire.token['demo']}", *lines])
    status, _, _ = parsed(wire.raw(head.encode("latin-1") + b"\r\nConnection: close\r\n\r\n", seconds=1))
    assert status is None or 400 <= status < 500 or status == 501


def test_a_second_request_cannot_hide_in_the_body_of_the_first(wire):
    inner = f"GET /v2.1/os-services HTTP/1.1\r\nHost: nova\r\nX-Auth-Token: {wire.token['admin']}\r\n\r\n"
    body = f"0\r\n\r\n{inner}"
    head = "POST /v2.1/flavors HTTP/1.1\r\nHost: nova\r\nConnection: close\r\n"
    for lines in (
        f"Content-Length: {len(body)}\r\nTransfer-Encoding: chunked\r\n",
        f"Transfer-Encoding: chunked\r\nContent-Length: {len(body)}\r\n",
        f"Transfer-Encoding : chunked\r\nContent-Length: {len(body)}\r\n",
    ):
        answer = wire.raw(f"{head}{lines}\r\n{body}".encode(), seconds=1)
        assert b'"services"' not in answer


def test_what_is_not_http_at_all(wire):
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\r\n" * 1000,
        b"GET\r\n\r\n",
        b"\x00" * 5000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ):
        assert parsed(wire.raw(data, seconds=0.5))[0] in (None, 400, 401, 404, 405, 505)


def test_many_who_never_finish_hold_nobody_up(wire):
    waiting = [wire.connect() for _ in range(60)]
    try:
        for number, link in enumerate(waiting):
            head = b"POST /v2.1/servers HTTP/1.1\r\nHost: nova\r\nContent-Length: 100\r\n"
            link.sendall(head if number % 2 else head + b"\r\n{")
        wire.fair()
    finally:
        for link in waiting:
            link.close()


def test_a_body_shorter_than_it_says_is_not_waited_for_by_others(wire):
    head = f"PUT /v2.1/os-quota-sets/{OTHER} HTTP/1.1\r\nHost: nova\r\nContent-Length: 1000\r\n\r\n{{"
    with wire.connect() as link:
        link.sendall(head.encode())
        wire.fair()


def test_links_do_not_follow_whom_the_client_says_it_came_through(wire):
    """The headers of proxies are believed only when the operator says so."""
    told = {
        "X-Forwarded-Host": "evil",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Prefix": "/evil",
        "Forwarded": "host=evil",
    }
    _, _, body = wire.ask("/v2.1/servers?limit=1", **told)
    assert b"evil" not in body and b'"http://nova/v2.1/' in body

"""Who asks a peer: the user with our service token beside it, or our service user."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from keel_common import config
from keel_common.clients import Clients
from keel_common.context import Context


@pytest.fixture
def peer():
    """A web server that agrees to everything; the headers it saw."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_DELETE(self):
            self.headers["path"] = self.path
            seen.append(self.headers)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()
    thread.join()


def clients(tmp_path, url, tells):
    path = tmp_path / "nova.conf"
    path.write_text(
        f"[cinder]\nauth_type = admin_token\nendpoint = {url}\ntoken = ours\nendpoint_override = {url}\n"
        f"[service_user]\nsend_service_user_token = {tells}\n"
    )
    return Clients(config.load("compute", [], [str(path)]), "compute")


@pytest.mark.parametrize(
    ("context", "asker"),
    [
        (Context(user_id="u", project_id="p", auth_token="theirs", overwrite=False), "theirs"),
        (Context(user_id="u", project_id="p", overwrite=False), "ours"),
        (None, "ours"),
    ],
    ids=["user", "no token", "service"],
)
@pytest.mark.parametrize("tells", [True, False])
def test_a_request_shows_that_a_service_asks_whoever_it_is_for(peer, tmp_path, context, asker, tells):
    """Cinder refuses to end the attachment of a server to anybody else, also when we go on after a restart."""
    url, seen = peer
    clients(tmp_path, url, tells).cinder.delete_attachment(context, "a-1")
    (headers,) = seen
    assert headers["X-Auth-Token"] == asker
    assert headers["X-Service-Token"] == ("ours" if tells else None)


@pytest.mark.parametrize("name", ["project_id", "tenant_id"])
def test_a_project_in_the_url_is_that_of_who_asks(peer, tmp_path, name):
    """Cinder refuses a URL with another project than that of the token."""
    url, seen = peer
    path = tmp_path / "nova.conf"
    path.write_text(
        f"[cinder]\nauth_type = admin_token\nendpoint = {url}\ntoken = ours\nendpoint_template = {url}/v3/%({name})s\n"
    )
    cinder = Clients(config.load("compute", [], [str(path)]), "compute").cinder
    context = Context(user_id="u", project_id="p1", auth_token="theirs", overwrite=False)
    cinder.delete_attachment(context, "a-1")
    assert [headers["path"] for headers in seen] == ["/v3/p1/attachments/a-1"]

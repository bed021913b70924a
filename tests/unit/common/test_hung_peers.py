"""Another service that hangs or is restarted: nobody waits without an end, and nothing is done twice."""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from keel_common import config
from keel_common.clients import Clients, errors


def clients(tmp_path, port, **options):
    url = f"http://127.0.0.1:{port}"
    lines = "".join(f"{name} = {value}\n" for name, value in options.items())
    path = tmp_path / "nova.conf"
    path.write_text(
        f"[keel]\npeer_timeout = 1\n[neutron]\nauth_type = admin_token\nendpoint = {url}\ntoken = t\n"
        f"endpoint_override = {url}\n{lines}"
    )
    return Clients(config.load("compute", [], [str(path)]), "compute")


@pytest.fixture
def hung():
    """A server that takes connections and never answers; what it was sent."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.1)
    taken, stop = [], threading.Event()

    def take():
        while not stop.is_set():
            try:
                taken.append(listening.accept()[0])
            except TimeoutError:
                continue

    thread = threading.Thread(target=take)
    thread.start()
    yield listening.getsockname()[1], taken
    stop.set()
    thread.join()
    for connection in (*taken, listening):
        connection.close()


@pytest.mark.parametrize("options", [{}, {"timeout": 1, "connect_retries": 3}])
def test_a_request_to_a_hung_service_ends_and_is_not_sent_again(tmp_path, hung, options):
    """Sent again it could make a second port that nobody knows of."""
    port, taken = hung
    begun = time.monotonic()
    with pytest.raises(errors.Unreachable):
        clients(tmp_path, port, **options).neutron.create_port({})
    assert 0.9 < time.monotonic() - begun < 5
    assert len(taken) == 1


def test_a_service_that_is_just_starting_is_asked_again(tmp_path):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"ports": []}')

        def log_message(self, *_):
            """Quiet."""

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    started = []

    def start():
        started.append(ThreadingHTTPServer(("127.0.0.1", port), Handler))
        started[0].serve_forever()

    timer = threading.Timer(0.2, start)
    timer.start()
    try:
        assert clients(tmp_path, port, connect_retries=4).neutron.list_ports() == []
    finally:
        timer.join(0.5)
        started[0].shutdown()
        started[0].server_close()

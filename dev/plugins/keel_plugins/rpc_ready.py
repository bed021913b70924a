"""Wait until RPC servers answer a ping; run inside a service's venv.

Usage: python -m keel_plugins.rpc_ready TRANSPORT_URL TIMEOUT
           NAME=TOPIC/SERVER/EXCHANGE ...

Prints "NAME UNIX_TIME" when a server has answered; exits with 1 when one
has not answered in time.
"""

import sys
import threading
import time

import oslo_messaging
from oslo_config import cfg


def wait(transport, name, target, deadline):
    """Ping one server until it answers; return whether it did."""
    topic, server, exchange = target.split("/")
    client = oslo_messaging.get_rpc_client(
        transport, oslo_messaging.Target(exchange=exchange, topic=topic, server=server), timeout=1
    )
    while time.time() < deadline:
        asked = time.time()
        try:
            client.call({}, "oslo_rpc_server_ping")
        except oslo_messaging.MessagingException:
            # A ping left in the queue is answered later: nobody listens.
            time.sleep(max(0, asked + 0.2 - time.time()))
            continue
        print(name, time.time(), flush=True)
        return True
    return False


def main():
    transport_url, timeout, *servers = sys.argv[1:]
    cfg.CONF([])
    transport = oslo_messaging.get_rpc_transport(cfg.CONF, url=transport_url)
    deadline = time.time() + float(timeout)
    answers = []

    def ask(server):
        answers.append(wait(transport, *server.split("=", 1), deadline))

    threads = [threading.Thread(target=ask, args=(server,)) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(0 if all(answers) else 1)


if __name__ == "__main__":
    main()

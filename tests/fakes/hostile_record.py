"""Record how the services on a broker answer every hostile message.

    PYTHONPATH=tests python -m fakes.hostile_record AMQP-URL FILE conductor=nova-conductor compute=host ...

Each target is a name of ``fakes.hostile.BASES`` with the server to speak to. FILE is written anew for these targets and
kept for others.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from fakes import hostile
from fakes.rawbus import RawPeer, outcome

SILENT_SECONDS = 1.5


def record(peer: RawPeer, basis: hostile.Basis, server: str) -> Iterator[tuple[str, str]]:
    """Row name and outcome, with "!" in front where the service did not answer the next good call."""
    for row in hostile.MESSAGES:
        whole, ident = peer.addressed(hostile.message(basis, row))
        yield row.name, attack(peer, basis, server, hostile.wrap(whole), ident, seconds=row.seconds)
    for envelope in hostile.ENVELOPES:
        whole, ident = peer.addressed(basis.message())
        kind = (envelope.content_type, envelope.content_encoding)
        yield envelope.name, attack(peer, basis, server, envelope.make(whole), ident, *kind)


def attack(
    peer: RawPeer,
    basis: hostile.Basis,
    server: str,
    body: bytes,
    ident: str,
    content_type: str = "application/json",
    content_encoding: str = "utf-8",
    seconds: float = 5.0,
) -> str:
    """Send one, see whether the service still answers, and tell what became of it."""
    began = time.monotonic()
    peer.publish(basis.exchange, f"{basis.topic}.{server}", body, content_type, content_encoding)
    alive = peer.call(basis, server, basis.message(), 30.0)
    waited = time.monotonic() - began
    reply = peer.wait(ident, max(SILENT_SECONDS if waited < seconds else 0.1, seconds - 5.0))
    return ("" if alive and not alive.get("failure") else "!") + outcome(reply)


def main() -> None:
    url, file, *targets = sys.argv[1:]
    path = Path(file)
    answers = json.loads(path.read_text()) if path.exists() else {}
    for target in targets:
        name, _, server = target.partition("=")
        peer = RawPeer(url)
        for row, answer in record(peer, hostile.BASES[name], server):
            answers.setdefault(name, {})[row] = answer
            print(f"{time.strftime('%H:%M:%S')} {name:<18} {row:<40} {answer}", flush=True)
            path.write_text(json.dumps(answers, indent=0, sort_keys=True) + "\n")
        peer.close()


if __name__ == "__main__":
    main()

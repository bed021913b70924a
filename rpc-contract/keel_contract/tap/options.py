"""The arguments of ``keel-contract tap``, and what they say about the broker."""

from __future__ import annotations

import argparse
import ssl
from urllib.parse import quote

import oslo_messaging
from oslo_config import cfg

from keel_contract.tap.mirror import Limits

_LIMITS = Limits()
_MEGABYTE = 1 << 20


class WrongUrl(ValueError):
    """There is no broker to watch at this URL."""


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    top = argparse.ArgumentParser(
        prog="keel-contract tap",
        description="Watch the messages of Nova and Cinder on a live RabbitMQ without disturbing it: who speaks which "
        "version of what to whom, what is not as the contract says, and when each pin can be raised.",
    )
    where = top.add_argument_group("where")
    source = where.add_mutually_exclusive_group(required=True)
    source.add_argument("--transport-url", metavar="URL", help="rabbit://user:password@host:5672/vhost")
    source.add_argument("--config-file", metavar="FILE", help="a nova.conf or cinder.conf with the transport_url")
    where.add_argument(
        "--exchange", action="append", metavar="NAME", help="topic exchange to watch; default: nova and openstack"
    )
    where.add_argument("--tls", action="store_true", help="speak TLS to the broker")
    where.add_argument("--ca-file", metavar="FILE", help="certificates to trust; implies --tls")
    where.add_argument(
        "--replies",
        action="store_true",
        help="also read replies from the firehose; an operator must have run `rabbitmqctl trace_on -p VHOST`",
    )
    until = top.add_argument_group("how long (else until Ctrl-C)")
    until.add_argument("--seconds", type=float, metavar="N")
    until.add_argument("--messages", type=int, metavar="N")
    show = top.add_argument_group("what to show and keep")
    show.add_argument("--json", action="store_true", help="a JSON object for each message, the summary as the last one")
    show.add_argument("--plain", action="store_true", help="lines, also on a terminal")
    show.add_argument("--quiet", action="store_true", help="only messages with violations, and the summary")
    show.add_argument("--strict", action="store_true", help="exit code 3 when there was a violation")
    show.add_argument("--record", metavar="FILE", help="keep every message, secrets masked; .gz compresses")
    bounds = top.add_argument_group("how much the tap may take")
    bounds.add_argument("--queue-length", type=int, default=_LIMITS.messages, metavar="N", help="default: %(default)s")
    bounds.add_argument(
        "--queue-megabytes", type=int, default=_LIMITS.size // _MEGABYTE, metavar="N", help="default: %(default)s"
    )
    bounds.add_argument("--prefetch", type=int, default=_LIMITS.prefetch, metavar="N", help="default: %(default)s")
    return top


def limits(options: argparse.Namespace) -> Limits:
    """How much the tap may take."""
    return Limits(options.queue_length, options.queue_megabytes * _MEGABYTE, options.prefetch)


def transport(options: argparse.Namespace) -> oslo_messaging.TransportURL:
    """The transport URL that was given or stands in the configuration file."""
    conf = cfg.ConfigOpts()
    conf([], project="keel", default_config_files=[options.config_file] if options.config_file else [])
    return oslo_messaging.TransportURL.parse(conf, options.transport_url)


def amqp_url(url: oslo_messaging.TransportURL) -> str:
    """The URL as kombu writes it, one for each host.

    :raises WrongUrl: it is no RabbitMQ
    """
    if url.transport not in ("rabbit", "kombu"):
        raise WrongUrl(f"{url.transport}:// has no broker to watch, only rabbit:// has")
    found = []
    for host in url.hosts:
        name = f"[{host.hostname}]" if ":" in (host.hostname or "") else host.hostname
        user = f"{_quoted(host.username)}:{_quoted(host.password)}@" if host.username else ""
        found.append(f"amqp://{user}{name}:{host.port or 5672}/{_quoted(url.virtual_host)}")
    return ";".join(found)


def hosts(url: oslo_messaging.TransportURL) -> str:
    """The brokers without user and password."""
    return ", ".join(f"{host.hostname}:{host.port or 5672}" for host in url.hosts)


def tls(options: argparse.Namespace) -> ssl.SSLContext | bool:
    """How to speak TLS, False for not."""
    return ssl.create_default_context(cafile=options.ca_file) if options.tls or options.ca_file else False


def _quoted(text: str | None) -> str:
    return quote(text or "", safe="")

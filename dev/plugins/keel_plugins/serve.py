"""Serve a WSGI application of a real service with gunicorn.

Usage: python -m keel_plugins.serve --module MODULE --bind HOST:PORT [--workers N] [--threads N] [-- ARGUMENT ...]

The arguments after ``--`` are what the application finds in ``sys.argv``: some of the services look there for their
configuration files.
"""

import argparse
import importlib
import sys

from gunicorn.app.base import BaseApplication


class Served(BaseApplication):
    """One application, imported in the worker: no threads or connections cross the fork."""

    def __init__(self, options, arguments):
        self.served = options
        self.arguments = arguments
        super().__init__()

    def load_config(self):
        """Threads, because these services expect native ones; keep-alive, because their callers use pools."""
        settings = {
            "bind": self.served.bind,
            "workers": self.served.workers,
            "threads": self.served.threads,
            "worker_class": "gthread",
            "keepalive": 75,
            "timeout": 300,
            "graceful_timeout": 10,
            "accesslog": self.served.access_log,
            "proc_name": self.served.module,
            "control_socket_disable": True,
            # Neutron's client cuts its lists of ids at 8,192 bytes of URL, twice what gunicorn takes unless told.
            "limit_request_line": 0,
        }
        for name, value in settings.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self):
        """The application, with the command line that it expects."""
        sys.argv = [self.served.module, *self.arguments]
        return importlib.import_module(self.served.module).application


def main():
    """Parse the arguments and serve until a signal."""
    ours = sys.argv[1:]
    arguments = []
    if "--" in ours:
        ours, arguments = ours[: ours.index("--")], ours[ours.index("--") + 1 :]
    parser = argparse.ArgumentParser(prog="keel_plugins.serve")
    parser.add_argument("--module", required=True)
    parser.add_argument("--bind", required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--access-log", help="a file")
    Served(parser.parse_args(ours), arguments).run()


if __name__ == "__main__":
    main()

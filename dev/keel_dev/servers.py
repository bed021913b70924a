"""MariaDB and RabbitMQ: install and start them when missing, and keep a cloud's own share of them.

Other users of the servers are left alone: a cloud has its own databases, database user, virtual host and bus user.
"""

import os
import shutil
import socket
import subprocess
import time

from keel_dev.console import CloudError, step
from keel_dev.settings import COMPANION_DATABASES, HOST, PASSWORD, SUITE_DATABASES, Settings

#: What the pools of all services together may need.
MAX_CONNECTIONS = 1000
START_SECONDS = 60.0
PACKAGES = (("mariadbd", "mariadb-server"), ("rabbitmq-server", "rabbitmq-server"))


def run(*argv: str, text: str | None = None) -> str:
    """Run a command and return its output; CloudError with its words when it fails."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(argv, input=text, text=True, capture_output=True, env=environment)
    if done.returncode:
        raise CloudError(f"{' '.join(argv)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def ensure_servers() -> None:
    """Install what is missing with apt-get and start what does not listen."""
    missing = [package for program, package in PACKAGES if not shutil.which(program)]
    if missing:
        if os.geteuid() != 0:
            raise CloudError(f"please install {' and '.join(missing)}; only root may do that")
        with step(f"install {' and '.join(missing)}"):
            run("apt-get", "update")
            run("apt-get", "-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends", *missing)
    if not is_listening(3306):
        with step("start MariaDB"):
            run("service", "mariadb", "start")
            _wait_for_port(3306)
    if not is_listening(5672):
        with step("start RabbitMQ"):
            run("rabbitmq-server", "-detached")
            _wait_for_port(5672)


def create_share(settings: Settings) -> None:
    """Create the databases, the virtual host and their users where missing."""
    lines = [f"SET GLOBAL max_connections = GREATEST(@@GLOBAL.max_connections, {MAX_CONNECTIONS});"]
    accounts = [f"'{settings.prefix}'@'{client}'" for client in ("localhost", HOST)]
    lines += [f"CREATE USER IF NOT EXISTS {account} IDENTIFIED BY '{PASSWORD}';" for account in accounts]
    for name in (*COMPANION_DATABASES, *SUITE_DATABASES):
        database = f"`{settings.prefix}_{name}`"
        lines.append(f"CREATE DATABASE IF NOT EXISTS {database} CHARACTER SET utf8mb3;")
        lines += [f"GRANT ALL ON {database}.* TO {account};" for account in accounts]
    sql("\n".join(lines))
    if settings.prefix not in _bus_names("list_vhosts"):
        run("rabbitmqctl", "add_vhost", settings.prefix)
    if settings.prefix not in _bus_names("list_users"):
        run("rabbitmqctl", "add_user", settings.prefix, PASSWORD)
    run("rabbitmqctl", "set_permissions", "-p", settings.prefix, settings.prefix, ".*", ".*", ".*")


def recreate_database(settings: Settings, name: str) -> None:
    """An empty database in the place of one whose creation was interrupted."""
    database = f"`{settings.prefix}_{name}`"
    sql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database} CHARACTER SET utf8mb3;")


def drop_share(settings: Settings) -> None:
    """Drop everything that create_share made; nothing when the servers do not run."""
    if is_listening(3306):
        lines = [
            f"DROP DATABASE IF EXISTS `{settings.prefix}_{name}`;" for name in (*COMPANION_DATABASES, *SUITE_DATABASES)
        ]
        lines += [f"DROP USER IF EXISTS '{settings.prefix}'@'{client}';" for client in ("localhost", HOST)]
        sql("\n".join(lines))
    if is_listening(5672):
        if settings.prefix in _bus_names("list_vhosts"):
            run("rabbitmqctl", "delete_vhost", settings.prefix)
        if settings.prefix in _bus_names("list_users"):
            run("rabbitmqctl", "delete_user", settings.prefix)


def sql(statements: str) -> str:
    """Run SQL as root over the server's Unix socket; return the rows."""
    return run("mariadb", "--user=root", "--batch", "--skip-column-names", text=statements)


def _bus_names(listing: str) -> list[str]:
    output = run("rabbitmqctl", "--quiet", "--no-table-headers", listing)
    return [line.split("\t")[0] for line in output.splitlines()]


def is_listening(port: int) -> bool:
    """Whether something accepts connections on a port of this machine."""
    try:
        socket.create_connection((HOST, port), timeout=2).close()
    except OSError:
        return False
    return True


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_listening(port):
        if time.monotonic() > deadline:
            raise CloudError(f"nothing listens on port {port} after {START_SECONDS:.0f} s")
        time.sleep(0.3)

"""The command line of `keel-cloud`: a whole cloud on one machine."""

import argparse
import fcntl
import os
import sys
from collections.abc import Callable

from openstack.exceptions import SDKException

from keel_dev import job, schemas
from keel_dev.cloud import Cloud, Mixture
from keel_dev.console import CloudError, say, table
from keel_dev.processes import resident_mib
from keel_dev.readiness import answers
from keel_dev.services import expand
from keel_dev.settings import PROFILES, Settings


def command_up(arguments: argparse.Namespace) -> int:
    """start what does not run, seed what is missing, do the main job"""
    settings = Settings.from_environment(arguments.profile or "embedded")
    mixture = Mixture(_names(arguments.real), _names(arguments.beside), _names(arguments.without))
    cloud = Cloud(settings, mixture)
    cloud.up()
    if arguments.job and job.is_possible(cloud.services):
        job.run(settings)
        job.print_how_to_go_on(settings)
    return 0


def command_down(arguments: argparse.Namespace) -> int:
    """end what was started, of either profile; the data stays"""
    for profile in PROFILES:
        ended = Cloud(Settings.from_environment(profile)).down()
        if ended:
            say(f"ended {', '.join(ended)}")
    return 0


def command_reset(arguments: argparse.Namespace) -> int:
    """end everything and forget the data of both profiles"""
    for profile in [arguments.profile] if arguments.profile else PROFILES:
        cloud = Cloud(Settings.from_environment(profile))
        if cloud.was_up:
            cloud.reset()
            say(f"forgot the profile {profile}")
    return 0


def command_status(arguments: argparse.Namespace) -> int:
    """show each process, whether it is ready, and its memory; exit code 1 when one is not"""
    cloud = Cloud(Settings.from_environment())
    rows, code = [], 0
    for name, service in cloud.services.items():
        pid = cloud.book.pid(name)
        ready = bool(pid) and answers(service)
        code = code if ready else 1
        memory = f"{resident_mib(pid):.0f}" if pid else ""
        state = "ready" if ready else "not ready" if pid else "down"
        rows.append([name, service.kind, state, str(pid or ""), memory, service.ready_url])
    columns = ["process", "kind", "state", "pid", "MiB", "asked at"]
    table(f"profile {cloud.settings.profile}, files in {cloud.settings.root}", columns, rows)
    return code


def command_logs(arguments: argparse.Namespace) -> int:
    """print the end of logs"""
    cloud = Cloud(Settings.from_environment())
    for name in expand(cloud.services, arguments.service) if arguments.service else cloud.services:
        path = cloud.book.log_path(name)
        if arguments.path:
            say(str(path))
        elif path.exists():
            say(f"==> {path}")
            lines = path.read_text(errors="replace").splitlines()
            say("\n".join(lines[-arguments.lines :]))
    return 0


def command_start(arguments: argparse.Namespace) -> int:
    """start single processes"""
    cloud = Cloud(Settings.from_environment())
    cloud.start(expand(cloud.services, arguments.service))
    return 0


def command_stop(arguments: argparse.Namespace) -> int:
    """stop single processes"""
    cloud = Cloud(Settings.from_environment())
    killed = cloud.book.stop(expand(cloud.services, arguments.service))
    for name in killed:
        say(f"{name} did not end when asked and was killed")
    return 1 if killed else 0


def command_restart(arguments: argparse.Namespace) -> int:
    """stop and start single processes"""
    return command_stop(arguments) or command_start(arguments)


def command_kill(arguments: argparse.Namespace) -> int:
    """end single processes with kill -9"""
    cloud = Cloud(Settings.from_environment())
    for name in expand(cloud.services, arguments.service):
        say(f"{name} {'killed' if cloud.book.kill(name) else 'did not run'}")
    return 0


def command_job(arguments: argparse.Namespace) -> int:
    """do the main job again"""
    job.run(Settings.from_environment())
    return 0


def command_discover(arguments: argparse.Namespace) -> int:
    """map new compute hosts to their cell"""
    cloud = Cloud(Settings.from_environment())
    schemas.discover_hosts(cloud.settings, cloud.conf_owner("nova.conf"))
    return 0


def command_env(arguments: argparse.Namespace) -> int:
    """print what a shell needs to use the cloud"""
    settings = Settings.from_environment()
    say(f"export OS_CLIENT_CONFIG_FILE={settings.clouds_yaml} OS_CLOUD=openkeel KUBECONFIG={settings.kubeconfig}")
    say(f"export PATH={settings.environment_folder('project') / 'bin'}:$PATH")
    return 0


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in (text or "").replace(",", " ").split() if name)


def parser() -> argparse.ArgumentParser:
    """The arguments of every command; the help of a command is its docstring."""
    top = argparse.ArgumentParser(prog="keel-cloud", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=function.__doc__)
        sub.set_defaults(function=function)
        return sub

    up = command("up", command_up)
    up.add_argument(
        "--profile", choices=PROFILES, help="embedded (default): SQLite, two processes; services: all apart"
    )
    up.add_argument("--real", help="real services in the place of ours: nova-conductor, nova-compute-33")
    up.add_argument("--beside", help="real services that run as well: nova-compute, nova-compute-33")
    up.add_argument("--without", help="processes to leave out")
    up.add_argument("--no-job", dest="job", action="store_false", help="do not do the main job at the end")
    command("down", command_down)
    command("reset", command_reset).add_argument("--profile", choices=PROFILES, help="only this one")
    command("status", command_status)
    logs = command("logs", command_logs)
    logs.add_argument("service", nargs="*")
    logs.add_argument("-n", "--lines", type=int, default=20)
    logs.add_argument("--path", action="store_true", help="print the paths only")
    for name, function in (
        ("start", command_start),
        ("stop", command_stop),
        ("restart", command_restart),
        ("kill", command_kill),
    ):
        command(name, function).add_argument("service", nargs="+")
    command("job", command_job)
    command("discover-hosts", command_discover)
    command("env", command_env)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command; 1 when it failed. One command at a time works on a cloud."""
    arguments = parser().parse_args(argv)
    home = Settings.from_environment().home
    home.mkdir(parents=True, exist_ok=True)
    with open(home / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return arguments.function(arguments)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 1
        except (CloudError, SDKException, OSError) as error:
            sys.stdout.flush()
            print(f"FAILED: {error}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())

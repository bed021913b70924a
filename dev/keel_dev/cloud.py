"""Bring a cloud up and down, and single processes of it."""

import json
import shutil
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from keel_dev import environments, readiness, schemas, servers
from keel_dev.confs.clients import clouds_yaml
from keel_dev.console import CloudError, say, step
from keel_dev.ini import render
from keel_dev.processes import ProcessBook
from keel_dev.seeds import flavors, identity, images, networks, volume_types
from keel_dev.service import Service
from keel_dev.services import expand, plan
from keel_dev.settings import PROFILES, Settings

#: How long a port of ours may be held by what was there before.
PORT_SECONDS = 5.0


@dataclass(frozen=True)
class Mixture:
    """Which processes a cloud has: OpenKeel's own, less and more."""

    real: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


class Cloud:
    """One cloud in one profile: its settings, its processes and their records."""

    def __init__(self, settings: Settings, mixture: Mixture | None = None) -> None:
        self.settings = settings
        self.book = ProcessBook(settings.run, settings.logs)
        self.mixture = mixture or _remembered(settings)
        self.services = plan(settings, self.mixture.real, self.mixture.beside)
        for name in expand(self.services, self.mixture.without):
            del self.services[name]

    @property
    def was_up(self) -> bool:
        """Whether `up` ever began in this profile: only then is there something to forget."""
        return _mixture_file(self.settings).exists()

    # The whole cloud

    def up(self) -> None:
        """Prepare everything, start every process, seed what is missing."""
        self._end_other_profile()
        self._end_strangers()
        self._remember()
        self._install()
        if self.settings.uses_servers:
            servers.ensure_servers()
            with step("prepare MariaDB and RabbitMQ"):
                servers.create_share(self.settings)
        self.configure(self.services.values())
        schemas.companions(self.settings)
        self.start(self._of_kind("companion", "cluster"))
        self._seed_companions()
        ours = self._of_kind("keel", "real")
        if ours:
            self._start_suites(ours)

    def _start_suites(self, ours: list[str]) -> None:
        compute, volume = self.conf_owner("nova.conf"), self.conf_owner("cinder.conf")
        if compute and volume:
            schemas.suites(self.settings, compute, volume)
        self.start(ours)
        if compute:
            with step("discover the compute hosts"):
                schemas.discover_hosts(self.settings, compute)
            with step("seed the flavors"):
                flavors.seed(self.settings)
        if volume:
            with step("seed the volume type"):
                volume_types.seed(self.settings, with_files=any(map(_is_file_backend, self.mixture.beside)))

    def change(self, mixture: Mixture) -> "Cloud":
        """The same cloud, which must be up, with other processes: those of both mixtures go on running.

        What needs no port of a process that goes is started first: every topic of the bus has a server all the time.
        """
        changed = Cloud(self.settings, mixture)
        changed._remember()
        changed._install()
        leaving = [self.services[name] for name in self.services if name not in changed.services]
        held = {port for service in leaving for port in service.ports}
        wanted = changed._of_kind("keel", "real")
        changed.start(name for name in wanted if not held.intersection(changed.services[name].ports))
        changed._end_strangers()
        changed._start_suites(wanted)
        return changed

    def down(self) -> list[str]:
        """Stop every recorded process, the last started first; return the names."""
        order = list(plan(self.settings, self.mixture.real, self.mixture.beside))
        names = sorted(self.book.names(), key=lambda name: order.index(name) if name in order else 0, reverse=True)
        running = [name for name in names if self.book.pid(name)]
        kinds = {service.name: service.kind for service in self.services.values()}
        first = [name for name in names if kinds.get(name) not in ("companion", "cluster")]
        # OpenKeel and the real services first: they hand over or finish what they hold while the others still answer.
        for group in (first, [name for name in names if name not in first]):
            for name in self.book.stop(group):
                say(f"  {name} did not end when asked and was killed")
        return running

    def reset(self) -> None:
        """Stop everything and forget all data of this profile; the environments stay."""
        self.down()
        if self.settings.uses_servers:
            servers.drop_share(self.settings)
        shutil.rmtree(self.settings.root, ignore_errors=True)

    def configure(self, services: Iterable[Service]) -> None:
        """Write the configuration files of processes, and clouds.yaml."""
        for service in services:
            if service.conf is None:
                continue
            folder = self.settings.etc / service.name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / service.conf_name).write_text(render(service.conf()))
            for source in service.copied:
                shutil.copy(self.settings.environment_folder(service.environment) / source, folder)
        self.settings.clouds_yaml.write_text(clouds_yaml(self.settings))

    # Single processes

    def start(self, names: Iterable[str]) -> None:
        """Start processes that do not run yet, all at once, and wait until each is ready."""
        starting = [self.services[name] for name in names if not self.book.pid(name)]
        if not starting:
            return
        self.configure(starting)
        with step(f"start {', '.join(service.name for service in starting)}"):
            for service in starting:
                self._check_ports(service)
                self.book.start(service.name, service.argv, service.variables(self.settings))
            readiness.wait(self.settings, self.book, starting)

    def _check_ports(self, service: Service) -> None:
        """Refuse to start beside a foreign server; a process that was killed a moment ago may let go of its port."""
        deadline = time.monotonic() + PORT_SECONDS
        for port in service.ports:
            while servers.is_listening(port):
                if time.monotonic() > deadline:
                    raise CloudError(f"port {port} of {service.name} is taken by another program: set KEEL_PORT_OFFSET")
                time.sleep(0.1)

    # Parts of up

    def _seed_companions(self) -> None:
        if "keystone" in self.services:
            with step("seed users, projects and the catalog"):
                identity.seed(self.settings)
        if "glance" in self.services:
            with step("seed the image"):
                images.seed(self.settings)
        if "neutron" in self.services:
            with step("seed the networks"):
                networks.seed(self.settings)

    def _install(self) -> None:
        for name in sorted({service.environment for service in self.services.values()} - {"project"}):
            environments.install(self.settings, name)

    def _of_kind(self, *kinds: str) -> list[str]:
        return [service.name for service in self.services.values() if service.kind in kinds]

    def conf_owner(self, conf_name: str) -> str:
        """A process whose configuration file of that name has the database URLs."""
        for service in self.services.values():
            if service.conf_name == conf_name and "database" in (service.conf() if service.conf else {}):
                return service.name
        return ""

    def _end_other_profile(self) -> None:
        """Both profiles use the same ports: end the one that runs."""
        for profile in PROFILES:
            if profile != self.settings.profile:
                other = replace(self.settings, profile=profile)
                ended = Cloud(other).down()
                if ended:
                    say(f"  ended the profile {profile}: {', '.join(ended)}")

    def _end_strangers(self) -> None:
        """End processes of an earlier mixture that this one does not have."""
        strangers = [name for name in self.book.names() if name not in self.services]
        self.book.stop(strangers)

    def _remember(self) -> None:
        self.settings.root.mkdir(parents=True, exist_ok=True)
        (self.settings.home / "profile").write_text(self.settings.profile)
        _mixture_file(self.settings).write_text(json.dumps(asdict(self.mixture)))


def _is_file_backend(name: str) -> bool:
    return name.startswith("cinder-volume")


def _mixture_file(settings: Settings) -> Path:
    return settings.root / "mixture.json"


def _remembered(settings: Settings) -> Mixture:
    """The mixture of the last `up` of a profile."""
    try:
        known = json.loads(_mixture_file(settings).read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return Mixture()
    return Mixture(**{name: tuple(values) for name, values in known.items()})

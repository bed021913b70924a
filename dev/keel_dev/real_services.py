"""The real services of Nova and Cinder as processes of a cloud, of the current release or of an older one.

A service is named by its program, such as `nova-compute`; with a number behind it, such as `nova-compute-33`, it is the
one of that release of its suite. A letter behind that, such as `nova-compute-b` or `nova-compute-33-b`, is one more of
the same: another host. The current release is in the environment `reference`; each older one has an environment of its
own, made from requirements/releases/.
"""

import re
from dataclasses import dataclass

from keel_dev.confs import compute, volume
from keel_dev.console import CloudError
from keel_dev.service import Rpc, Service
from keel_dev.settings import HOST, REQUIREMENTS, Settings

#: Real service -> the processes of OpenKeel in whose place it stands.
COUNTERPARTS = {
    "nova-api": "keel-compute-api",
    "nova-conductor": "keel-conductor",
    "nova-scheduler": "keel-compute-scheduler",
    "nova-compute": "keel-compute-kubevirt",
    "cinder-api": "keel-volume-api",
    "cinder-scheduler": "keel-volume-scheduler",
    "cinder-volume": "keel-volume-csi",
}
#: WSGI applications of those that are web applications.
MODULES = {"nova-api": "nova.wsgi.osapi_compute", "cinder-api": "cinder.wsgi.api"}


@dataclass(frozen=True)
class Program:
    """A program of a real suite in a release; an empty release is the current one, a letter tells several apart."""

    binary: str
    release: str = ""
    letter: str = ""

    @property
    def suite(self) -> str:
        """nova or cinder."""
        return self.binary.partition("-")[0]

    @property
    def name(self) -> str:
        """The name of its process."""
        return "-".join(filter(None, (self.binary, self.release, self.letter)))

    @property
    def environment(self) -> str:
        """The virtual environment that it is installed in."""
        return f"releases/{self.suite}-{self.release}" if self.release else "reference"

    @property
    def counterpart(self) -> str:
        """The beginning of the names of OpenKeel's processes that do the same."""
        return COUNTERPARTS[self.binary]


def program(name: str) -> Program:
    """The program of a name; CloudError says which there are."""
    parts = re.fullmatch(r"(.*?)(?:-(\d+))?(?:-([a-z]))?", name)
    binary, release, letter = parts.groups(default="")  # type: ignore[union-attr]
    if binary not in COUNTERPARTS:
        raise CloudError(f"no real service {name}; there are {', '.join(COUNTERPARTS)}")
    found = Program(binary, release, letter)
    if release and not (REQUIREMENTS / f"{found.environment}.txt").exists():
        raise CloudError(f"no release {release} of {found.suite}: requirements/{found.environment}.txt is missing")
    return found


def process(settings: Settings, name: str, beside: bool = False) -> Service:
    """A real service as a process; `beside` ours, a cinder-volume has a backend of another name than ours."""
    what = program(name)
    is_nova = what.suite == "nova"
    conf_name = f"{what.suite}.conf"
    folder = settings.etc / name
    is_web = what.binary in MODULES
    port = settings.port("compute-api" if is_nova else "volume-api")
    return Service(
        name,
        "real",
        _command(settings, what, ["--config-file", str(folder / conf_name)], port),
        what.environment,
        conf_name,
        lambda: compute.real(settings, name) if is_nova else volume.real(settings, name, what.environment, beside),
        ready_url=f"http://{HOST}:{port}/" if is_web else "",
        rpc=None if is_web else _rpc(settings, what),
        ports=(port,) if is_web else (),
        copied=("etc/nova/api-paste.ini",) if what.binary == "nova-api" else (),
        extra={"OS_NOVA_CONFIG_DIR": str(folder)} if is_nova else {},
    )


def _command(settings: Settings, what: Program, arguments: list[str], port: int) -> tuple[str, ...]:
    python = [settings.program("python", what.environment), "-m"]
    if what.binary in MODULES:
        serve = ["keel_plugins.serve", "--module", MODULES[what.binary], "--bind", f"{HOST}:{port}", "--threads", "4"]
        return (*python, *serve, "--", *arguments)
    if what.binary == "nova-compute":
        return (*python, "keel_plugins.compute_service", *arguments)
    return (settings.program(what.binary, what.environment), *arguments)


def _rpc(settings: Settings, what: Program) -> Rpc:
    if what.suite == "nova":
        return Rpc(what.binary.removeprefix("nova-"), what.name, "nova")
    return Rpc(what.binary, settings.prefix + ("@files" if what.binary == "cinder-volume" else ""), "openstack")

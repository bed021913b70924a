"""Every process that a cloud may have, and how each is started and known to be ready."""

from collections.abc import Callable, Iterable

from keel_dev import real_services
from keel_dev.confs import companions, compute, volume
from keel_dev.console import CloudError
from keel_dev.ini import Sections
from keel_dev.service import Service
from keel_dev.settings import FIRST_HEALTH_PORT, HOST, NAMESPACE, Settings


def plan(settings: Settings, real: Iterable[str] = (), beside: Iterable[str] = ()) -> dict[str, Service]:
    """All processes of a cloud by name, in the order in which they are started.

    `real` names services of Nova and Cinder that stand in the place of OpenKeel's; `beside` names those that run as
    well. Raises CloudError for a name that is not known, or for real ones without a message bus.
    """
    real, beside = list(real), list(beside)
    replaced = tuple(real_services.program(name).counterpart for name in real)
    others = [real_services.process(settings, name, beside=name in beside) for name in [*real, *beside]]
    if (real or beside) and not settings.uses_servers:
        raise CloudError("real services need the message bus: use --profile services")
    ours = _separate(settings) if settings.uses_servers else _embedded(settings)
    kept = [service for service in ours if not (replaced and service.name.startswith(replaced))]
    found = [*_companions(settings), _cluster(settings), *kept, *others]
    return {service.name: service for service in found}


def expand(services: dict[str, Service], names: Iterable[str]) -> list[str]:
    """Names of services for names or beginnings of names, such as `keel-conductor` for both of them."""
    found = []
    for name in names:
        matches = [known for known in services if known == name or known.startswith(f"{name}-")]
        if not matches:
            raise CloudError(f"no service {name}; there are {', '.join(services)}")
        found += [match for match in matches if match not in found]
    return found


def _companions(settings: Settings) -> list[Service]:
    def web(name: str, conf_name: str, conf: Callable[[Settings], Sections], variable: str = "") -> Service:
        folder = settings.etc / name
        port = settings.port(name)
        # One thread on SQLite: requests take turns, so no transaction finds the file locked.
        threads = "4" if settings.uses_servers else "1"
        argv = [settings.program("python"), "-m", "keel_plugins.serve", "--module", MODULES[name]]
        argv += ["--bind", f"{HOST}:{port}", "--threads", threads]
        if not variable:
            argv += ["--", "--config-file", str(folder / conf_name)]
        return Service(
            name,
            "companion",
            tuple(argv),
            "companions",
            conf_name,
            lambda: conf(settings),
            ready_url=settings.url(name, "/"),
            ports=(port,),
            extra={variable: str(folder)} if variable else {},
        )

    return [
        web("keystone", "keystone.conf", companions.keystone, "OS_KEYSTONE_CONFIG_DIR"),
        web("placement", "placement.conf", companions.placement, "OS_PLACEMENT_CONFIG_DIR"),
        web("glance", "glance-api.conf", companions.glance, "OS_GLANCE_CONFIG_DIR"),
        web("neutron", "neutron.conf", companions.neutron),
    ]


#: WSGI applications of the companions.
MODULES = {
    "keystone": "keystone.wsgi.api",
    "placement": "placement.wsgi.api",
    "glance": "glance.wsgi.api",
    "neutron": "neutron.wsgi.api",
}


def _cluster(settings: Settings) -> Service:
    port = settings.port("kubesim")
    argv = ["--host", HOST, "--port", str(port), "--nodes", "4"]
    argv += ["--state-dir", str(settings.state / "kubesim"), "--kubeconfig", str(settings.kubeconfig)]
    argv += ["--namespace", NAMESPACE]
    return Service(
        "kubesim",
        "cluster",
        (settings.program("keel-kubesim", "project"), *argv),
        "project",
        ready_url=f"https://{HOST}:{port}/readyz",
        ports=(port,),
    )


def _embedded(settings: Settings) -> list[Service]:
    """OpenKeel as two processes, each with all services of a suite and a bus inside."""
    return [
        _keel(settings, 0, "keel-compute", ("python", "-m", "keel_dev.embedded", "compute"), "compute-api"),
        _keel(settings, 1, "keel-volume", ("python", "-m", "keel_dev.embedded", "volume"), "volume-api"),
    ]


def _separate(settings: Settings) -> list[Service]:
    """OpenKeel as it runs in a cluster: one process for each service, some of them twice."""
    rows = (
        ("keel-conductor-1", "keel-conductor", ""),
        ("keel-conductor-2", "keel-conductor", ""),
        ("keel-compute-scheduler-1", "keel-compute-scheduler", ""),
        ("keel-compute-scheduler-2", "keel-compute-scheduler", ""),
        ("keel-compute-api", "keel-compute-api", "compute-api"),
        ("keel-compute-kubevirt-1", "keel-compute-kubevirt", ""),
        ("keel-compute-kubevirt-2", "keel-compute-kubevirt", ""),
        ("keel-volume-scheduler", "keel-volume-scheduler", ""),
        ("keel-volume-csi", "keel-volume-csi", ""),
        ("keel-volume-backup", "keel-volume-backup", ""),
        ("keel-volume-api", "keel-volume-api", "volume-api"),
    )
    return [_keel(settings, number, name, (script,), api) for number, (name, script, api) in enumerate(rows)]


def _keel(settings: Settings, number: int, name: str, command: tuple[str, ...], api: str) -> Service:
    is_volume = name.startswith("keel-volume")
    conf_name = "cinder.conf" if is_volume else "nova.conf"
    health = FIRST_HEALTH_PORT + number + settings.port_offset
    program = [settings.program(command[0], "project"), *command[1:]]
    program += ["--config-file", str(settings.etc / name / conf_name)]
    write = volume.keel if is_volume else compute.keel
    return Service(
        name,
        "keel",
        tuple(program),
        "project",
        conf_name,
        lambda: write(settings, name, health),
        ready_url=f"http://{HOST}:{health}/readyz",
        strict=True,
        ports=(health, settings.port(api)) if api else (health,),
    )

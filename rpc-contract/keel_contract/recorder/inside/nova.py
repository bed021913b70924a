"""Nova: where an installed release keeps its clients, its endpoints, its objects and its versions."""

import importlib
import pkgutil

import oslo_messaging
from nova import config, context, objects, rpc
from nova.compute import rpcapi as compute
from nova.conductor import rpcapi as conductor
from nova.conf import CONF
from nova.notifications import objects as payloads
from nova.objects import base, service
from nova.scheduler import rpcapi as scheduler

from . import objects as versioned
from . import servers
from .nova_samples import samples
from .places import find, minors
from .sends import Client, Samples
from .wire import transport

# interface -> client class, endpoint class
INTERFACES = {
    "base": ("nova.baserpc:BaseAPI", "nova.baserpc:BaseRPCAPI"),
    "compute": ("nova.compute.rpcapi:ComputeAPI", "nova.compute.manager:ComputeManager"),
    "compute_task": ("nova.conductor.rpcapi:ComputeTaskAPI", "nova.conductor.manager:ComputeTaskManager"),
    "conductor": ("nova.conductor.rpcapi:ConductorAPI", "nova.conductor.manager:ConductorManager"),
    "scheduler": ("nova.scheduler.rpcapi:SchedulerAPI", "nova.scheduler.manager:SchedulerManager"),
}
OLDER = {"compute": "nova.compute.manager:_ComputeV5Proxy"}  # answers the major before
ANY_TOPIC = "<topic>"
FRAMEWORK = ("nova.manager:Manager", "oslo_service.periodic_task:PeriodicTasks")


def record():
    """All parts of the recording."""

    config.parse_args(["record"], default_config_files=[], configure_db=False, init_rpc=False)
    objects.register_all()
    rpc.TRANSPORT = transport(CONF)
    rpc.NOTIFIER = object()  # only asked whether it is there
    return {"methods": methods(), **registered(), "versions": versions()}


def methods():
    """Interfaces with what they answer and what their clients send."""

    serializer = base.NovaObjectSerializer()
    asker = context.RequestContext("user", "project", is_admin=True)
    values = Samples(samples(), lambda value: serializer.serialize_entity(asker, value))
    framework = [find(path) for path in FRAMEWORK]
    found, topics = {}, set()
    for name, (client, endpoint) in INTERFACES.items():
        cls, older = find(endpoint), find(OLDER[name]) if name in OLDER else None
        caps = [None, *minors(cls.target.version), *(minors(older.target.version) if older else ())]
        sends = Client(find(client), lambda cap, path=client: api(path, cap), caps, asker, values).record()
        messages = [branch for sent in sends.values() for branch in sent["branches"] if "method" in branch]
        own = {message["topic"] for message in messages} - {ANY_TOPIC}
        names = {message["method"] for message in messages}
        found[name] = {"sends": sends, "answers": servers.endpoint(cls, own, framework, names)}
        if older:
            found[name]["older"] = servers.endpoint(older, own)
        topics |= own
    found["base"]["answers"]["topics"] = sorted(topics)  # every service answers it
    return {"interfaces": found, "samples": values.used()}


def api(path, cap):
    """A client whose peers are pinned to ``cap``, and the list its messages go to."""
    cls = find(path)
    real = oslo_messaging.get_rpc_client

    def pinned(*args, **kwargs):
        return real(*args, **{**kwargs, "version_cap": cap})

    module = importlib.import_module(cls.__module__)
    if hasattr(module, "reset_globals"):
        module.reset_globals()  # a process keeps one pin
    oslo_messaging.get_rpc_client = pinned
    try:
        made = cls(topic=ANY_TOPIC) if path == INTERFACES["base"][0] else cls()
        if hasattr(cls, "router"):
            made.router  # noqa: B018  the client is made when first asked for
    finally:
        oslo_messaging.get_rpc_client = real
    return made, rpc.TRANSPORT._driver.sent


def registered():
    """The objects of the wire and those of notifications."""

    registry = base.NovaObjectRegistry
    own = {name: found[0] for name, found in registry.obj_classes().items() if found}
    recorded = {"objects": versioned.record(own)}

    for module in pkgutil.iter_modules(payloads.__path__):
        importlib.import_module(f"{payloads.__name__}.{module.name}")
    registry.register_notification_objects()
    notices = {name: found[0] for name, found in registry.obj_classes().items() if found and name not in own}
    recorded["notifications"] = versioned.record(notices)
    return recorded


def versions():
    """Service versions and the names of releases."""

    return {
        "service": service.SERVICE_VERSION,
        "oldest": service.OLDEST_SUPPORTED_SERVICE_VERSION,
        "releases": dict(sorted(service.SERVICE_VERSION_ALIASES.items())),
        "compute_rpc": [row.get("compute_rpc") for row in service.SERVICE_VERSION_HISTORY],
        "aliases": {
            "compute": dict(sorted(compute.ComputeAPI.VERSION_ALIASES.items())),
            "conductor": dict(sorted(conductor.ConductorAPI.VERSION_ALIASES.items())),
            "scheduler": dict(sorted(scheduler.SchedulerAPI.VERSION_ALIASES.items())),
        },
    }

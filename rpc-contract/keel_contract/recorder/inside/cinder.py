"""Cinder: where an installed release keeps its clients, its endpoints, its objects and its versions."""

from cinder import context, objects, rpc
from cinder.common import config
from cinder.objects import base

from . import objects as versioned
from . import servers
from .cinder_samples import samples
from .places import find, minors
from .sends import Client, Samples
from .wire import plain, transport

# interface -> client class, endpoint class
INTERFACES = {
    "backup": ("cinder.backup.rpcapi:BackupAPI", "cinder.backup.manager:BackupManager"),
    "scheduler": ("cinder.scheduler.rpcapi:SchedulerAPI", "cinder.scheduler.manager:SchedulerManager"),
    "volume": ("cinder.volume.rpcapi:VolumeAPI", "cinder.volume.manager:VolumeManager"),
}
# Steps of the service itself that take a context: reachable, yet nobody outside has a reason to ask for them.
INNER = ("finish_failover", "request_service_capabilities", "setup_backup_backend")
FRAMEWORK = (
    "cinder.manager:Manager",
    "cinder.manager:SchedulerDependentManager",
    "oslo_service.periodic_task:PeriodicTasks",
)


def record():
    """All parts of the recording."""

    objects.register_all()
    conf = config.CONF
    conf([], project="cinder", default_config_files=[], default_config_dirs=[])
    rpc.TRANSPORT = transport(conf)
    return {"methods": methods(), "objects": registered(), "versions": versions()}


def methods():
    """Interfaces with what they answer and what their clients send."""

    serializer = base.CinderObjectSerializer()
    asker = context.RequestContext("user", "project", is_admin=True)
    values = Samples(samples(), lambda value: serializer.serialize_entity(asker, value))
    framework = [find(path) for path in FRAMEWORK]
    found = {}
    for name, (client, endpoint) in INTERFACES.items():
        api_class, cls = find(client), find(endpoint)
        caps = minors(cls.target.version)
        sends = Client(api_class, lambda cap, made=api_class: api(made, cap), caps, asker, values).record()
        names = {branch["method"] for sent in sends.values() for branch in sent["branches"] if "method" in branch}
        found[name] = {"sends": sends, "answers": servers.endpoint(cls, [api_class.TOPIC], framework, names, INNER)}
    return {"interfaces": found, "samples": values.used()}


def api(cls, cap):
    """A client whose peers are pinned to ``cap``, and the list its messages go to."""

    rpc.LAST_RPC_VERSIONS[cls.BINARY] = cap
    rpc.LAST_OBJ_VERSIONS[cls.BINARY] = base.OBJ_VERSIONS.get_current()
    return cls(), rpc.TRANSPORT._driver.sent


def registered():
    """The objects of the wire. They have no remotable methods: every service has the database."""

    return versioned.record(
        {name: found[0] for name, found in base.CinderObjectRegistry.obj_classes().items() if found}
    )


def versions():
    """The versions a service writes down, and what each of its object versions means."""

    history = base.OBJ_VERSIONS
    return {
        "rpc": {name: find(client).RPC_API_VERSION for name, (client, _endpoint) in INTERFACES.items()},
        "default_rpc": {name: find(client).RPC_DEFAULT_VERSION for name, (client, _endpoint) in INTERFACES.items()},
        "objects": history.get_current(),
        "manifests": plain({number: dict(history[number]) for number in history}),
    }

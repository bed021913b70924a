"""Lives of volume-csi that end in the middle: the process is killed at any of its writes, and the next one goes on.

A life works in the thread of the test, on a real database and a simulated cluster. Every write to one of them is a
boundary: `survive` runs a flow once for each of them and kills the process right before it and right after it.
"""

import time

from keel_common.clients import Clients
from keel_volume.backend import Backend, Caches
from keel_volume.endpoints import VolumeEndpoint
from keel_volume.reconcile import Reconciler

_KUBE_WRITES = frozenset(("create", "ensure", "apply", "patch", "replace", "delete", "subresource"))
_DB_WRITES = frozenset(("run",))
PATIENCE = 20


class Killed(BaseException):
    """The process is gone."""


class Fuse:
    """Counts writes and kills at the one with number ``at`` (from 0), before or after it is done."""

    def __init__(self, at=None, after=False):
        self.at, self.after, self.count = at, after, 0

    def passing(self, call):
        mine = self.count == self.at
        self.count += 1
        if mine and not self.after:
            raise Killed
        result = call()
        if mine:
            raise Killed
        return result


class Edge:
    """An edge of the process (database, cluster) whose writes go by the fuse."""

    def __init__(self, behind, writes, fuse):
        self._behind, self._writes, self._fuse = behind, writes, fuse

    def __getattr__(self, name):
        found = getattr(self._behind, name)
        if name not in self._writes:
            return found
        return lambda *args, **kwargs: self._fuse.passing(lambda: found(*args, **kwargs))


class Here:
    """Transfers in the caller's thread."""

    def run(self, kind, resource_id, work):
        work()
        return True

    def runs(self, kind, resource_id):
        return False

    def pause(self, seconds):
        time.sleep(min(seconds, 0.02))

    def check(self):
        return None


class Life:
    """One process: ``endpoint`` takes messages, ``work`` does what is due once."""

    def __init__(self, world, fuse, name):
        conf = world.conf
        self.reconciler = Reconciler(threads=0)
        self.backend = Backend(
            name=name,
            conf=conf,
            db=Edge(world.db, _DB_WRITES, fuse),
            kube=Edge(world.kube, _KUBE_WRITES, fuse),
            caches=world.caches,
            clients=Clients(conf, "volume"),
            scheduler=world.scheduler,
            cluster=conf.keel.cluster,
            namespace=conf.csi.namespace,
            transfers=Here(),
        )
        self.reconciler.serve(self.backend)
        self.endpoint = VolumeEndpoint(self.backend, self.reconciler, lambda: world.service, lambda: None)

    def work(self):
        self.reconciler.audit()
        self.reconciler.drain()


def run(life, over):
    """Work until ``over()`` says so."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        life.work()
        if over():
            return
        time.sleep(0.02)
    raise AssertionError(f"did not end within {PATIENCE} s")


def survive(world, name, prepare, message, over, check):
    """``prepare()`` -> case; ``message(endpoint, case)``; ``over(case)``; ``check(case)``. Returns the boundaries seen.

    Once without a death, to count the writes; then once for each write and each side of it. A message that was being
    handled when the process died is lost.
    """
    fuse = Fuse()
    _one(world, name, fuse, prepare, message, over, check)
    for number in range(fuse.count):
        for after in (False, True):
            _one(world, name, Fuse(number, after), prepare, message, over, check)
    return fuse.count


def _one(world, name, fuse, prepare, message, over, check):
    case = prepare()
    life = Life(world, fuse, name)
    try:
        message(life.endpoint, case)
        run(life, lambda: over(case))
    except Killed:
        run(Life(world, Fuse(), name), lambda: over(case))
    try:
        check(case)
    except AssertionError as problem:
        raise AssertionError(f"killed {'after' if fuse.after else 'before'} write {fuse.at}: {problem}") from problem


def caches(kube, namespace):
    """Mirrors that outlive the lives: a new process would have them anew."""
    return Caches.of(kube, namespace, lambda *event: None)

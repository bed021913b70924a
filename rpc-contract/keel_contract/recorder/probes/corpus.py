"""Program for the interpreter of a real release: filled objects and what that release makes of them for older peers.

``python corpus.py SUITE < asked.json``: standard input holds ``{"peers": {release: {object: version}}, "newest":
"34"}``, the object versions of other releases, and the release that also reads what it made. Standard output gets one
JSON document a line: first the release and its object versions, then for each object the versions asked for, and its
cases with their results.
"""

import importlib
import json
import os
import sys

from samples import Samples, Unfillable, kind  # beside this program

SUITES = {
    # package, registry, wire prefix, sections whose database is asked for what an old version wants
    "nova": ("nova.objects.base", "NovaObjectRegistry", "nova_object", ("database", "api_database")),
    "cinder": ("cinder.objects.base", "CinderObjectRegistry", "versioned_object", ("database",)),
}
BASIC = ("full", "full unchanged", "other", "third", "unset", "null", "null unchanged", "empty", "empty unchanged")
EVERYTHING, BASICS, OWN, SOME = range(4)  # how many of an object's targets a case is asked for


def main():
    """Write the corpus of the suite named on the command line."""
    suite = sys.argv[1]
    asked = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not get between the documents
    registry, prefix = load(suite)
    classes = {name: found[0] for name, found in registry.obj_classes().items()}
    versions = {name: cls.VERSION for name, cls in classes.items()}
    release = importlib.import_module("importlib.metadata").version(suite)
    write(out, {"suite": suite, "release": release, "versions": versions})
    recorder = Recorder(suite, prefix, classes, asked["peers"], release.partition(".")[0] == asked["newest"])
    for name in sorted(classes):
        targets = recorder.targets(name)
        write(out, {"object": name, "targets": targets[EVERYTHING]})
        for case, obj, extent in recorder.cases(name):
            given = recorder.primitive(name, obj, changes="unchanged" not in case)
            if given is not None:
                found = recorder.record(name, given, targets[extent], extent < OWN)
                write(out, {"object": name, "case": case, **found})


def write(out, document):
    out.write(json.dumps(document, sort_keys=True) + "\n")


def load(suite):
    """The registry with all objects of the suite, on empty databases."""
    module, registry, prefix, databases = SUITES[suite]
    conf = importlib.import_module(f"{suite}.conf" if suite == "nova" else "oslo_config.cfg").CONF
    importlib.import_module(f"{suite}.objects").register_all()
    conf([], project=suite, default_config_files=[])
    for section in databases:
        conf.set_override("connection", "sqlite://", section)
    if suite == "nova":
        empty_databases()
    return getattr(importlib.import_module(module), registry), prefix


def empty_databases():
    """Tables without rows for both databases of nova: old versions of Service and ComputeNode look into them."""
    for side in ("main", "api"):
        access = importlib.import_module(f"nova.db.{side}.api")
        models = importlib.import_module(f"nova.db.{side}.models")
        manager = access.context_manager
        manager.configure(connection="sqlite://", sqlite_fk=False)
        models.BASE.metadata.create_all(manager.writer.get_engine())


class Recorder:
    """Makes cases of objects and has the real package turn them into older versions."""

    def __init__(self, suite, prefix, classes, peers, reads):
        self.suite, self.classes, self.peers, self.reads = suite, classes, peers, reads
        self.changes = f"{prefix}.changes"
        self.samples = Samples(classes)
        self.base = importlib.import_module("oslo_versionedobjects.base")
        self.context = importlib.import_module(f"{suite}.context").get_admin_context()

    def tree(self, name):
        """Versions of the object and of those within, as a peer tells them; cinder tells those of all objects."""
        if self.suite == "cinder":
            return {other: cls.VERSION for other, cls in self.classes.items()}
        return dict(self.base.obj_tree_get_versions(name))

    def targets(self, name):
        """Four lists of [version, versions of others (None: no manifest at all)]; each begins with the next one."""
        newest, some, rest = spread(older(self.classes[name].VERSION))
        own = [newest, *some, *rest]
        inner = {other: version for other, version in self.tree(name).items() if other != name}
        nested = self.suite == "nova" and bool(inner)
        alone = [[version, None] for version in own]
        first = [[version, {name: version}] for version in own] if nested else alone
        basic = [*first, *(alone if nested else []), *self.strange(newest), *self.of_releases(name, inner)]
        if nested:
            oldest = older(newest)[-1]
            basic.append([oldest, {name: oldest, **{other: older(version)[-1] for other, version in inner.items()}}])
            deep = [[newest, {other: lower}] for other, lower in self.lower_within(name, inner)]
            return [*basic, *deep], basic, first, first[: 1 + len(some)]
        return basic, basic, first, first[: 1 + len(some)]

    def strange(self, version):
        """Versions that do not exist: newer ones, and those of another major."""
        major, minor = map(int, version.split("."))
        before = [f"{major - 1}.30", f"{major - 1}.0"] if major > 1 else []
        return [[other, None] for other in (f"{major}.{minor + 1}", f"{major + 1}.0", *before)]

    def lower_within(self, name, inner):
        """Each lower version of the objects right within, and the lowest of those deeper."""
        direct = {getattr(field, "objname", None) for field in self.classes[name].fields.values()}
        for other, version in sorted(inner.items()):
            lower = older(version)[1:]
            for each in lower if other in direct else lower[-1:]:
                yield other, each

    def of_releases(self, name, inner):
        """One target for each older release where the object or one within has another version."""
        found = []
        for _release, versions in sorted(self.peers.items()):
            told = {each: version for each, version in versions.items() if each == name or each in inner}
            lower = {each: version for each, version in told.items() if version != self.classes[each].VERSION}
            target = [versions.get(name, self.classes[name].VERSION), lower]
            if lower and target not in found and all(self.is_lower(*each) for each in lower.items()):
                found.append(target)
        return found

    def is_lower(self, name, version):
        return version in older(self.classes[name].VERSION)

    def cases(self, name):
        """(name of the case, object, how many of the targets are asked)."""
        fields = sorted(self.classes[name].fields.items())
        for case in BASIC:
            yield case, self.basic(name, case), EVERYTHING if case == "full" else BASICS
        for field, declared in fields:
            if not is_plain(declared):
                continue
            for label, variant in variants(field, declared):
                try:
                    single = self.samples.make(name, variant, lambda other, _, field=field: other == field and "fill")
                    yield f"only {label}", single, OWN
                    if "=" in label:
                        whole = self.samples.make(name, 0, lambda _, other: is_plain(other) and "fill")
                        self.samples.fill(whole, field, declared, variant, (name,))
                        yield f"full {label}", whole, SOME
                except Unfillable:
                    continue

    def basic(self, name, case):
        how = case.partition(" ")[0]
        if how == "unset":
            return self.classes[name]()
        if how == "null":
            return self.samples.make(name, 0, lambda _, field: "null" if field.nullable else "fill")
        if how == "empty":
            return self.samples.make(name, 0, lambda _, field: "empty")
        return self.samples.make(name, {"other": 1, "third": 2}.get(how, 0))

    def record(self, name, given, targets, reads):
        """The input, the results of all targets, and what becomes of a result that is read and sent again."""
        results = [self.attempt(self.backport, name, given, version, others) for version, others in targets]
        again = [self.read(name, result) for result in results] if reads and self.reads else None
        return {"input": given, "results": results, "again": again}

    def backport(self, name, given, version, others):
        """What the conductor of this release answers a peer of these versions."""
        manifest = None if others is None else {**self.tree(name), **others}
        return self.received(name, given).obj_to_primitive(version, manifest)

    def received(self, name, primitive):
        return self.classes[name].obj_from_primitive(primitive, context=self.context)

    def read(self, name, primitive):
        """None when the primitive stays the same after reading and sending, else what it becomes."""
        if "raises" in primitive:
            return None
        found = self.attempt(lambda: self.received(name, primitive).obj_to_primitive())
        return None if found == primitive else found

    def attempt(self, make, *arguments):
        try:
            return self.ordered(make(*arguments))
        except Exception as problem:
            return {"raises": f"{type(problem).__module__}.{type(problem).__name__}"}

    def primitive(self, name, obj, changes=True):
        """The object as it is sent; without ``changes`` as if nothing had been changed since it was read.

        None when the release itself does not send or read it: some objects of cinder look in the database for what
        they lack, and stumble over a null that their declaration allows.
        """
        try:
            given = self.ordered(obj.obj_to_primitive())
            self.received(name, given)
        except Exception as problem:
            print(f"{name}: left out: {problem!r}", file=sys.stderr)
            return None
        return given if changes else self.unchanged(given)

    def unchanged(self, value):
        if isinstance(value, dict):
            return {key: self.unchanged(part) for key, part in value.items() if key != self.changes}
        return [self.unchanged(part) for part in value] if isinstance(value, list) else value

    def ordered(self, value):
        """JSON as it travels, the unordered list of changes sorted."""
        if isinstance(value, dict):
            return {key: sorted(part) if key == self.changes else self.ordered(part) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.ordered(part) for part in value]
        return value


def older(version):
    """The version and all below it in its major, newest first."""
    major, minor = map(int, version.split("."))
    return [f"{major}.{number}" for number in range(minor, -1, -1)]


def spread(versions):
    """The newest version, up to 15 of the others far and wide, and the rest."""
    step = len(versions) // 15 + 1
    return versions[0], versions[step::step], [each for number, each in enumerate(versions) if number % step]


def is_plain(field):
    """Whether a field holds values and no object or list of objects."""
    element = getattr(field._type, "_element_type", None)
    return kind(field._type) != "Object" and (element is None or kind(element._type) != "Object")


def variants(field, declared):
    """(label, variant) for one field: one usual value, or each value of an enumeration."""
    options = getattr(declared._type, "valid_values", None)
    if options is None:
        return [(field, 0)]
    return [(f"{field}={value}", number) for number, value in enumerate(options)]


if __name__ == "__main__":
    main()

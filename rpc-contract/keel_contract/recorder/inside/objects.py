"""Registered versioned objects: fields, versions, fingerprints, remotable methods."""

import importlib.util
import inspect
import sys
import types

from oslo_versionedobjects import base

from .fields import describe
from .signatures import arguments, innermost


def _fingerprints():
    """The module that computes fingerprints. It wants a library for tests, which an installed release need not have."""
    if importlib.util.find_spec("fixtures") is None:
        sys.modules["fixtures"] = types.SimpleNamespace(Fixture=object)  # type: ignore[assignment]
    return importlib.import_module("oslo_versionedobjects.fixture")


def record(classes, manifest=base.obj_tree_get_versions):
    """Name -> everything about it, for ``{name: class}``.

    ``manifest`` tells the versions of an object and of those within.

    The fingerprints are those of the release's own tests: the sources of a notification's values count.
    """
    checker = _fingerprints().ObjectVersionChecker({name: [cls] for name, cls in classes.items()})
    prints = checker.get_hashes(extra_data_func=sources)
    found = {}
    for name, cls in sorted(classes.items()):
        row = {
            "version": cls.VERSION,
            "fingerprint": prints[name],
            "fields": {field: describe(declared) for field, declared in sorted(cls.fields.items())},
            "manifest": dict(sorted(manifest(name).items())),
        }
        remotable = _remotable(checker, cls)
        if remotable:
            row["remotable"] = remotable
        if getattr(cls, "SCHEMA", None) is not None:
            row["sources"] = {field: list(source) for field, source in sorted(cls.SCHEMA.items())}
        found[name] = row
    return found


def sources(cls):
    """What a payload's values are taken from, as its fingerprint counts it."""
    schema = getattr(cls, "SCHEMA", None)
    return () if schema is None else (sorted(schema.items()),)


def _remotable(checker, cls):
    """Method -> kind and arguments; a class method's include the context."""
    found = {}
    for name in sorted(dir(cls)):
        thing = None if name.startswith("__") else getattr(cls, name)
        if not (inspect.isfunction(thing) or inspect.ismethod(thing)):
            continue
        function = checker._find_remotable_method(cls, thing)
        if function is not None:
            kind = "class" if inspect.ismethod(thing) else "object"
            found[name] = {"kind": kind, "args": arguments(innermost(function, name), 1)}
    return found

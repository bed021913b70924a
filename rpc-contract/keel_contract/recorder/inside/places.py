"""Finding things in a release by the names that are known of it."""

import importlib


def find(path):
    """The thing at "module:name"."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def minors(version):
    """Every version of a major from ``version`` down."""
    major, minor = version.split(".")
    return [f"{major}.{number}" for number in range(int(minor), -1, -1)]

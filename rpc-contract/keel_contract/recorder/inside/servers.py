"""Endpoints of a service: what may be called on them."""

import inspect

from .signatures import arguments, innermost

CONTEXT = ("context", "ctxt")


def methods(endpoint, framework, sent):
    """Method -> arguments of every public method of the class ``endpoint`` that takes the request context first.

    :param framework: base classes whose methods belong to the running of a service
    :param sent: methods that clients send: they count wherever they are defined
    """
    plumbing = {name for base in framework for name in dir(base)} - set(sent)
    found = {}
    for name in sorted(dir(endpoint)):
        function = inspect.getattr_static(endpoint, name)
        if name.startswith("_") or name in plumbing or not inspect.isfunction(function):
            continue
        function = innermost(function, name)
        parameters = list(inspect.signature(function).parameters)
        if len(parameters) > 1 and parameters[1] in CONTEXT:
            found[name] = arguments(function, 2)
    return found


def endpoint(cls, topics, framework=(), sent=(), inner=()):
    """The recorded form of an endpoint class with its target; ``inner`` methods stand apart."""
    found = methods(cls, framework, sent)
    own = {name: found.pop(name) for name in inner if name in found}
    recorded = {
        "version": cls.target.version,
        "namespace": cls.target.namespace,
        "topics": sorted(topics),
        "methods": found,
    }
    if own:
        recorded["inner"] = own
    return recorded

"""Arguments of functions as text: "instance" is required, "tag=null" has that default (JSON)."""

import inspect
import json

UNSENDABLE = "?"  # a default that has no form on the wire, such as a mark for "not given"


def innermost(function, name):
    """The function of that name below its decorators, those included that do not tell what they wrap."""
    seen = {id(function)}
    while True:
        inner = [getattr(function, "__wrapped__", None), *_enclosed(function)]
        for candidate in inner:
            if inspect.isfunction(candidate) and candidate.__name__ == name and id(candidate) not in seen:
                function = candidate
                seen.add(id(function))
                break
        else:
            return function


def _enclosed(function):
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue


def arguments(function, skip):
    """The arguments in their order, without the first ``skip``; "*" and "**" where any more are taken."""
    return [_text(parameter) for parameter in list(inspect.signature(function).parameters.values())[skip:]]


def names(texts):
    """The plain names of ``arguments``."""
    return [text.partition("=")[0] for text in texts if not text.startswith("*")]


def _text(parameter):
    if parameter.kind is parameter.VAR_KEYWORD:
        return f"**{parameter.name}"
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{parameter.name}"
    if parameter.default is parameter.empty:
        return parameter.name
    try:
        return f"{parameter.name}={json.dumps(parameter.default, sort_keys=True)}"
    except TypeError:
        return f"{parameter.name}={UNSENDABLE}"

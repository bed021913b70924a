"""Bodies with something odd at one place of them."""

import json


def leaves(value, path=()):
    """Every place in a body, from the outside in."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, place))


def replaced(body, path, odd):
    """The body with another value at a place."""
    if not path:
        return odd
    copy = json.loads(json.dumps(body))
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = odd
    return copy


def with_odd_values(body, odds):
    """The body once for every place in it and every odd value."""
    for place in leaves(body):
        for odd in odds:
            yield replaced(body, place, odd)

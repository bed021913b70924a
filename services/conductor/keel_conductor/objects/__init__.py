"""What a compute asks of versioned objects: a table (object, method) -> function on the stores."""

from keel_conductor.objects import (
    actions,
    api_records,
    devices,
    instances,
    moves,
    network,
    nodes,
    parts,
    services,
)

MODULES = (actions, api_records, devices, instances, moves, network, nodes, parts, services)
"""Importing them fills the table of `registry`."""

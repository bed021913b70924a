"""Refusals of the mapping from Nova to KubeVirt."""


class Unsupported(Exception):
    """The server asks for hardware that KubeVirt cannot give. The text names the property and the value."""

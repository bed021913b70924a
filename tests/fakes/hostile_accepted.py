"""Where OpenKeel answers a hostile message otherwise than the real services, and why."""

from __future__ import annotations

# (service or None for all, row) -> class name or "result"; each with its reason above it.
DIFFERENT: dict[tuple[str | None, str], str] = {
    # Nothing of an endpoint but its declared methods can be reached by any name.
    (None, "attribute of the endpoint"): "NoSuchMethod",
    # A real conductor asks itself to backport the object, and again, without end; a real compute or scheduler asks it.
    **dict.fromkeys(
        [(None, f"object of a newer {what}") for what in ("minor", "major")],
        "IncompatibleObjectVersion",
    ),
    # What cannot be a time or a list of roles is refused here; nova keeps it until something breaks on it.
    (None, "context timestamp a number"): "AttributeError",
    (None, "context roles a number"): "TypeError",
    # An object is no set of filters: told as such. cinder trips over it.
    **dict.fromkeys(
        [
            ("volume-scheduler", f"object {what}")
            for what in ("changes of unknown fields", "data a list", "with an unknown field")
        ],
        "TypeError",
    ),
    # The bus is trusted: cinder asks for an administrator while it reads its database, this scheduler asks for nobody.
    ("volume-scheduler", "context wholly absent"): "result",
}


def matches(answered: str, recorded: str) -> bool:
    """Classes are compared by their names: the transport tells no module of a class of Python or of a library."""
    return answered.rpartition(".")[2] == recorded.rpartition(".")[2]

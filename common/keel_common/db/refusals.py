"""What a store refuses, named as the recorded exception a peer expects."""

from typing import Any

from keel_common.db.errors import DatabaseError


class Refused(DatabaseError):
    """A statement that found other rows than it was meant for.

    :ivar name: class name of the recorded exception (nova 34.0.0), such as `InstanceNotFound`
    :ivar code: its HTTP code
    :ivar facts: its keyword arguments
    """

    def __init__(self, name: str, message: str, code: int = 500, /, **facts: Any) -> None:
        super().__init__(message)
        self.name = name
        self.code = code
        self.facts = facts


def not_found(name: str, what: str, /, **facts: Any) -> Refused:
    """A recorded ...NotFound exception: code 404 and a sentence that names the thing."""
    return Refused(name, f"{what} could not be found.", 404, **facts)

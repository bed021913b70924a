"""What a database refuses, named as the exceptions a caller of a real conductor is told of."""

from sqlalchemy.exc import DBAPIError, IntegrityError

from keel_common.db.errors import is_conflict, is_lost
from keel_common.db.refusals import Refused

__all__ = ["DBAPIError", "IntegrityError", "Violated", "violated"]

MODULE = "oslo_db.exception"
_DUPLICATE = (1062, "UNIQUE constraint failed", "PRIMARY KEY must be unique")
_REFERENCE = (1451, 1452, 1216, 1217, "FOREIGN KEY constraint failed")


class Violated(Refused):
    """An error of the database (nova 34.0.0: the exceptions of oslo.db cross the bus under their own module)."""

    module = MODULE


def violated(error: DBAPIError) -> Violated:
    """DBDuplicateEntry, DBReferenceError, DBDeadlock, DBConnectionError or DBError, by what the engine said."""
    if isinstance(error, IntegrityError):
        if _says(error, _DUPLICATE):
            return Violated("DBDuplicateEntry", "A row with these values exists.")
        if _says(error, _REFERENCE):
            return Violated("DBReferenceError", "A row that is referred to does not exist, or is referred to.")
    if is_conflict(error):
        return Violated("DBDeadlock", "The database gave the transaction up in favour of others, time and again.")
    if is_lost(error):
        return Violated("DBConnectionError", "The database does not answer.")
    return Violated("DBError", f"The database refuses: {error.orig}")


def _says(error: DBAPIError, signs: tuple[int | str, ...]) -> bool:
    first = error.orig.args[0] if error.orig is not None and error.orig.args else None
    text = str(error.orig)
    return any(first == sign if isinstance(sign, int) else sign in text for sign in signs)

"""What may go wrong with a database, told apart by what one can do about it."""

import sqlite3

from sqlalchemy.exc import DBAPIError

_DEADLOCK = {1213, 1205}  # MySQL: deadlock found, lock wait timeout
_LOST = {
    2006,
    2013,
    2014,
    2045,
    2055,
    2002,
    2003,
    1927,
    1053,
    1040,
    1047,
}  # MySQL: connection gone, server going or full
_SQLITE_BUSY = {5, 6}  # SQLITE_BUSY, SQLITE_LOCKED


class DatabaseError(Exception):
    """A database cannot do what was asked; the message says why."""


class OutcomeUnknown(DatabaseError):
    """The connection broke during COMMIT: the transaction may or may not have happened, so it is not repeated."""


class Unreachable(DatabaseError):
    """A database does not answer, and the caller did not want to wait for it."""


class SchemaError(DatabaseError):
    """The tables found are not the ones this release can work with."""


def _code(error: DBAPIError) -> int | None:
    original = error.orig
    if isinstance(original, sqlite3.Error):
        return getattr(original, "sqlite_errorcode", 0) & 0xFF
    first = original.args[0] if original is not None and original.args else None
    return first if isinstance(first, int) else None


def is_conflict(error: DBAPIError) -> bool:
    """The engine gave this transaction up in favour of another one: repeat it whole."""
    if isinstance(error.orig, sqlite3.Error):
        return _code(error) in _SQLITE_BUSY
    return _code(error) in _DEADLOCK


def is_lost(error: DBAPIError) -> bool:
    """The connection is gone, or the server is not there (yet)."""
    if isinstance(error.orig, sqlite3.Error):
        return False
    return error.connection_invalidated or _code(error) in _LOST

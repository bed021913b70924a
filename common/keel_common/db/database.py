"""One database: connections, transactions, and the one place where a whole transaction is tried again."""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from keel_common import patterns
from keel_common.db.errors import DatabaseError, OutcomeUnknown, Unreachable, is_conflict, is_lost

LOG = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")

CONFLICT_TRIES = 12
BUSY_TIMEOUT_MS = 30_000
_WRITES = "keel_writes"


class Database:
    """Runs functions in transactions on the database at `url`.

    `group` is the oslo.config group [database] or [api_database] (pool and retry options); None means their recorded
    defaults. Safe to share between threads. An in-memory SQLite database has one connection, used by one thread at a
    time.
    """

    def __init__(self, url: str, group: Any = None) -> None:
        self.url = make_url(url)
        self._lost_tries = group.db_max_retries if group else 20
        self._lost_pause = group.db_retry_interval if group else 1
        self._lost_pause_max = group.db_max_retry_interval if group else 10
        self._lost_pause_grows = group.db_inc_retry_interval if group else True
        self._one_at_a_time = threading.RLock() if _in_memory(self.url) else None
        self.engine = _engine(self.url, group)

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @property
    def dialect(self) -> str:
        """ "sqlite", "mysql" or "mariadb"."""
        return self.url.get_backend_name()

    def run(self, fn: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """`fn(connection, ...)` in one write transaction; an exception rolls it back.

        `fn` may run several times: after a deadlock, a lock wait timeout, a busy SQLite file or a lost connection the
        whole transaction is done again. Raises OutcomeUnknown when the connection broke during COMMIT.
        """
        return self._tries(True, fn, *args, **kwargs)

    def read(self, fn: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """`fn(connection, ...)` in one transaction that writes nothing; repeated like `run`."""
        return self._tries(False, fn, *args, **kwargs)

    def read_once(self, fn: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Like `read`, but raises Unreachable at once when the database does not answer."""
        try:
            with self._exclusive():
                return self._once(False, fn, *args, **kwargs)
        except DBAPIError as error:
            if is_lost(error):
                raise Unreachable(f"{self.url.host or self.url.database} does not answer: {error.orig}") from error
            raise

    def ping(self) -> None:
        """Raises when the database does not answer; tries once."""
        with self._exclusive(), self.engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1")
            connection.rollback()

    def close(self) -> None:
        # The one connection of an in-memory database must not be closed under a thread that still uses it.
        with self._exclusive():
            self.engine.dispose()

    def _exclusive(self) -> Any:
        return self._one_at_a_time or nullcontext()

    def _tries(self, writes: bool, fn: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        conflicts = lost = 0
        while True:
            try:
                with self._exclusive():
                    return self._once(writes, fn, *args, **kwargs)
            except DBAPIError as error:
                if is_conflict(error) and conflicts < CONFLICT_TRIES:
                    conflicts += 1
                    pause = random.uniform(0.5, 1.0) * min(1.0, 0.01 * 2**conflicts)
                elif is_lost(error) and lost < self._lost_tries:
                    pause = self._lost_pause * (2**lost if self._lost_pause_grows else 1)
                    pause = min(pause, self._lost_pause_max)
                    lost += 1
                else:
                    raise
                LOG.info("Transaction of %s again in %.2f s: %s", getattr(fn, "__name__", fn), pause, error.orig)
            time.sleep(pause)

    def _once(self, writes: bool, fn: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        with self.engine.connect().execution_options(**{_WRITES: writes}) as connection:
            transaction = connection.begin()
            try:
                result = fn(connection, *args, **kwargs)
            except BaseException:
                if not connection.invalidated:
                    transaction.rollback()
                raise
            if not writes:
                transaction.rollback()
                return result
            try:
                transaction.commit()
            except DBAPIError as error:
                if is_lost(error):
                    raise OutcomeUnknown(f"connection lost while committing: {error.orig}") from error
                if not self.is_sqlite:
                    connection.invalidate()  # the pool does not clean up: nobody gets what this one left open
                raise
            return result


def _in_memory(url: Any) -> bool:
    if url.get_backend_name() != "sqlite":
        return False
    return url.database in (None, "", ":memory:") or "mode=memory" in str(url)


def _engine(url: Any, group: Any) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = _sqlite(url, group)
    elif url.get_backend_name() in ("mysql", "mariadb"):
        engine = _mysql(url, group)
    else:
        raise DatabaseError(f"database engine {url.get_backend_name()} is not supported: use mysql+pymysql or sqlite")
    return engine


def _mysql(url: Any, group: Any) -> Engine:
    if group is not None and group.connection_parameters:
        url = url.update_query_string(group.connection_parameters)
    timeout = group.pool_timeout if group else None
    engine = create_engine(
        url,
        pool_size=(group.max_pool_size if group else 5) or 0,
        max_overflow=(group.max_overflow if group else 50) or 0,
        pool_timeout=30 if timeout is None else timeout,
        pool_recycle=group.connection_recycle_time if group else 3600,
        # Every transaction is ended where it is begun (`_once`, `ping`): another ROLLBACK is a round trip for nothing.
        pool_reset_on_return=None,
    )
    mode = group.mysql_sql_mode if group else "TRADITIONAL"

    @event.listens_for(engine, "connect")
    def _set_mode(connection: Any, _record: Any) -> None:
        if mode:
            with connection.cursor() as cursor:
                cursor.execute("SET SESSION sql_mode = %s", (mode,))

    return engine


def _sqlite(url: Any, group: Any) -> Engine:
    memory = _in_memory(url)
    options: dict[str, Any] = {"poolclass": StaticPool} if memory else {}
    engine = create_engine(url, connect_args={"check_same_thread": False}, **options)
    synchronous = "FULL" if group is None or group.sqlite_synchronous else "OFF"

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, below
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA foreign_keys = ON")  # as InnoDB always does
        connection.create_function("regexp", 2, patterns.found, deterministic=True)  # SQLAlchemy's own may never end
        if not memory:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if synchronous == 'FULL' else 'OFF'}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer takes the lock at once: upgrading a read lock later is what makes SQLite report busy without waiting.
        writes = connection.get_execution_options().get(_WRITES, True)
        driver: Any = connection.connection.driver_connection
        driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


@contextmanager
def count_statements() -> Iterator[list[str]]:
    """Collects the text of every statement of every database of this process while the block runs (for tests)."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)

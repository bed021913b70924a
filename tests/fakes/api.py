"""The APIs of both suites in this process; see tests/api/conftest.py for how tests use them."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import jsonschema
from werkzeug.test import Client

from fakes.bus import RecordingBus
from keel_api import app
from keel_api.http.dialect import DIALECTS
from keel_api.http.ops import load
from keel_api.http.responses import responses_of
from keel_api.http.routes import Routes
from keel_api.http.version import parse
from keel_api.services import ComputeServices, VolumeServices
from keel_common.clients import Clients
from keel_common.config import load as load_conf
from keel_common.db import CELL0, Cells, Database, add, now, schema, sync

PROJECT = "6f70656e6b65656c00000000000000aa"
OTHER = "6f70656e6b65656c00000000000000bb"
CELL1 = "c0ffee00-0000-4000-8000-00000000ce11"


@dataclass(frozen=True)
class Identity:
    """Who calls, as keystonemiddleware would have left it in the request."""

    user: str
    project: str | None
    roles: tuple[str, ...]
    more: Mapping[str, str] = field(default_factory=dict, hash=False)

    ADMIN: ClassVar[Identity]
    MEMBER: ClassVar[Identity]
    READER: ClassVar[Identity]
    MANAGER: ClassVar[Identity]
    OTHER: ClassVar[Identity]
    SERVICE: ClassVar[Identity]

    def environ(self) -> dict[str, str]:
        found = {
            "HTTP_X_IDENTITY_STATUS": "Confirmed",
            "HTTP_X_USER_ID": self.user,
            "HTTP_X_ROLES": ",".join(self.roles),
            "HTTP_X_AUTH_TOKEN": f"token-of-{self.user}",
            "HTTP_X_SERVICE_CATALOG": "[]",
        }
        if self.project is not None:
            found["HTTP_X_PROJECT_ID"] = self.project
        return {**found, **self.more}


Identity.ADMIN = Identity("admin-user", PROJECT, ("admin", "manager", "member", "reader"))
Identity.MEMBER = Identity("member-user", PROJECT, ("member", "reader"))
Identity.READER = Identity("reader-user", PROJECT, ("reader",))
Identity.MANAGER = Identity("manager-user", PROJECT, ("manager", "member", "reader"))
Identity.OTHER = Identity("other-user", OTHER, ("member", "reader"))
Identity.SERVICE = Identity("service-user", "5e47100000000000000000000000005e", ("service", "reader"))


@dataclass
class Reply:
    """`body` is the decoded JSON or None, `raw` the bytes."""

    status: int
    headers: Any
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw and "json" in self.headers.get("Content-Type", "") else None

    @property
    def ok(self) -> Reply:
        """Itself; fails when the answer is no success."""
        assert self.status < 400, f"{self.status}: {self.raw.decode()}"
        return self

    @property
    def message(self) -> str:
        """The text of a fault."""
        (fault,) = self.body.values()
        assert fault["code"] == self.status
        return fault["message"]


class Snapshot:
    """Freshly synced databases, kept as bytes: making tables takes longer than a test may."""

    def __init__(self, images: dict[str, bytes]):
        self._images = images

    @classmethod
    def of(cls, names: dict[str, str]) -> Snapshot:
        made: dict[str, bytes] = {}
        images = {}
        for name, kind in names.items():
            if kind not in made:
                db = Database(memory_url())
                sync(db, kind)
                with db.engine.connect() as connection:
                    made[kind] = connection.connection.driver_connection.serialize()
                db.close()
            images[name] = made[kind]
        return cls(images)

    @classmethod
    def taken(cls, databases: Mapping[str, Database]) -> Snapshot:
        """What the databases hold now."""
        images = {}
        for name, db in databases.items():
            with db.engine.connect() as connection:
                images[name] = connection.connection.driver_connection.serialize()
        return cls(images)

    def restore(self, db: Database, name: str) -> None:
        with db.engine.connect() as connection:
            driver: sqlite3.Connection = connection.connection.driver_connection
            driver.deserialize(self._images[name])


def memory_url() -> str:
    """A SQLite database of its own, in memory."""
    return f"sqlite:///file:{uuid.uuid4()}?mode=memory&uri=true"


class Api:
    """What both suites' test applications share."""

    suite: str

    def __init__(self, conf: Any, services: Any, handlers: Mapping[str, Any] | None = None):
        self.conf, self.services = conf, services
        self.dialect = DIALECTS[self.suite]
        self.app = app.build(conf, self.suite, services, auth=lambda guarded: guarded, extra=handlers)
        self._client = Client(self.app)

    def with_handlers(self, handlers: Mapping[str, Any]) -> None:
        """Build the application again with handlers that the suite lacks."""
        self.app = app.build(self.conf, self.suite, self.services, auth=lambda guarded: guarded, extra=handlers)
        self._client = Client(self.app)

    def set(self, option: str, value: Any, group: str | None = None) -> None:
        self.conf.set_override(option, value, group)

    def get(self, path: str, **how: Any) -> Reply:
        return self.call("GET", path, **how)

    def post(self, path: str, body: Any = None, **how: Any) -> Reply:
        return self.call("POST", path, body, **how)

    def put(self, path: str, body: Any = None, **how: Any) -> Reply:
        return self.call("PUT", path, body, **how)

    def delete(self, path: str, **how: Any) -> Reply:
        return self.call("DELETE", path, **how)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        who: Identity | None = Identity.MEMBER,
        version: str | None = None,
        headers: Mapping[str, str] | None = None,
        raw: bool = False,
        checked: bool = True,
    ) -> Reply:
        """One request. `path` is below the endpoint, or whole with `raw`; `who` None sends no identity.

        `checked` False does not compare an answer with its recorded schema, as `raw` does not.
        """
        sent = dict(headers or {})
        if version is not None:
            sent["OpenStack-API-Version"] = f"{self.dialect.service} {version}"
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        full = path if raw else f"/{self.dialect.prefixes[0]}{path}"
        answer = self._client.open(
            full, method=method, data=data, headers=sent, environ_overrides=who.environ() if who else {}
        )
        reply = Reply(answer.status_code, answer.headers, answer.get_data())
        if checked and not raw and 200 <= reply.status < 300:
            self.check(method, path, body, reply)
        return reply

    def check(self, method: str, path: str, body: Any, reply: Reply) -> None:
        """Compare an answer with what was recorded of its shape."""

    def close(self) -> None:
        pass


class ComputeApi(Api):
    suite = "compute"

    def __init__(self, tables: Snapshot):
        conf = load_conf("compute", [])
        urls = {name: memory_url() for name in ("api", "cell0", "cell1")}
        conf.set_override("connection", urls["api"], "api_database")
        conf.set_override("connection", urls["cell1"], "database")
        self.cells = Cells(conf)
        tables.restore(self.cells.api, "api")
        self.cells.api.run(map_cells, urls)
        for cell, name in ((self.cells.get(CELL0), "cell0"), (self.cells.get(CELL1), "cell1")):
            tables.restore(cell.db, name)
        self.bus = RecordingBus()
        super().__init__(conf, ComputeServices(conf, self.cells, Clients(conf, "compute"), lambda url: self.bus))

    @property
    def cell1(self) -> Any:
        return self.cells.get(CELL1)

    def check(self, method: str, path: str, body: Any, reply: Reply) -> None:
        responses().check(method, path, body, reply)

    def close(self) -> None:
        self.cells.close()


class VolumeApi(Api):
    suite = "volume"

    def __init__(self, tables: Snapshot):
        conf = load_conf("volume", [])
        conf.set_override("connection", memory_url(), "database")
        self.db = Database(conf.database.connection, conf.database)
        tables.restore(self.db, "cinder")
        self.bus = RecordingBus()
        super().__init__(conf, VolumeServices(conf, self.db, Clients(conf, "volume"), lambda url: self.bus))

    def close(self) -> None:
        self.db.close()


def map_cells(conn: Any, urls: dict[str, str]) -> None:
    """Rows of cell0 and cell1 with the databases at `urls`."""
    table = schema.nova_api.tables["cell_mappings"]
    for cell, name, transport in ((CELL0, "cell0", "none:///"), (CELL1, "cell1", "fake:/")):
        values = {"uuid": cell, "name": name, "transport_url": transport, "database_connection": urls[name]}
        conn.execute(table.insert().values(created_at=now(), disabled=False, **values))


class _Responses:
    """The recorded response schemas of the compute API."""

    def __init__(self) -> None:
        found = responses_of(DIALECTS["compute"])
        self._spans, self._schemas = found.spans, found.schemas
        self._validators: dict[str, Any] = {}
        self._routes = Routes(load(DIALECTS["compute"]))
        self._validators: dict[str, Any] = {}

    def check(self, method: str, path: str, body: Any, reply: Reply) -> None:
        parts = path.partition("?")[0].split("/")
        if len(parts) > 1 and parts[1] in (PROJECT, OTHER):
            del parts[1]
        found = self._routes.find(method, "/".join(parts))
        asked = reply.headers.get("X-OpenStack-Nova-API-Version")
        if found is None or asked is None:
            return
        endpoint = found[0]
        op = endpoint.plain or endpoint.actions[next(iter(json.loads(body) if isinstance(body, bytes) else body))]
        name = self._spans[op.id].at(parse(asked)) if op.id in self._spans else None
        if name is not None:
            self._validator(name).validate(reply.body)

    def _validator(self, name: str) -> Any:
        if name not in self._validators:
            cls = jsonschema.validators.validator_for(self._schemas[name])
            self._validators[name] = cls(self._schemas[name], format_checker=_formats())
        return self._validators[name]


def _formats() -> jsonschema.FormatChecker:
    checker = jsonschema.FormatChecker(["ipv4", "ipv6"])
    checker.checks("cidr")(lambda value: not isinstance(value, str) or "/" in value)
    return checker


_responses: list[_Responses] = []


def responses() -> _Responses:
    if not _responses:
        _responses.append(_Responses())
    return _responses[0]


__all__ = ["OTHER", "PROJECT", "ComputeApi", "Identity", "Reply", "Snapshot", "VolumeApi", "add"]

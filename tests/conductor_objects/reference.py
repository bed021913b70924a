"""The real conductor: run by the Python of an installed Nova, from outside of which nothing is needed.

    PYTHON tests/conductor_objects/reference.py JOB

JOB is a JSON file: stores [[kind, arguments...]], config (its nova.conf), places, context, known, cases,
answers (the file to write). The manager that nova-conductor runs is asked in this process, with the serializer of its
RPC server on both sides, and its exceptions as oslo.messaging would send them.
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OS_NOVA_DISABLE_EVENTLET_PATCHING", "true")
sys.path.insert(0, str(Path(__file__).parents[1]))

import nova.conf  # noqa: E402
import oslo_messaging  # noqa: E402
from nova import config, objects, rpc  # noqa: E402
from nova.conductor import manager  # noqa: E402
from nova.objects import base  # noqa: E402
from oslo_messaging._drivers import common  # noqa: E402
from sqlalchemy import Engine, event  # noqa: E402

from conductor_objects.driver import Driver, Fault  # noqa: E402
from conductor_objects.normal import Normal  # noqa: E402
from conductor_objects.stores import SqliteFile  # noqa: E402
from conductor_objects.stores_mysql import MysqlDatabase  # noqa: E402

STORES = {"sqlite": SqliteFile, "mysql": MysqlDatabase}


def configured(file: str) -> None:
    config.parse_args(["nova-conductor"], default_config_files=[file])
    objects.register_all()
    # What a service does before its RPC server starts; it makes the types of the exchange known.
    rpc.init(nova.conf.CONF)


@event.listens_for(Engine, "connect")
def _check_references(connection: object, _record: object) -> None:
    """As InnoDB does; SQLite looks only when told."""
    if type(connection).__module__.startswith("sqlite3"):
        connection.execute("PRAGMA foreign_keys = ON")


class Conductor:
    def __init__(self) -> None:
        self._manager = manager.ConductorManager()
        self._serializer = rpc.RequestContextSerializer(base.NovaObjectSerializer())

    def __call__(self, wire_context: dict, method: str, args: dict) -> object:
        try:
            asked = self._serializer.deserialize_context(dict(wire_context))
            given = {key: self._serializer.deserialize_entity(asked, value) for key, value in args.items()}
            answer = getattr(self._manager, method)(asked, **given)
            return json.loads(json.dumps(self._serializer.serialize_entity(asked, answer)))
        except oslo_messaging.ExpectedException as expected:
            raise told(expected.exc_info) from None
        except Exception:
            raise told(sys.exc_info()) from None


def told(exc_info: tuple) -> Fault:
    """A failure as the caller is told of it."""
    failure = json.loads(common.serialize_remote_exception(exc_info))
    return Fault(failure["class"], failure["module"], failure["kwargs"], failure["message"])


def main(path: str) -> None:
    job = json.loads(Path(path).read_text())
    configured(job["config"])
    stores = [STORES[kind](*arguments) for kind, *arguments in job["stores"]]
    driver = Driver(Conductor(), stores, Normal(set(job["known"]), job["places"]), job["context"])
    answers = {case["name"]: driver.run(case) for case in job["cases"]}
    Path(job["answers"]).write_text(json.dumps(answers))


if __name__ == "__main__":
    main(sys.argv[1])

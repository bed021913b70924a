"""Program for the interpreter of a real Nova: objects as it stores them, and what it reads from stored rows.

``python blobs.py < asked.json``. Asked ``{"write": true}`` it stores filled servers and answers, for each case, the
``sent`` objects, the ``rows`` of its databases and the objects it ``read`` back. Asked ``{"rows": {case: rows}}`` it
reads those: rows that somebody else wrote. Both databases are in memory.
"""

import importlib
import json
import os
import sys

import sqlalchemy as sa
from corpus import Recorder, load  # beside this program

MOMENT = "2026-01-01 00:00:00.000000"
TABLES = {
    "main": ("instances", "instance_extra", "instance_info_caches", "instance_metadata", "instance_system_metadata"),
    "api": ("request_specs", "build_requests"),
}
EXTRAS = (
    "device_metadata",
    "flavor",
    "keypairs",
    "migration_context",
    "numa_topology",
    "pci_requests",
    "resources",
    "trusted_certs",
    "vcpu_model",
)
READ = (*EXTRAS, "info_cache", "metadata", "system_metadata")
# Not part of what is stored for a new server.
NOT_STORED = ("id", "services", "fault", "ec2_ids", "tags", "pci_devices", "security_groups", "deleted", "cleaned")
TIMES = ("created_at", "updated_at", "deleted_at")
CASES = {
    "full": (0, "fill"),
    "other": (1, "fill"),
    "third": (2, "fill"),
    "null": (0, "null"),
    "pinned": (0, "fill"),
    "pinned before victoria": (0, "fill"),
    "shared before victoria": (0, "fill"),
}


def main():
    """Answer what was asked on standard input."""
    asked = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not get into the document
    registry, prefix = load("nova")
    store = Store({name: found[0] for name, found in registry.obj_classes().items()}, prefix)
    if asked.get("write"):
        found = {case: store.written(case) for case in CASES}
    else:
        found = {case: store.foreign(rows) for case, rows in asked["rows"].items()}
    release = importlib.import_module("importlib.metadata").version("nova")
    with out:
        json.dump({"release": release, "cases": found}, out, sort_keys=True)


class Store:
    """The databases of the release, and its objects on them."""

    def __init__(self, classes, prefix):
        self.recorder = Recorder("nova", prefix, classes, {}, False)
        self.classes, self.context, self.samples = classes, self.recorder.context, self.recorder.samples
        access = {side: importlib.import_module(f"nova.db.{side}.api") for side in TABLES}
        models = {side: importlib.import_module(f"nova.db.{side}.models") for side in TABLES}
        self.engines = {side: found.context_manager.writer.get_engine() for side, found in access.items()}
        self.tables = {side: found.BASE.metadata.tables for side, found in models.items()}

    def written(self, case):
        """What is stored of a case, and read back."""
        self.empty()
        variant, how = CASES[case]
        server = self.server(variant, how)
        self.pin(server.numa_topology, case)
        spec = self.spec(server.uuid, variant, how)
        self.pin(spec.numa_topology, case)
        request = self.request(server, variant)
        sent = {obj.obj_name(): self.recorder.primitive(obj.obj_name(), obj) for obj in (server, spec, request)}
        for obj in (request, spec, server):
            obj.create()
        if "before victoria" in case:
            self.age(server)
        return {"sent": sent, "rows": self.rows(), "read": self.read(server.uuid)}

    def foreign(self, rows):
        """What is read of rows that somebody else wrote."""
        self.empty()
        for side, tables in TABLES.items():
            with self.engines[side].begin() as conn:
                for name in tables:
                    for row in rows.get(name, ()):
                        self.insert(conn, name, row)
        return {"read": self.read(rows["instances"][0]["uuid"])}

    def insert(self, conn, name, row):
        marks = ", ".join(f":{column}" for column in row)
        conn.execute(sa.text(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})"), row)

    def server(self, variant, how):
        """A server as a conductor creates it."""

        def choose(name, field):
            if name in (*NOT_STORED, *TIMES):
                return None
            return "null" if how == "null" and field.nullable else "fill"

        server = self.samples.make("Instance", variant, choose)
        server._context = self.context
        server.locked_by = None if how == "null" else "owner"
        for name in EXTRAS:
            part = getattr(server, name)
            if part is not None and "instance_uuid" in part.fields:
                part.instance_uuid = server.uuid
        cache = lambda name, _: name == "network_info" and "fill"  # noqa: E731
        server.info_cache = self.samples.make("InstanceInfoCache", variant, cache)
        return server

    def spec(self, uuid, variant, how):
        def choose(name, field):
            if name in ("id", "instance_group", "retry"):
                return "null" if field.nullable else None
            return "null" if how == "null" and field.nullable else "fill"

        spec = self.samples.make("RequestSpec", variant, choose)
        spec._context, spec.instance_uuid = self.context, uuid
        return spec

    def request(self, server, variant):
        """A build request holds a server that is not created yet."""
        request = self.samples.make("BuildRequest", variant, lambda name, _: None if name in ("id", *TIMES) else "fill")
        request._context, request.instance_uuid = self.context, server.uuid
        request.instance = server.obj_clone()
        return request

    def pin(self, topology, case):
        """CPUs of a cell's own, or shared ones alone, as the case has it."""
        for cell in topology.cells if "pinned" in case or "shared" in case else ():
            pinned = "pinned" in case
            cell.cpu_policy = "dedicated" if pinned else "shared"
            cell.pcpuset, cell.cpuset = ({2, 3}, set()) if pinned else (set(), {2, 3})

    def age(self, server):
        """Store the topology as releases did that had one set of CPUs in a cell."""
        versions = {"InstanceNUMATopology": "1.3", "InstanceNUMACell": "1.4", "VirtCPUTopology": "1.0"}
        old = server.numa_topology.obj_to_primitive("1.2", versions)
        with self.engines["main"].begin() as conn:
            conn.execute(sa.text("UPDATE instance_extra SET numa_topology = :old"), {"old": json.dumps(old)})
        with self.engines["api"].begin() as conn:
            spec = json.loads(conn.execute(sa.text("SELECT spec FROM request_specs")).scalar())
            spec["nova_object.data"]["numa_topology"] = old
            conn.execute(sa.text("UPDATE request_specs SET spec = :spec"), {"spec": json.dumps(spec)})

    def empty(self):
        for side, tables in TABLES.items():
            with self.engines[side].begin() as conn:
                for name in tables:
                    conn.execute(sa.text(f"DELETE FROM {name}"))

    def rows(self):
        """All rows that are there, with one moment for all times that the database keeps."""
        found = {}
        for side, tables in TABLES.items():
            with self.engines[side].begin() as conn:
                for name in tables:
                    conn.execute(sa.text(f"UPDATE {name} SET created_at = :now, updated_at = NULL"), {"now": MOMENT})
                    rows = conn.execute(sa.text(f"SELECT * FROM {name}")).mappings()
                    found[name] = [{key: value for key, value in row.items() if value is not None} for row in rows]
        return found

    def read(self, uuid):
        """The objects of the rows, or what reading them raises."""
        calls = {
            "Instance": lambda cls: cls.get_by_uuid(self.context, uuid, expected_attrs=list(READ)),
            "RequestSpec": lambda cls: cls.get_by_instance_uuid(self.context, uuid),
            "BuildRequest": lambda cls: cls.get_by_instance_uuid(self.context, uuid),
        }
        return {
            name: self.recorder.attempt(lambda call=call, name=name: call(self.classes[name]).obj_to_primitive())
            for name, call in calls.items()
        }


if __name__ == "__main__":
    main()

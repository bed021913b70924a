"""A deployment of Nova and Cinder as databases and configuration files, for commands that look at it."""

from __future__ import annotations

import json

from keel_common.db import Database, add, now, schema
from keel_common.db.stores.cinder import services as cinder_services
from keel_common.status.main import main

API, CELL, CINDER = schema.nova_api.tables, schema.nova_cell.tables, schema.cinder.tables


class Deployment:
    """Databases and configuration files; ``say`` runs the command."""

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        self.api = self._make("api", API["cell_mappings"], API["host_mappings"])
        of_cell = [CELL[name] for name in ("services", "compute_nodes", "instances", "instance_system_metadata")]
        self.cells = {name: self._make(name, *of_cell) for name in ("cell0", "cell1", "cell2")}
        names = ("clusters", "services", "volume_types", "consistencygroups", "groups", "volumes", "volume_attachment")
        self.cinder = self._make("cinder", *(CINDER[name] for name in names), CINDER["attachment_specs"])
        self.nova_conf, self.cinder_conf = folder / "nova.conf", folder / "cinder.conf"
        self.configure()

    def _url(self, name):
        return f"sqlite:///{self.folder}/{name}.db"

    def _make(self, name, *tables):
        db = Database(self._url(name))
        with db.engine.begin() as connection:
            connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            for table in tables:
                table.create(connection)
        return db

    def configure(self, text=""):
        api, cell, cinder = self._url("api"), self._url("cell1"), self._url("cinder")
        self.nova_conf.write_text(f"[api_database]\nconnection = {api}\n[database]\nconnection = {cell}\n{text}\n")
        self.cinder_conf.write_text(f"[database]\nconnection = {cinder}\n{text}\n")

    def map(self, name, uuid):
        row = {"uuid": uuid, "name": name, "transport_url": "none:///", "database_connection": self._url(name)}
        self.api.run(add, API["cell_mappings"], {**row, "disabled": False})

    def service(self, cell, host, version, binary="nova-compute", forced_down=False):
        row = {"host": host, "binary": binary, "topic": "t", "version": version, "report_count": 1, "disabled": False}
        self.cells[cell].run(add, CELL["services"], {**row, "forced_down": forced_down, "last_seen_up": now()})

    def wrote(self, host, binary, rpc, objects):
        values = {"rpc_current_version": rpc, "object_current_version": objects}
        self.cinder.run(cinder_services.register, host, binary, **values)

    def say(self, *words):
        """(exit code, standard output)"""
        suite = words[0]
        path = self.nova_conf if suite == "nova" else self.cinder_conf
        code = main(["--suite", suite, "--config-file", str(path), *words[1:]])
        return code, self.capsys.readouterr().out

    def pins(self, suite):
        code, text = self.say(suite, "pins", "--json")
        found = json.loads(text)
        return code, {line["topic"]: line for line in found["pins"]}, found

    def check(self, suite, name):
        """(result, details) of one check."""
        _, text = self.say(suite, "upgrade", "check", "--json")
        return next((one["result"], one["details"]) for one in json.loads(text)["checks"] if one["check"] == name)

"""Neutron, Cinder, Glance and Placement in memory, with the methods of `keel_common.clients` that a compute uses."""

from __future__ import annotations

import hashlib
import itertools
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from keel_common.clients import errors


class FakeNeutron:
    """One network with one subnet. `vif_type` is what a binding comes out as; `refuse` an error for the next create."""

    def __init__(self) -> None:
        self.network = {
            "id": str(uuid.uuid4()),
            "name": "private",
            "tenant_id": "p",
            "mtu": 1450,
            "shared": False,
            "provider:network_type": "geneve",
        }
        self.subnet = {"id": str(uuid.uuid4()), "cidr": "10.0.0.0/24", "gateway_ip": "10.0.0.1", "ip_version": 4}
        self.ports: dict[str, dict] = {}
        self.bindings: dict[str, dict[str, dict]] = {}
        self.vif_type = "ovs"
        self.refuse: errors.ClientError | None = None
        self.comes_up = True
        self.meanwhile: Any = None  # done once, before the next change of a port
        self.away = False  # nothing is deleted or listed
        self._numbers = itertools.count(10)

    def list_networks(self, context: Any = None, **filters: Any) -> list[dict]:
        if filters.get("shared"):
            return []
        return [dict(self.network)]

    def list_subnets(self, context: Any = None, **filters: Any) -> list[dict]:
        return [dict(self.subnet)]

    def list_floating_ips(self, context: Any = None, **filters: Any) -> list[dict]:
        return []

    def list_security_groups(self, context: Any = None, **filters: Any) -> list[dict]:
        return [{"id": "g1", "name": "web"}]

    def list_ports(self, context: Any = None, **filters: Any) -> list[dict]:
        if self.away:
            raise errors.Unreachable(0, "no answer", "neutron")
        return [dict(port) for port in self.ports.values() if port["device_id"] == filters["device_id"]]

    def show_port(self, port_id: str, context: Any = None) -> dict:
        if port_id not in self.ports:
            raise errors.NotFound(404, f"Port {port_id} could not be found.", "neutron")
        return dict(self.ports[port_id])

    def create_port(self, port: dict, context: Any = None) -> dict:
        if self.refuse:
            refused, self.refuse = self.refuse, None
            raise refused
        number = next(self._numbers)
        body = {
            "id": str(uuid.uuid4()),
            "mac_address": f"fa:16:3e:00:00:{number:02x}",
            "status": "DOWN",
            "device_id": "",
            "device_owner": "",
            "binding:vif_type": "unbound",
            "binding:vif_details": {},
            "binding:vnic_type": "normal",
            "revision_number": 1,
            "fixed_ips": [{"subnet_id": self.subnet["id"], "ip_address": f"10.0.0.{number}"}],
            **port,
        }
        self.ports[body["id"]] = body
        return dict(body)

    def update_port(self, port_id: str, port: dict, context: Any = None, revision: int | None = None) -> dict:
        if self.meanwhile:
            meanwhile, self.meanwhile = self.meanwhile, None
            meanwhile()
        body = self.ports[self.show_port(port_id)["id"]]
        if revision is not None and revision != body["revision_number"]:
            raise errors.ClientError(412, f"Constrained to {revision}, but current revision is another", "neutron")
        body["revision_number"] += 1
        body.update(port)
        bound = bool(port.get("binding:host_id"))
        if "binding:host_id" in port:
            body["binding:vif_type"] = self.vif_type if bound else "unbound"
            body["binding:vif_details"] = {"bridge_name": "br-int", "port_filter": True} if bound else {}
            body["status"] = "ACTIVE" if bound and self.comes_up else "DOWN"
        return dict(body)

    def extensions(self) -> set[str]:
        return {"binding-extended"}

    def create_binding(self, port_id: str, binding: dict) -> dict:
        self.bindings.setdefault(port_id, {})[binding["host"]] = binding
        return binding

    def activate_binding(self, port_id: str, host: str) -> None:
        if host not in self.bindings.get(port_id, {}):
            raise errors.NotFound(404, f"Binding of port {port_id} to {host} could not be found", "neutron")
        before = self.ports[port_id]["binding:host_id"]
        self.bindings[port_id][before] = {"host": before}
        self.ports[port_id]["binding:host_id"] = host

    def delete_binding(self, port_id: str, host: str) -> bool:
        return self.bindings.get(port_id, {}).pop(host, None) is not None

    def delete_port(self, port_id: str, context: Any = None) -> bool:
        return self.ports.pop(port_id, None) is not None


class FakeCinder:
    """Volumes whose claims a test makes in the cluster. `attachments` by id."""

    def __init__(self) -> None:
        self.volumes: dict[str, dict] = {}
        self.attachments: dict[str, dict] = {}
        self.refuse: errors.ClientError | None = None
        self.made: Any = None
        self.reimaged: Any = None

    def add(self, **values: Any) -> str:
        values = {key: value for key, value in values.items() if value is not None}
        volume = {"id": str(uuid.uuid4()), "size": 1, "status": "available", **values}
        self.volumes[volume["id"]] = volume
        return volume["id"]

    def show_volume(self, context: Any, volume_id: str) -> dict:
        return dict(self.volumes[volume_id])

    def create_volume(self, context: Any, volume: dict) -> dict:
        found = self.volumes[self.add(**volume)]
        if self.made:
            self.made(found)
        return dict(found)

    def create_attachment(
        self,
        context: Any,
        volume_id: str,
        server_id: str,
        connector: dict | None = None,
        mountpoint: str | None = None,
    ) -> dict:
        body = {"id": str(uuid.uuid4()), "volume_id": volume_id, "instance": server_id, "status": "reserved"}
        if not any(each["volume_id"] == volume_id for each in self.attachments.values()):
            self.volumes[volume_id]["status"] = "reserved"
        self.attachments[body["id"]] = {**body, "connection_info": {}}
        return dict(body) if connector is None else self._connect(body["id"], connector)

    def show_attachment(self, context: Any, attachment_id: str) -> dict:
        if attachment_id not in self.attachments:
            raise errors.NotFound(404, "attachment not found", "cinder")
        return dict(self.attachments[attachment_id])

    def list_attachments(self, context: Any, volume_id: str, instance_id: str) -> list[dict]:
        wanted = (volume_id, instance_id)
        return [dict(each) for each in self.attachments.values() if (each["volume_id"], each["instance"]) == wanted]

    def update_attachment(self, context: Any, attachment_id: str, connector: dict, mountpoint: str | None) -> dict:
        if self.refuse:
            refused, self.refuse = self.refuse, None
            raise refused
        volume = self.attachments[attachment_id]["volume_id"]
        every = [each for each in self.attachments.values() if each["volume_id"] == volume]
        if len(every) > 1 and any(each["connection_info"] for each in every):
            raise errors.Conflict(409, f"volume {volume} is connected by another attachment", "cinder")
        return self._connect(attachment_id, connector)

    def _connect(self, attachment_id: str, connector: dict) -> dict:
        body = self.attachments[attachment_id]
        claim = f"volume-{body['volume_id']}"
        body["connector"] = connector
        body["status"] = "attaching"
        body["connection_info"] = {
            "driver_volume_type": "csi",
            "volume_id": body["volume_id"],
            "claim_name": claim,
            "access_mode": "rw",
            "encrypted": False,
        }
        return dict(body)

    def complete_attachment(self, context: Any, attachment_id: str) -> None:
        body = self.attachments[attachment_id]
        body["status"] = "attached"
        self.volumes[body["volume_id"]]["status"] = "in-use"

    def delete_attachment(self, context: Any, attachment_id: str) -> bool:
        body = self.attachments.pop(attachment_id, None)
        if body:
            held = any(each["volume_id"] == body["volume_id"] for each in self.attachments.values())
            self.volumes[body["volume_id"]]["status"] = "reserved" if held else "available"
        return body is not None

    def reimage_volume(self, context: Any, volume_id: str, image_id: str) -> None:
        """`reimaged` is called and says what comes of it."""
        assert self.volumes[volume_id]["status"] == "reserved"
        self.volumes[volume_id]["status"] = "downloading"
        self.reimaged(self.volumes[volume_id], image_id)

    def delete_volume(self, context: Any, volume_id: str) -> None:
        if volume_id not in self.volumes:
            raise errors.NotFound(404, "volume not found", "cinder")
        del self.volumes[volume_id]


class FakeGlance:
    """An image whose bytes a web server gives to whoever shows the token."""

    def __init__(self) -> None:
        self.data = b"image" * 1000
        self.secret = "user-token"
        self.id = str(uuid.uuid4())
        glance = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                """Keep the test output quiet."""

            def do_HEAD(self) -> None:  # noqa: N802
                self._answer(False)

            def do_GET(self) -> None:  # noqa: N802
                self._answer(True)

            def _answer(self, body: bool) -> None:
                if self.headers.get("X-Auth-Token") != glance.secret:
                    self.send_error(401)
                    return
                self.send_response(200)
                self.send_header("content-length", str(len(glance.data)))
                self.end_headers()
                if body:
                    self.wfile.write(glance.data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def image(self) -> dict:
        digest = hashlib.sha512(self.data).hexdigest()
        return {
            "id": self.id,
            "disk_format": "raw",
            "size": len(self.data),
            "min_disk": 0,
            "os_hash_algo": "sha512",
            "os_hash_value": digest,
        }

    def show(self, context: Any, image_id: str) -> dict:
        if image_id != self.id:
            raise errors.NotFound(404, f"No image found with ID {image_id}", "glance")
        return self.image

    def file_url(self, image_id: str) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v2/images/{image_id}/file"

    def token(self) -> str:
        return "service-token"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class FakePlacement:
    """`providers`: uuid -> name; `inventory`, `traits` by provider; `allocations` by consumer."""

    def __init__(self) -> None:
        self.providers: dict[str, str] = {}
        self.inventory: dict[str, dict] = {}
        self.traits: dict[str, set[str]] = {}
        self.allocations: dict[str, str] = {}

    def ensure_provider(self, uuid: str, name: str) -> dict:
        self.providers[uuid] = name
        return {"uuid": uuid, "name": name}

    def inventories(self, uuid: str) -> dict:
        return self.inventory.get(uuid, {})

    def set_inventory(self, uuid: str, inventories: dict) -> bool:
        self.inventory[uuid] = inventories
        return True

    def set_traits(self, uuid: str, add: set[str], remove: set[str] = frozenset()) -> bool:
        self.traits[uuid] = (self.traits.get(uuid, set()) - remove) | add
        return True

    def provider_allocations(self, provider: str) -> dict:
        return {consumer: {} for consumer, where in self.allocations.items() if where == provider}

    def delete_allocations(self, consumer: str) -> bool:
        return self.allocations.pop(consumer, None) is not None

    def move_allocations(self, source: str, target: str) -> bool:
        if source not in self.allocations:
            return False
        self.allocations[target] = self.allocations.pop(source)
        return True


class FakeClients:
    def __init__(self) -> None:
        self.neutron = FakeNeutron()
        self.cinder = FakeCinder()
        self.glance = FakeGlance()
        self.placement = FakePlacement()

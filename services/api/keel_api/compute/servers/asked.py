"""What a create request asks for, read and checked in the recorded order (nova 34.0.0 summary, Servers)."""

from __future__ import annotations

import secrets
import string
from dataclasses import dataclass, field
from typing import Any

from keel_api.http.fault import Fault
from keel_api.http.request import Request
from keel_common.domain.server import block_devices
from keel_common.domain.server.block_devices import InvalidDevice, truth

CREATE = "os_compute_api:servers:create"
DESTINATION = "compute:servers:create:requested_destination"
_AMBIGUOUS_BDM = "Using different block_device_mapping syntaxes is not allowed in the same request."
_LETTERS = string.ascii_letters.translate({ord(c): None for c in "iIloO"})
_DIGITS = "23456789"


@dataclass
class Asked:
    """A checked create request, before anything is looked up."""

    name: str
    description: str | None
    flavor: str
    image: str | None
    min_count: int
    max_count: int
    zone: str | None = None
    forced_host: str | None = None
    forced_node: str | None = None
    wanted_host: str | None = None
    wanted_node: str | None = None
    hostname: str | None = None
    key_name: str | None = None
    user_data: str | None = None
    config_drive: bool = False
    password: str = ""
    disk_config: bool | None = None
    access_ip_v4: str | None = None
    access_ip_v6: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    files: list[tuple[str, str]] = field(default_factory=list)
    security_groups: list[str] = field(default_factory=list)
    networks: Any = None
    devices: list[dict[str, Any]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    trusted_certs: list[str] | None = None
    hints: dict[str, list[str]] = field(default_factory=dict)
    by_reservation: bool = False


def read(req: Request) -> Asked:
    """Read the body of POST /servers; Fault 400 or 403 in the recorded order."""
    body = req.body["server"]
    low, high = _counts(body)
    zone_text = body.get("availability_zone")
    target = {
        "project_id": req.context.project_id,
        "user_id": req.context.user_id,
        "availability_zone": zone_text,
    }
    req.must(CREATE, target)
    if body.get("trusted_image_certificates"):
        req.must(f"{CREATE}:trusted_certs", target)
    zone, host, node = _zone(zone_text)
    if host or node:
        req.must(f"{CREATE}:forced_host", target)
    asked = _plain(req, body, low, high)
    asked.zone = zone or req.services.conf.default_schedule_zone
    asked.forced_host, asked.forced_node = host, node
    _destination(req, body, asked, target)
    _devices(req, body, asked, target)
    _image(body, asked)
    _networks(req, body, asked, target)
    asked.flavor = str(body["flavorRef"]).rstrip("/").rsplit("/", 1)[-1]
    return asked


def _counts(body: dict[str, Any]) -> tuple[int, int]:
    low = int(body.get("min_count") or 1)
    high = int(body.get("max_count") or low)
    if low > high:
        raise Fault(400, "min_count must be <= max_count")
    return low, high


def _zone(text: str | None) -> tuple[str | None, str | None, str | None]:
    """zone, host and node of zone, zone:host, zone:host:node or zone::node."""
    if not text or ":" not in text:
        return text, None, None
    parts = text.split(":")
    if len(parts) > 3:
        raise Fault(400, "Invalid input received: Unable to parse availability_zone")
    zone, host, node = (*parts, "", "")[:3]
    return zone or None, host or None, node or None


def _plain(req: Request, body: dict[str, Any], low: int, high: int) -> Asked:
    name = body["name"].strip() if req.legacy else body["name"].rstrip("\n")
    groups = [group["name"] for group in body.get("security_groups", ()) if group.get("name")]
    if body.get("hostname") is not None and high > 1:
        raise Fault(400, "Unable to allocate a single hostname to multiple instances")
    hints = req.body.get("os:scheduler_hints") or req.body.get("OS-SCH-HNT:scheduler_hints") or {}
    disk_config = body.get("OS-DCF:diskConfig")
    return Asked(
        name=name,
        description=body.get("description") if req.at_least(2, 19) else name,
        flavor="",
        image=None,
        min_count=low,
        max_count=high,
        hostname=body.get("hostname"),
        key_name=body.get("key_name"),
        user_data=body.get("user_data"),
        config_drive=truth(body.get("config_drive") or False),
        password=body.get("adminPass") or new_password(req.services.conf.password_length),
        disk_config=None if disk_config is None else disk_config == "AUTO",
        access_ip_v4=body.get("accessIPv4") or None,
        access_ip_v6=body.get("accessIPv6") or None,
        metadata=dict(body.get("metadata") or {}),
        files=[(item["path"], item.get("contents", "")) for item in body.get("personality", ())],
        security_groups=list(dict.fromkeys(groups)),
        tags=sorted(set(body.get("tags", ()))),
        trusted_certs=body.get("trusted_image_certificates") or None,
        hints={key: _texts(value) for key, value in hints.items()},
        by_reservation=truth(body.get("return_reservation_id") or False),
    )


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _destination(req: Request, body: dict[str, Any], asked: Asked, target: dict[str, Any]) -> None:
    asked.wanted_host, asked.wanted_node = body.get("host"), body.get("hypervisor_hostname")
    if not asked.wanted_host and not asked.wanted_node:
        return
    req.must(DESTINATION, target)
    if asked.forced_host or asked.forced_node:
        raise Fault(
            400, "A host of availability_zone and host or hypervisor_hostname cannot be asked for at the same time"
        )


def _devices(req: Request, body: dict[str, Any], asked: Asked, target: dict[str, Any]) -> None:
    older, newer = body.get("block_device_mapping"), body.get("block_device_mapping_v2")
    if older and newer:
        raise Fault(400, _AMBIGUOUS_BDM)
    if not older and not newer:
        return
    req.must(f"{CREATE}:attach_volume", target)
    try:
        asked.devices = block_devices.from_v1(older) if older else block_devices.from_v2(newer or ())
    except InvalidDevice as error:
        raise Fault(400, str(error)) from None


def _image(body: dict[str, Any], asked: Asked) -> None:
    ref = body.get("imageRef") or None
    if ref is None and not asked.devices:
        raise Fault(400, "Invalid imageRef provided.")
    asked.image = ref.rstrip("/").rsplit("/", 1)[-1] if ref else None


def _networks(req: Request, body: dict[str, Any], asked: Asked, target: dict[str, Any]) -> None:
    asked.networks = body.get("networks")
    if asked.networks and asked.networks != "none":
        req.must(f"{CREATE}:attach_network", target)


def new_password(length: int) -> str:
    """A password of `length` characters with a lower case letter, an upper case one and a digit."""
    lower = "".join(c for c in _LETTERS if c.islower())
    upper = "".join(c for c in _LETTERS if c.isupper())
    sets = [_DIGITS, upper, lower][: max(length, 0)]
    chosen = [secrets.choice(symbols) for symbols in sets]
    chosen += [secrets.choice(_LETTERS + _DIGITS) for _ in range(length - len(chosen))]
    secrets.SystemRandom().shuffle(chosen)
    return "".join(chosen)

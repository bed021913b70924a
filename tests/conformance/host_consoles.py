"""What a nova-compute at the edge tells of its servers: consoles and their tokens, output, diagnostics."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from conformance.host_records import HostRecords
from keel_contract.errors import ExpectedFault
from keel_contract.nova import objects

OUTPUT = "FAKE CONSOLE OUTPUT\nANOTHER\nLAST LINE"


@dataclass(frozen=True)
class Console:
    """A type of console: the group of its options, the option of its base URL, the host behind it."""

    group: str
    url: str
    host: str
    tls_port: int | None = None
    path: str | None = None


CONSOLES = {
    "novnc": Console("vnc", "novncproxy_base_url", "fakevncconsole.com", path="FAKE"),
    "spice-html5": Console("spice", "html5proxy_base_url", "fakespiceconsole.com", 6970),
    "spice-direct": Console("spice", "spice_direct_proxy_base_url", "fakespiceconsole.com", 6970),
    "serial": Console("serial_console", "base_url", "fakerdpconsole.com", path="FAKE"),
    "webmks": Console("mks", "mksproxy_base_url", "fakemksconsole.com"),
}
DISK = {"vda_errors": -1, "vda_read": 262144, "vda_read_req": 112, "vda_write": 5778432, "vda_write_req": 488}
VNET = {"rx": 2070139, "rx_drop": 0, "rx_errors": 0, "rx_packets": 26701}
VNET |= {"tx": 140208, "tx_drop": 0, "tx_errors": 0, "tx_packets": 662}
COUNTERS = {"octets": 2070139, "errors": 100, "drop": 200, "packets": 26701, "rate": 300}
SENT = {"octets": 140208, "errors": 400, "drop": 500, "packets": 662, "rate": 600}


class HostConsoles(HostRecords):
    """Everything that is asked and changes nothing."""

    def get_console_output(self, context: Any, instance: Any, tail_length: Any) -> str:
        lines = OUTPUT.split("\n")
        return "\n".join(lines[-int(tail_length) :] if tail_length else lines)

    def get_vnc_console(self, context: Any, console_type: str, instance: Any) -> dict[str, Any]:
        return self._console(context, "vnc", console_type, instance)

    def get_spice_console(self, context: Any, console_type: str, instance: Any) -> dict[str, Any]:
        return self._console(context, "spice", console_type, instance)

    def get_serial_console(self, context: Any, console_type: str, instance: Any) -> dict[str, Any]:
        return self._console(context, "serial_console", console_type, instance)

    def get_mks_console(self, context: Any, console_type: str, instance: Any) -> dict[str, Any]:
        return self._console(context, "mks", console_type, instance)

    def _console(self, context: Any, group: str, console_type: str, instance: Any) -> dict[str, Any]:
        """A token for a console; refused when the operator has that protocol off or the type is another's."""
        options = self._conf[group]
        if not options.enabled:
            raise ExpectedFault(
                "ConsoleTypeUnavailable", f"Unavailable console type {console_type}.", console_type=console_type
            )
        console = CONSOLES.get(console_type)
        if console is None or console.group != group:
            raise ExpectedFault("ConsoleTypeInvalid", f"Invalid console type {console_type}", console_type=console_type)
        made = objects.ConsoleAuthToken(
            console_type=console_type,
            host=console.host,
            port=6969,
            internal_access_path=str(uuid.uuid4()) if console.path else None,
            instance_uuid=instance.uuid,
            access_url_base=getattr(options, console.url),
        )
        if console.tls_port:
            made.tls_port = console.tls_port
        token = self._remote.action(context, made, "authorize", self._conf.consoleauth.token_ttl)
        base = getattr(options, console.url)
        query = f"path={quote(f'?token={token}')}" if console_type == "novnc" else f"token={token}"
        return {
            "token": token,
            "access_url": f"{base}?{query}",
            "host": console.host,
            "port": 6969,
            "internal_access_path": made.internal_access_path,
        }

    def get_diagnostics(self, context: Any, instance: Any) -> dict[str, Any]:
        network = {f"vnet1_{name}": value for name, value in VNET.items()}
        return {"cpu0_time": 17300000000, "memory": 524288, **DISK, **network}

    def get_instance_diagnostics(self, context: Any, instance: Any) -> Any:
        network = {f"rx_{name}": value for name, value in COUNTERS.items()}
        network |= {f"tx_{name}": value for name, value in SENT.items()}
        disk = {"read_bytes": 262144, "read_requests": 112, "write_bytes": 5778432, "write_requests": 488}
        return objects.Diagnostics(
            state="running",
            driver="libvirt",
            hypervisor="kvm",
            hypervisor_os="ubuntu",
            uptime=46664,
            config_drive=True,
            num_cpus=1,
            num_nics=1,
            num_disks=1,
            cpu_details=[objects.CpuDiagnostics(id=0, time=17300000000, utilisation=15)],
            nic_details=[objects.NicDiagnostics(mac_address="01:23:45:67:89:ab", **network)],
            disk_details=[objects.DiskDiagnostics(**disk, errors_count=1)],
            memory_details=objects.MemoryDiagnostics(maximum=524288, used=0),
        )

    def get_host_uptime(self, context: Any) -> str:
        return " 08:32:11 up 93 days, 18:25, 12 users,  load average: 0.20, 0.12, 0.14"

    def external_instance_event(self, context: Any, instances: Any, events: Any) -> None:
        """Nothing waits for events here."""

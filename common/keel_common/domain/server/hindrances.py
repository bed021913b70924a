"""What of a server forbids an action whatever its state: shares, accelerators, vTPM, encrypted memory.

Source: nova 34.0.0 action_preconditions (guards before lock and state), errors (guard_outcomes). Guards that only old
computes need (service version 63 and below) are left out: no such compute is served.
"""

from collections.abc import Callable, Mapping
from typing import Any

BAD_REQUEST, CONFLICT = 400, 409
_DEVICE_PROFILE = "accel:device_profile"
_HOST_HELD = "host"  # where the secret of a vTPM may be for a live migration


class Hindrance(Exception):
    """An action cannot be done to this server; `code` is what the API answers."""

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = code


SHARES = "shares"
Check = Callable[[Mapping[str, Any]], str | None]


def accelerators(server: Mapping[str, Any]) -> str | None:
    """The flavor brings an accelerator."""
    flavor = server.get("flavor") or {}
    return "accelerators" if flavor.get("extra_specs", {}).get(_DEVICE_PROFILE) else None


def port_accelerators(server: Mapping[str, Any]) -> str | None:
    """A port has an accelerator request."""
    ports = server.get("network_info") or ()
    return "ports with accelerators" if any((port.get("profile") or {}).get("arq_uuid") for port in ports) else None


def vtpm(server: Mapping[str, Any]) -> str | None:
    """Flavor or image ask for a virtual TPM."""
    return "a virtual TPM" if _asked(server, "hw:tpm_version", "hw_tpm_version") else None


def vtpm_secret_elsewhere(server: Mapping[str, Any]) -> str | None:
    """A virtual TPM whose secret the host does not hold."""
    if vtpm(server) is None:
        return None
    flavor = server.get("flavor") or {}
    kept = flavor.get("extra_specs", {}).get("hw:tpm_secret_security")
    return None if kept == _HOST_HELD else "a virtual TPM whose secret the host does not hold"


def encrypted_memory(server: Mapping[str, Any]) -> str | None:
    """Flavor or image ask for encrypted memory."""
    value = _asked(server, "hw:mem_encryption", "hw_mem_encryption")
    return "encrypted memory" if str(value or "").lower() in ("true", "1", "yes", "on") else None


def _asked(server: Mapping[str, Any], spec: str, prop: str) -> Any:
    flavor = server.get("flavor") or {}
    system = server.get("system_metadata") or {}
    return flavor.get("extra_specs", {}).get(spec) or system.get(f"image_{prop}")


# method -> what is looked at, in the recorded order; SHARES stands for the servers' shares, which a row does not tell
HINDRANCES: dict[str, tuple[Check | str, ...]] = {
    "evacuate": (SHARES, port_accelerators, vtpm),
    "live_migrate": (SHARES, port_accelerators, accelerators, vtpm_secret_elsewhere, encrypted_memory),
    "rebuild": (SHARES, vtpm),
    "rescue": (vtpm,),
    "resize": (port_accelerators, accelerators),
    "shelve": (SHARES, port_accelerators, vtpm),
    "shelve_offload": (port_accelerators,),
    "suspend": (SHARES, port_accelerators, accelerators, encrypted_memory),
}
_SHARES_BAD_REQUEST = frozenset({"rebuild"})


def check(method: str, server: Mapping[str, Any], has_shares: bool) -> None:
    """Raise the first Hindrance of an action; `server` has flavor, network_info and system_metadata."""
    for looked_at in HINDRANCES.get(method, ()):
        if callable(looked_at):
            found, code = looked_at(server), BAD_REQUEST
        else:
            found = SHARES if has_shares else None
            code = BAD_REQUEST if method in _SHARES_BAD_REQUEST else CONFLICT
        if found:
            raise Hindrance(code, f"'{method}' is not possible for instance {server['uuid']}: it has {found}.")


def needs_shares(method: str) -> bool:
    """Whether an action asks for the shares of the server."""
    return SHARES in HINDRANCES.get(method, ())

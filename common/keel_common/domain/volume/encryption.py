"""Which encryption of a volume type can be kept: that of the storage, never that of the hypervisor.

A claim is handed to a guest by KubeVirt as it is: nothing in between can decrypt it (control location front-end: LUKS).
A StorageClass whose driver encrypts keeps the promise of a type with control location back-end, when the type asks for
such a pool by an extra spec.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Capability of a pool whose StorageClass encrypts what it stores, and the extra spec that asks for it.
CAPABILITY = "encryption_at_rest"
WANTED = "<is> True"
_KEYS = (CAPABILITY, f"capabilities:{CAPABILITY}")


def refusal(encryption: Mapping[str, Any] | None, extra_specs: Mapping[str, str | None]) -> str | None:
    """Why no volume of a type with this encryption can be made, or None."""
    if encryption is None:
        return None
    if encryption["control_location"] != "back-end":
        return (
            f"its type asks for encryption by the hypervisor ({encryption['provider']}, control location "
            f"{encryption['control_location']}), and servers here use volumes as they are; a type with control "
            f"location back-end and the extra spec {CAPABILITY}='{WANTED}' is encrypted by its storage"
        )
    if WANTED not in [extra_specs.get(key) for key in _KEYS]:
        return f"its type is encrypted by its storage and does not ask for such storage: {CAPABILITY}='{WANTED}'"
    return None

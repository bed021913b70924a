"""User data and keys as a Secret that KubeVirt puts on a config drive.

KubeVirt builds the ISO (label config-2) when the instance starts, from a Secret with keys userdata and networkdata;
ssh keys travel as accessCredentials (kubevirt 1.9 cloud-init).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from keel_common.kube import SECRET, names

DEFAULT_USER_DATA = "#cloud-config\n{}\n"
VOLUME = "config"


def secret(server: str, namespace: str, labels: Mapping[str, str], encoded: str | None) -> dict:
    """The Secret behind the config drive; `encoded` is the user data in base64, as instances.user_data has it."""
    # Read as generously as the API took it (line breaks and the like), written as strictly as the cluster reads it.
    plain = base64.b64decode(encoded) if encoded else DEFAULT_USER_DATA.encode()
    data = {"userdata": base64.b64encode(plain).decode()}
    body = SECRET.body(names.secret(server, "userdata"), namespace, type="Opaque", data=data)
    body["metadata"]["labels"] = dict(labels)
    return body


def key_secret(server: str, namespace: str, labels: Mapping[str, str], key: str) -> dict:
    """The Secret of the ssh key (each value of it is a key for KubeVirt, so it stands alone)."""
    data = {"key": base64.b64encode(key.strip().encode()).decode()}
    body = SECRET.body(names.secret(server, "keys"), namespace, type="Opaque", data=data)
    body["metadata"]["labels"] = dict(labels)
    return body


def volume(server: str) -> dict:
    """The entry of spec.volumes for the config drive."""
    return {"name": VOLUME, "cloudInitConfigDrive": {"secretRef": {"name": names.secret(server, "userdata")}}}


def disk() -> dict:
    """The entry of domain.devices.disks for the config drive."""
    return {"name": VOLUME, "cdrom": {"bus": "sata"}}


def credentials(server: str) -> list[dict]:
    """spec.accessCredentials that put the ssh key into the drive's metadata."""
    source = {"secret": {"secretName": names.secret(server, "keys")}}
    return [{"sshPublicKey": {"source": source, "propagationMethod": {"configDrive": {}}}}]

"""The cluster's own certificate authority, its server certificate, and the kubeconfig for clients."""

from __future__ import annotations

import base64
import ipaddress
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_YEARS = timedelta(days=3650)


def ensure(folder: Path, host: str) -> tuple[Path, Path, str]:
    """Make (once) ca.crt, server.crt, server.key and the admin token in a folder.

    Returns the certificate, the key and the token.
    """
    certificate, key, token = folder / "server.crt", folder / "server.key", folder / "token"
    if not (certificate.exists() and key.exists() and token.exists()):
        _make(folder, host)
        token.touch(mode=0o600)
        token.write_text(secrets.token_urlsafe(32))
    return certificate, key, token.read_text()


def _make(folder: Path, host: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ca_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubesim-ca")])
    ca = (
        _builder(ca_name, ca_name, ca_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(key_cert_sign=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    names: list[x509.GeneralName] = [
        x509.DNSName(name) for name in ("localhost", "kubernetes", "kubernetes.default.svc")
    ]
    names += [
        x509.IPAddress(ipaddress.ip_address(text)) for text in dict.fromkeys(("127.0.0.1", "::1", *_address(host)))
    ]
    server_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")])
    server = (
        _builder(server_name, ca_name, server_key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    (folder / "ca.crt").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    (folder / "server.crt").write_bytes(server.public_bytes(serialization.Encoding.PEM))
    private = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.key").touch(mode=0o600)
    (folder / "server.key").write_bytes(private)


def _address(host: str) -> list[str]:
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        return []


def _builder(subject: x509.Name, issuer: x509.Name, key: Any) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _YEARS)
    )


def _usage(**on: bool) -> x509.KeyUsage:
    names = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    )  # fmt: skip
    return x509.KeyUsage(**{name: on.get(name, False) for name in names})


def write_kubeconfig(path: Path, url: str, ca: bytes, token: str, namespace: str) -> None:
    """A kubeconfig with one cluster, one user (the admin token) and one context."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "kubesim",
        "clusters": [
            {"name": "kubesim", "cluster": {"server": url, "certificate-authority-data": base64.b64encode(ca).decode()}}
        ],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "kubesim", "context": {"cluster": "kubesim", "user": "admin", "namespace": namespace}}],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(content, sort_keys=False))

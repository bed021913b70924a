"""Makes and reads keys: ssh key pairs and X.509 certificates (nova 34.0.0 keypairs)."""

from __future__ import annotations

import base64
import binascii
import datetime
import hashlib
from dataclasses import dataclass

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_BITS = 2048
_COMMENT = "Generated-by-OpenKeel"
_UPN = x509.ObjectIdentifier("1.3.6.1.4.1.311.20.2.3")  # the user a certificate logs in on Windows


class Invalid(Exception):
    """The text is no public key of its type; the message says why."""


@dataclass(frozen=True)
class Key:
    """``private`` is PEM, and None for what a user imported."""

    public: str
    fingerprint: str
    private: str | None = None


def imported(kind: str, public: str) -> Key:
    """A user's own public key (``ssh``) or certificate (``x509``). Raises Invalid."""
    fingerprint = _certificate_print(public) if kind == "x509" else _ssh_print(public)
    return Key(public, fingerprint)


def generated(kind: str, user_id: str) -> Key:
    """A new key; its private half is not kept anywhere but in the answer."""
    secret = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)
    private = secret.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()
    if kind == "x509":
        public = _certificate(secret, user_id)
        return Key(public, _certificate_print(public), private)
    line = secret.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    public = f"{line.decode()} {_COMMENT}"
    return Key(public, _ssh_print(public), private)


def _ssh_print(public: str) -> str:
    """MD5 of the key blob, in pairs of digits."""
    try:
        blob = base64.b64decode(public.split(" ")[1].encode(), validate=False)
        serialization.load_ssh_public_key(public.encode())
    except UnsupportedAlgorithm:
        pass  # newer key types are kept as they are
    except (IndexError, ValueError, binascii.Error) as error:
        raise Invalid("failed to generate fingerprint") from error
    return _pairs(hashlib.md5(blob, usedforsecurity=False).digest())


def _certificate_print(public: str) -> str:
    """SHA-1 of the certificate, in pairs of digits."""
    try:
        certificate = x509.load_pem_x509_certificate(public.encode())
    except ValueError as error:
        raise Invalid("failed to generate X509 fingerprint") from error
    return _pairs(certificate.fingerprint(hashes.SHA1()))


def _pairs(digest: bytes) -> str:
    return ":".join(f"{byte:02x}" for byte in digest)


def _certificate(secret: rsa.RSAPrivateKey, user_id: str) -> str:
    """Self-signed, ten years, for client authentication of the user."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, user_id[:64])])
    login = f"{user_id}@localhost".encode()
    upn = x509.OtherName(_UPN, b"\x0c" + bytes([len(login)]) + login)  # a UTF8String of fewer than 128 bytes
    start = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=3650))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([upn]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode()

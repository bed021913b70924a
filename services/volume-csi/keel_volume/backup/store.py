"""Where backups lie: a directory or an S3 bucket, both through obstore. Names are relative, with slashes.

An object is there whole or not at all: the library writes files beside their place and renames them, and S3 does so by
itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import LocalStore, S3Store
from oslo_config import cfg

#: Value of ``backup_driver`` (last part, lower case, without its tail) -> how to open the store.
_TAIL = "backupdriver"
_PLAIN = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")


class StoreError(Exception):
    """The store did not do it now; it may later."""


class Missing(StoreError):
    """There is no such object."""


class UnknownStore(ValueError):
    """``backup_driver`` names a store that is not built here."""


class Store:
    """``name`` stands in the rows of its backups (`service`): whoever does not have that store leaves them alone."""

    def __init__(self, name: str, store: Any, where: str):
        self.name = name
        self.where = where
        self._store = store

    def put(self, name: str, data: bytes) -> None:
        """Write an object, in place of one of that name. Raises StoreError."""
        with self._told(name):
            obstore.put(self._store, name, data)

    def get(self, name: str) -> bytes:
        """Raises Missing, StoreError."""
        with self._told(name):
            return bytes(obstore.get(self._store, name).bytes())

    def names(self, prefix: str) -> Iterator[str]:
        """Names of all objects below a prefix, in pages. Raises StoreError."""
        with self._told(prefix):
            for page in obstore.list(self._store, prefix):
                for item in page:
                    yield item["path"]

    def drop(self, name: str) -> None:
        """Delete an object; nothing when it is not there. Raises StoreError."""
        with self._told(name):
            _delete(self._store, name)

    def remove(self, prefix: str) -> int:
        """Delete every object below a prefix; how many there were. Raises StoreError."""
        count = 0
        with self._told(prefix):
            for page in obstore.list(self._store, prefix):
                paths = [item["path"] for item in page]
                for path in paths:
                    _delete(self._store, path)
                count += len(paths)
        return count

    def check(self) -> None:
        """Raises StoreError when the store does not answer."""
        with self._told("the store"):
            next(iter(obstore.list(self._store, "none", chunk_size=1)), None)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except (NotFoundError, FileNotFoundError) as problem:
            raise Missing(f"{what} is not in {self.where}") from problem
        except (BaseError, OSError) as problem:
            raise StoreError(f"{self.where} does not answer for {what}: {problem}") from problem


def _delete(store: Any, path: str) -> None:
    try:
        obstore.delete(store, path)
    except (NotFoundError, FileNotFoundError):
        return  # Somebody was faster.


def checked(prefix: str) -> str:
    """A prefix of plain names; ValueError for anything that could lead out of the store."""
    parts = prefix.split("/")
    if not prefix or len(prefix) > 1000 or not all(_PLAIN.match(part) and ".." not in part for part in parts):
        raise ValueError(f"{prefix[:100]!r} is no name of a container of backups")
    return prefix


def open_store(conf: cfg.ConfigOpts) -> Store:
    """The store that ``backup_driver`` names. Raises UnknownStore."""
    kind = conf.backup_driver.rpartition(".")[2].lower().removesuffix(_TAIL)
    if kind not in _STORES:
        raise UnknownStore(
            f"backup_driver = {conf.backup_driver} is not available here: set one of "
            "cinder.backup.drivers.posix.PosixBackupDriver (a directory, also one mounted from NFS) and "
            "cinder.backup.drivers.s3.S3BackupDriver"
        )
    return _STORES[kind](conf)


def _posix(conf: cfg.ConfigOpts) -> Store:
    folder = Path(conf.backup_posix_path)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Store("openkeel.posix", LocalStore(folder, automatic_cleanup=True), str(folder))


def _s3(conf: cfg.ConfigOpts) -> Store:
    url = conf.backup_s3_endpoint_url
    client: dict[str, Any] = {"timeout": timedelta(seconds=conf.backup_s3_timeout)}
    if url and url.startswith("http://"):
        client["allow_http"] = True
    if not conf.backup_s3_verify_ssl:
        client["allow_invalid_certificates"] = True
    if conf.backup_s3_ca_cert_file:
        client["root_certificate"] = Path(conf.backup_s3_ca_cert_file).read_bytes()
    store = S3Store(
        conf.backup_s3_store_bucket,
        endpoint=url,
        access_key_id=conf.backup_s3_store_access_key,
        secret_access_key=conf.backup_s3_store_secret_key,
        region="us-east-1",
        virtual_hosted_style_request=url is None,
        client_options=client,  # type: ignore[arg-type]  # A plain dict of what is set.
        retry_config={"max_retries": conf.backup_s3_retry_max_attempts},
    )
    return Store("openkeel.s3", store, f"{url or 's3:/'}/{conf.backup_s3_store_bucket}")


_STORES: dict[str, Callable[[cfg.ConfigOpts], Store]] = {"posix": _posix, "s3": _s3}

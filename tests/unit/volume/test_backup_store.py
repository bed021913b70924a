"""Backups in a directory and in a bucket: what is stored, what comes back, and what is found out."""

import contextlib
import hashlib
import os
import random

import pytest

from keel_common import config
from keel_volume.backup import format
from keel_volume.backup.copying import TooSmall, restore_stream, store_stream
from keel_volume.backup.store import Missing, StoreError, UnknownStore, checked, open_store
from tests.fakes.s3_server import S3Server

CHUNK = 1 << 16
CONTAINER = "backups"


@pytest.fixture(scope="module")
def s3():
    with contextlib.closing(S3Server("volumebackups")) as server:
        yield server.url


def conf_of(path, text):
    path.write_text(text)
    return config.load("volume", [], [str(path)])


@pytest.fixture(params=["posix", "s3"])
def store(request, tmp_path):
    if request.param == "posix":
        driver, more = "posix.PosixBackupDriver", f"backup_posix_path = {tmp_path}/store"
    else:
        url = request.getfixturevalue("s3")
        driver, more = "s3.S3BackupDriver", f"backup_s3_endpoint_url = {url}\nbackup_s3_store_access_key = key\n"
        more += "backup_s3_store_secret_key = secret"
    return open_store(
        conf_of(tmp_path / "c.conf", f"[DEFAULT]\nbackup_driver = cinder.backup.drivers.{driver}\n{more}\n")
    )


class Disk:
    """What a volume takes: so many bytes."""

    def __init__(self, size):
        self.size, self.data = size, bytearray()

    def write(self, data):
        self.data += data

    def skip(self, length):
        self.data += bytes(length)


def sparse(seed, size=20 * CHUNK + 77, filled=6):
    """Zeros with some chunks of noise and one of letters."""
    rng, data = random.Random(seed), bytearray(size)
    for number in rng.sample(range(size // CHUNK), filled):
        data[number * CHUNK : (number + 1) * CHUNK] = rng.randbytes(CHUNK)
    data[5 * CHUNK + 100 : 5 * CHUNK + 200] = b"a" * 100
    return bytes(data)


def pieces(data, size=10_000):
    return (data[start : start + size] for start in range(0, len(data), size))


def save(store, name, data, parent=None, compression="zstd"):
    prefix = format.prefix(CONTAINER, "v", name)
    written = store_stream(store, prefix, pieces(data), CHUNK, compression, parent, lambda: None)
    made = format.Backup(prefix, written.size, CHUNK, written.owners, written.index, {"backup_id": name})
    format.save(store, made)
    return format.load(store, prefix), written


def restored(store, backup, size=None):
    disk = Disk(size or backup.size)
    restore_stream(store, backup, disk, lambda: None)
    return bytes(disk.data)


@pytest.mark.parametrize("compression", ["none", "zlib", "bz2", "zstd"])
def test_a_sparse_disk_comes_back_and_its_zeros_are_not_stored(store, compression):
    data = sparse(1)
    backup, written = save(store, f"full-{compression}", data, compression=compression)
    assert restored(store, backup) == data
    stored = list(store.names(f"{backup.prefix}/chunks"))
    assert len(stored) == written.objects <= 7
    assert written.zeros == len(backup.index) - sum(1 for n in range(len(backup.index)) if backup.index[n][0])
    store.remove(backup.prefix)


def test_an_increment_stores_what_changed_alone(store):
    first = sparse(2)
    full, _ = save(store, "full", first)
    changed = bytearray(first)
    changed[9 * CHUNK : 9 * CHUNK + 8] = b"new data"
    changed[5 * CHUNK : 6 * CHUNK] = bytes(CHUNK)
    second, written = save(store, "second", bytes(changed), parent=full)
    assert written.objects == 1
    grown = bytes(changed) + b"x" * CHUNK
    third, written = save(store, "third", grown, parent=second)
    assert written.objects == 2  # The last chunk was not full before.
    assert third.owners == (third.prefix, second.prefix, full.prefix)
    assert restored(store, third) == grown
    assert restored(store, second) == bytes(changed)
    assert restored(store, full) == first


def test_a_second_try_sends_what_is_missing_and_takes_away_what_changed(store):
    prefix = format.prefix(CONTAINER, "v", "again")
    data, count = sparse(3), iter(range(100))

    def until_the_twelfth():
        if next(count) == 12:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        store_stream(store, prefix, pieces(data), CHUNK, "zstd", None, until_the_twelfth)
    with pytest.raises(Missing):
        format.load(store, prefix)
    before = set(store.names(prefix))
    changed = bytearray(data)
    changed[5 * CHUNK + 100] = 66
    backup, written = save(store, "again", bytes(changed))
    assert restored(store, backup) == bytes(changed)
    after = set(store.names(f"{prefix}/chunks"))
    assert len(after) == written.objects
    assert before - after, "the chunk that nothing names any more is gone"
    assert store.remove(prefix) == written.objects + 2
    assert list(store.names(prefix)) == []


def test_a_larger_volume_is_filled_and_a_smaller_one_takes_zeros_only(store):
    data = sparse(4)
    backup, _ = save(store, "sizes", data + bytes(3 * CHUNK))
    assert restored(store, backup, len(data)) == data
    with pytest.raises(TooSmall):
        restored(store, backup, 4 * CHUNK)


@pytest.mark.parametrize("harm", ["flipped", "cut", "bomb", "other"])
def test_a_chunk_that_is_not_what_it_was_is_found_out(store, harm):
    backup, _ = save(store, f"harm-{harm}", sparse(5))
    name = next(iter(store.names(f"{backup.prefix}/chunks")))
    data = bytearray(store.get(name))
    if harm == "flipped":
        data[len(data) // 2] ^= 1
    elif harm == "cut":
        del data[len(data) // 2 :]
    elif harm == "bomb":
        data = format._CODECS["zstd"][0] + format._CODECS["zstd"][1](bytes(64 << 20))
    else:
        data[0] = ord("?")
    store.put(name, bytes(data))
    with pytest.raises(format.Damaged):
        restored(store, backup)
    store.remove(backup.prefix)


def test_an_index_that_is_not_what_it_was_is_found_out(store):
    backup, _ = save(store, "index", sparse(6))
    store.put(f"{backup.prefix}/index", backup.index.dump()[:-34])
    with pytest.raises(format.Damaged):
        format.load(store, backup.prefix)
    for text in (b"{", b"[]", b'{"format": "other"}'):
        store.put(f"{backup.prefix}/metadata.json", text)
        with pytest.raises(format.Damaged):
            format.load(store, backup.prefix)
    store.remove(backup.prefix)


@pytest.mark.parametrize("name", ["", "..", "a/../b", "/etc", "a//b", ".hidden", "a\0b", "x" * 2000, "a b", "-a"])
def test_no_container_leads_out_of_the_store(name):
    with pytest.raises(ValueError):
        checked(name)


def test_a_store_nobody_can_reach_says_so(tmp_path):
    text = "[DEFAULT]\nbackup_driver = cinder.backup.drivers.s3.S3BackupDriver\nbackup_s3_endpoint_url = http://127.0.0.1:1\n"
    text += "backup_s3_store_access_key = a\nbackup_s3_store_secret_key = b\nbackup_s3_retry_max_attempts = 0\n"
    with pytest.raises(StoreError):
        open_store(conf_of(tmp_path / "c", text)).check()


def test_a_driver_that_is_not_built_is_named_with_those_that_are(tmp_path):
    with pytest.raises(UnknownStore, match="PosixBackupDriver"):
        open_store(conf_of(tmp_path / "c", "[DEFAULT]\nbackup_driver = cinder.backup.drivers.ceph.CephBackupDriver\n"))


def test_the_layout_is_the_documented_one(tmp_path):
    text = (
        f"[DEFAULT]\nbackup_driver = cinder.backup.drivers.posix.PosixBackupDriver\nbackup_posix_path = {tmp_path}/s\n"
    )
    store = open_store(conf_of(tmp_path / "c", text))
    backup, _ = save(store, "one", b"q" * CHUNK)
    digest = hashlib.sha256(b"q" * CHUNK).hexdigest()
    root = tmp_path / "s" / "backups" / "volume_v" / "backup_one"
    found = sorted(os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names)
    assert found == [f"chunks/{digest[:2]}/{digest}", "index", "metadata.json"]
    assert (root / "index").read_bytes() == bytes.fromhex(digest) + bytes(2)

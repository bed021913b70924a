"""Images are hostile: each of these is looked at before it is written, and what is not what it says is refused."""

import gzip
import shutil
import subprocess

import pytest

from keel_dev import disk_images as made
from keel_volume.flows.image_inspection import DECLARED, HEAD, inspect
from keel_volume.flows.refusals import Refused

MIB = 1 << 20
ROOM = 1 << 30
TYPES = ("streamOptimized", "monolithicSparse")
RAW = b"\xeb\x63\x90 a boot loader" * 4000

GOOD = {
    "raw": ("raw", RAW),
    "an empty raw disk": ("raw", bytes(MIB)),
    "raw that is short": ("raw", b"x"),
    "raw with a partition table": ("raw", made.partitioned((0x83, 0x82))),
    "raw with a GPT": ("raw", made.partitioned()),
    "qcow2": ("qcow2", made.qcow2(ROOM, RAW)),
    "qcow2 of the old version": ("qcow2", made.qcow2(ROOM, version=2)),
    "vmdk": ("vmdk", made.vmdk(ROOM)),
    "vmdk as a stream": ("vmdk", made.vmdk(ROOM, "streamOptimized", footer=True)),
    "vdi": ("vdi", made.vdi(ROOM)),
    "vhd": ("vhd", made.vhd(ROOM)),
    "iso": ("iso", made.iso()),
    "iso that boots from a disk": ("iso", made.iso(bootable=True)),
}
HOSTILE = {
    "a backing file": ("qcow2", made.qcow2(ROOM, backing_file="/etc/passwd"), "backing"),
    "a backing file of the old version": (
        "qcow2",
        made.qcow2(ROOM, version=2, backing_file="nbd:1.2.3.4:1"),
        "backing",
    ),
    "a data file": ("qcow2", made.qcow2(ROOM, data_file=True), "data_file"),
    "an unknown feature": ("qcow2", made.qcow2(ROOM, incompatible=1 << 40), "features"),
    "a qcow2 said to be raw": ("raw", made.qcow2(ROOM), "declared as raw and looks like qcow2"),
    "a qcow2 with a backing file said to be raw": ("raw", made.qcow2(ROOM, backing_file="/x"), "looks like qcow2"),
    "raw said to be a qcow2": ("qcow2", RAW, "looks like raw"),
    "a vmdk said to be a vhd": ("vhd", made.vmdk(ROOM), "looks like vmdk"),
    "a luks disk said to be raw": ("raw", made.luks(), "looks like luks"),
    "a QED said to be raw": ("raw", made.qed(), "looks like qed"),
    "a QED said to be a qcow2": ("qcow2", made.qed(), "looks like qed"),
    "an iso said to be raw": ("raw", made.iso(), "looks like iso"),
    "a vmdk of text that names a file": ("vmdk", made.vmdk_descriptor('RW 2048 FLAT "/etc/passwd" 0'), "not safe"),
    "a vmdk whose extent is a path": ("vmdk", made.vmdk(ROOM, extents=('RW 1 FLAT "/etc/passwd" 0',)), "extent"),
    "a vmdk without extents": ("vmdk", made.vmdk(ROOM, extents=()), "extents"),
    "a vmdk with a line nobody knows": ("vmdk", made.vmdk(ROOM, lines=("RAW stuff here",)), "descriptor"),
    "a vmdk of a flat type": ("vmdk", made.vmdk(ROOM, "monolithicFlat"), "not safe"),
    "a qcow2 larger than the volume": ("qcow2", made.qcow2(2 * ROOM), "bytes, the volume"),
    "a vmdk larger than the volume": ("vmdk", made.vmdk(2 * ROOM), "bytes, the volume"),
    "a vdi larger than the volume": ("vdi", made.vdi(2 * ROOM), "bytes, the volume"),
    "a GPT that hides partitions": ("raw", made.partitioned((0xEE, 0x83)), "extra partitions"),
    "a boot record that is none": ("raw", made.partitioned((0x83,), boot=7), "boot flag"),
    "two formats at once": ("qcow2", made.qcow2(ROOM)[:32768] + made.iso()[32768:], "iso and qcow2"),
    "packed data in a bare container": ("raw", gzip.compress(RAW), "packed"),
    "a format nobody writes": ("ploop", RAW, "cannot be written"),
    "a kernel": ("aki", RAW, "cannot be written"),
}


def look(declared, data, container="bare", types=TYPES):
    """The largest piece that was held, and how much was read."""
    read = []

    def pieces():
        for start in range(0, len(data), MIB):
            read.append(len(data[start : start + MIB]))
            yield data[start : start + MIB]

    inspect(pieces, {"disk_format": declared, "container_format": container}, ROOM, types)
    return sum(read)


@pytest.mark.parametrize("what", GOOD)
def test_an_image_that_is_what_it_says_is_taken(what):
    look(*GOOD[what])


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_image_is_refused_with_the_recorded_message(what):
    declared, data, why = HOSTILE[what]
    with pytest.raises(Refused, match=why) as refused:
        look(declared, data)
    assert (refused.value.action, refused.value.detail) == ("COPY_IMAGE_TO_VOLUME", "IMAGE_FORMAT_UNACCEPTABLE")
    assert not refused.value.retry


@pytest.mark.parametrize("declared", DECLARED)
@pytest.mark.parametrize("data", [b"", b"\0" * 7, b"QFI\xfb", b"KDMV" + b"\xff" * 600, b"vhdxfile" + b"\xff" * 300000])
def test_what_is_cut_off_or_broken_is_refused_or_raw(declared, data):
    if declared == "raw" and data[:4] in (b"", b"\0" * 4):
        look(declared, data)
        return
    with pytest.raises(Refused):
        look(declared, data)


def test_a_large_image_is_read_no_further_than_its_head():
    assert look("raw", bytes(64 * MIB)) <= HEAD + MIB
    assert look("qcow2", made.qcow2(ROOM) + bytes(64 * MIB)) <= HEAD + MIB


def test_the_footer_of_a_large_stream_counts():
    """Its header says that the tables are at the end: they decide, and they name another descriptor here."""
    good = made.vmdk(ROOM, "streamOptimized", footer=True)
    tail = good[-1536:]
    look("vmdk", good[:-1536] + bytes(2 * HEAD) + tail)
    other = tail[:512] + tail[512:1024].replace(b"\x14\0\0\0", b"\x15\0\0\0") + tail[1024:]
    with pytest.raises(Refused, match="footer"):
        look("vmdk", good[:-1536] + bytes(2 * HEAD) + other)


def test_types_of_vmdk_are_the_operators_choice():
    with pytest.raises(Refused, match="not allowed"):
        look("vmdk", made.vmdk(ROOM), types=("streamOptimized",))


def test_what_is_inside_a_compressed_container_is_looked_at():
    look("qcow2", gzip.compress(made.qcow2(ROOM, RAW)), "compressed")
    with pytest.raises(Refused, match="backing"):
        look("qcow2", gzip.compress(made.qcow2(ROOM, backing_file="/etc/passwd")), "compressed")
    with pytest.raises(Refused, match="no gzip"):
        look("raw", RAW, "compressed")


@pytest.mark.skipif(not shutil.which("qemu-img"), reason="qemu-img is not installed")
@pytest.mark.parametrize(
    ("declared", "made_as", "options"),
    [
        ("vhdx", "vhdx", ()),
        ("vhd", "vpc", ()),
        ("vdi", "vdi", ()),
        ("qcow2", "qcow2", ()),
        ("vmdk", "vmdk", ("-o", "subformat=streamOptimized")),
        ("vmdk", "vmdk", ("-o", "subformat=monolithicSparse")),
    ],
)
def test_what_qemu_makes_is_taken(declared, made_as, options, tmp_path):
    raw, image = tmp_path / "disk", tmp_path / "image"
    raw.write_bytes(RAW.ljust(4 * MIB, b"\0"))
    subprocess.run(["qemu-img", "convert", "-f", "raw", "-O", made_as, *options, raw, image], check=True)
    look(declared, image.read_bytes())
    other = "raw" if declared != "raw" else "qcow2"
    with pytest.raises(Refused):
        look(other, image.read_bytes())

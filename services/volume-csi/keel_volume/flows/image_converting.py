"""A raw disk in a format that only qemu-img makes: through files of the service, within limits.

The files stand in [DEFAULT]image_conversion_dir while it lasts (the raw one is sparse); qemu-img may take
image_conversion_cpu_limit seconds of processor time and image_conversion_address_space_limit GiB of memory, and as long
as an import may. It is told what the input is, so that it does not look for itself (cinder 29.0.0 options).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from oslo_concurrency import processutils
from oslo_config import cfg

from keel_volume.flows.refusals import Refused

PROGRAM = "qemu-img"
#: Formats of Glance and what qemu-img calls them.
FORMATS = {"vmdk": "vmdk", "vdi": "vdi", "vhd": "vpc", "vhdx": "vhdx"}
#: The disk keeps its size: this format would round it otherwise.
_OPTIONS = {"vpc": ("-o", "force_size=on")}
_PIECE = 1 << 20


def is_possible() -> bool:
    """Whether the program is there."""
    return shutil.which(PROGRAM) is not None


@dataclass(frozen=True)
class Converter:
    """``folder`` is its own: what a dead process left there goes first, and all of it in the end."""

    folder: Path
    seconds: int
    limits: processutils.ProcessLimits

    @classmethod
    def of(cls, conf: cfg.ConfigOpts, name: str) -> Converter:
        """As the operator limits it; ``name`` of what is converted."""
        limits = processutils.ProcessLimits(
            cpu_time=conf.image_conversion_cpu_limit, address_space=conf.image_conversion_address_space_limit << 30
        )
        return cls(Path(conf.image_conversion_dir) / name, conf.csi.import_timeout, limits)

    def pieces(self, disk: Iterable[bytes], image_format: str) -> Iterator[bytes]:
        """The image in pieces of at most 1 MiB. Raises Refused."""
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self.folder.mkdir(parents=True, mode=0o700)
            raw, made = self.folder / "raw", self.folder / "image"
            _write(disk, raw)
            self._convert(raw, made, FORMATS[image_format])
            raw.unlink()
            with open(made, "rb") as file:
                while piece := file.read(_PIECE):
                    yield piece
        except OSError as problem:
            raise Refused(f"no image in format {image_format} could be made: {problem}", retry=False) from problem
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _convert(self, raw: Path, made: Path, name: str) -> None:
        command = (PROGRAM, "convert", "-f", "raw", "-O", name, *_OPTIONS.get(name, ()), str(raw), str(made))
        try:
            processutils.execute(*command, prlimit=self.limits, timeout=self.seconds)
        except processutils.ProcessExecutionError as problem:
            words = (problem.stderr or "").strip()[:300] or f"it ended with {problem.exit_code}"
            raise Refused(f"{PROGRAM} could not make the image: {words}", retry=False) from problem
        except subprocess.TimeoutExpired as problem:
            raise Refused(f"{PROGRAM} did not end within {self.seconds} s", retry=False) from problem


def _write(disk: Iterable[bytes], path: Path) -> None:
    """Pieces of zeros become holes."""
    with open(path, "wb") as file:
        size, empty = 0, bytes(_PIECE)
        for piece in disk:
            size += len(piece)
            if piece == empty[: len(piece)]:
                file.seek(len(piece), 1)
            else:
                file.write(piece)
        file.truncate(size)

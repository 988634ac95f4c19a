"""Driving that the learner has not acknowledged yet, on the driver's disk: one file a batch.

A batch is complete on disk before it is sent and removed when it is acknowledged, so neither end loses driving when
either is killed. Sequences go on over restarts, which lets the learner drop what it gets twice.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_faults, remove_temporary, write_bytes

_MAGIC: Final = b"TMSPOOL1"
_HEADER: Final = struct.Struct("<8sQIII")  # magic, sequence, steps, length and CRC-32 of the content


@dataclass(frozen=True)
class SpooledBatch:
    """A batch that waits.

    Attributes:
        sequence: counts from 1 for each driver.
        steps: transitions in it.
        size_bytes: length of its file.
    """

    sequence: int
    steps: int
    size_bytes: int


class Spool:
    """The batches of one driver. One thread adds, another takes them from the front.

    Args:
        folder: where they are kept.
        cap_bytes: beyond this no further batch is taken; a single larger one is, when there is nothing else.
    """

    def __init__(self, folder: Path, cap_bytes: int) -> None:
        self._folder = folder
        self._cap_bytes = cap_bytes
        self._changed = threading.Condition()
        with disk_faults(folder, "open the spool in"):
            folder.mkdir(parents=True, exist_ok=True)
            remove_temporary(folder)
            self._batches = deque(self._found())
        self._last = self._batches[-1].sequence if self._batches else 0
        self._steps = sum(batch.steps for batch in self._batches)
        self._size_bytes = sum(batch.size_bytes for batch in self._batches)

    @property
    def steps(self) -> int:
        """Transitions that wait."""
        return self._steps

    @property
    def size_bytes(self) -> int:
        """Length of all that waits."""
        return self._size_bytes

    @property
    def has_room(self) -> bool:
        """Whether another batch is taken."""
        return self.size_bytes < self._cap_bytes

    def continue_after(self, sequence: int) -> None:
        """Number new batches above ``sequence``, the last one that the learner has, and drop what it has already."""
        with self._changed:
            self._last = max(self._last, sequence)
            while self._batches and self._batches[0].sequence <= sequence:
                batch = self._batches.popleft()
                self._count(batch, -1)
                self._path(batch.sequence).unlink(missing_ok=True)

    def add(self, content: bytes, steps: int) -> int:
        """Keep a batch; returns its sequence. On an error (a full disk) nothing has changed and it may be tried again.

        Args:
            content: the packed batch.
            steps: transitions in it.
        """
        sequence = self._last + 1
        header = _HEADER.pack(_MAGIC, sequence, steps, len(content), zlib.crc32(content))
        write_bytes(self._path(sequence), header + content)
        with self._changed:
            self._last = sequence
            batch = SpooledBatch(sequence, steps, len(header) + len(content))
            self._batches.append(batch)
            self._count(batch, 1)
            self._changed.notify_all()
        return sequence

    def oldest(self, patience_s: float) -> SpooledBatch | None:
        """The batch to send next, waited for up to ``patience_s``; None if there is none."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._batches), patience_s)
            return self._batches[0] if self._batches else None

    def read(self, batch: SpooledBatch) -> bytes:
        """The packed batch.

        Raises:
            TMStudioError: its file is damaged.
        """
        path = self._path(batch.sequence)
        with disk_faults(path, "read"):
            raw = path.read_bytes()
        content = raw[_HEADER.size :]
        if _parse(raw) != (batch.sequence, batch.steps) or zlib.crc32(content) != _HEADER.unpack_from(raw)[4]:
            raise TMStudioError("A batch of driving is damaged", cause=f"the checksum of {path} does not fit")
        return content

    def acknowledge(self, sequence: int) -> None:
        """Forget the batches up to ``sequence``."""
        self.continue_after(sequence)

    def set_aside(self, batch: SpooledBatch) -> Path:
        """Take a batch that cannot be delivered out of the row, and keep its file under another name."""
        aside = self._path(batch.sequence).with_suffix(".unusable")
        with self._changed:
            self._batches.remove(batch)
            self._count(batch, -1)
            if self._path(batch.sequence).exists():
                os.replace(self._path(batch.sequence), aside)
        return aside

    def _count(self, batch: SpooledBatch, sign: int) -> None:
        self._steps += sign * batch.steps
        self._size_bytes += sign * batch.size_bytes

    def _path(self, sequence: int) -> Path:
        return self._folder / f"{sequence:012d}.batch"

    def _found(self) -> list[SpooledBatch]:
        found = []
        for path in sorted(self._folder.glob("[0-9]*.batch")):
            with path.open("rb") as file:
                parsed = _parse(file.read(_HEADER.size))
            # A file with a damaged head keeps its place in the row, so that it is reported and not just missing.
            sequence, steps = parsed if parsed is not None else (int(path.stem), 0)
            found.append(SpooledBatch(sequence, steps, path.stat().st_size))
        return found


def _parse(raw: bytes) -> tuple[int, int] | None:
    if len(raw) < _HEADER.size:
        return None
    magic, sequence, steps, _, _ = _HEADER.unpack_from(raw)
    return (sequence, steps) if magic == _MAGIC else None

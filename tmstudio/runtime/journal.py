"""Driving that has arrived since the last checkpoint, safe on disk before it is acknowledged.

A journal is a row of segment files. Each record is a length, a CRC and a serialised push; a record that a crash
left half written is cut off when the journal is opened. A checkpoint begins a new segment and drops the older ones
once it is saved itself, so that checkpoint plus journal are always all that was ever acknowledged.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from google.protobuf.message import DecodeError

from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_fault, disk_faults, sync_folder
from tmstudio.transport.channel import MAX_MESSAGE_BYTES
from tmstudio.transport.proto import tmstudio_pb2 as pb

_MAGIC: Final = b"TMSJRNL1"
_HEADER: Final = struct.Struct("<II")  # length and CRC-32 of the record's content


@dataclass(frozen=True)
class TornTail:
    """What was cut off a segment: bytes that are no whole record."""

    segment: Path
    bytes_cut: int


class Journal:
    """The journal in a folder. Appending and turning to a new segment are for one thread at a time.

    Args:
        folder: where the segments are.
        first_segment: the segment with which the newest checkpoint goes on; older ones are removed.

    Attributes:
        torn: what was cut off when the journal was opened.
    """

    def __init__(self, folder: Path, first_segment: int) -> None:
        self._folder = folder
        self.torn: list[TornTail] = []
        with disk_faults(folder, "open the journal in"):
            folder.mkdir(exist_ok=True)
            segments = self._segments()
            for number, path in segments:
                if number < first_segment:
                    path.unlink()
        kept = [number for number, _ in segments if number >= first_segment]
        for number in kept:
            self._cut_torn_tail(self._path(number))
        self._first = min(kept, default=first_segment)
        self.segment = max(kept, default=first_segment)
        self._file = self._open_segment()

    def replay(self) -> Iterator[pb.PushRequest]:
        """Everything in the journal, in the order in which it arrived."""
        for number in range(self._first, self.segment + 1):
            path = self._path(number)
            if path.exists():
                with path.open("rb") as file:
                    yield from (push for push, _ in _records(file))

    def append(self, push: pb.PushRequest) -> None:
        """Add a push; when this returns, it survives a power cut. On an error the journal is as it was before."""
        content = push.SerializeToString()
        end = self._file.tell()
        try:
            left = memoryview(_HEADER.pack(len(content), zlib.crc32(content)) + content)
            while left:  # a disk that fills up first takes a part, then raises
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._undo(end)
            raise disk_fault(error, self._path(self.segment)) from error

    def begin_segment(self) -> int:
        """Turn to a new segment; returns its number, which belongs into the checkpoint."""
        self._file.close()
        self.segment += 1
        self._file = self._open_segment()
        return self.segment

    def drop_before(self, segment: int) -> None:
        """Remove the segments before ``segment``: a saved checkpoint holds all that is in them."""
        for number, path in self._segments():
            if number < segment:
                path.unlink(missing_ok=True)
        self._first = max(self._first, segment)

    def size_bytes(self) -> int:
        """Length of all segments."""
        return sum(path.stat().st_size for _, path in self._segments())

    def close(self) -> None:
        """Close the newest segment."""
        self._file.close()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:08d}.journal"

    def _segments(self) -> list[tuple[int, Path]]:
        return sorted((int(path.stem), path) for path in self._folder.glob("[0-9]*.journal"))

    def _open_segment(self) -> BinaryIO:
        path = self._path(self.segment)
        with disk_faults(path):
            file = path.open("ab", buffering=0)
            if file.tell() == 0:
                file.write(_MAGIC)
                sync_folder(self._folder)
        return file

    def _undo(self, end: int) -> None:
        """Take back a half-written record, so that the next one begins where a reader expects it."""
        self._file.seek(end)
        self._file.truncate(end)

    def _cut_torn_tail(self, path: Path) -> None:
        with disk_faults(path, "read"), path.open("r+b") as file:
            whole = max((end for _, end in _records(file)), default=_MAGIC_END)
            size = file.seek(0, os.SEEK_END)
            if size > whole:
                file.truncate(whole)
                self.torn.append(TornTail(path, size - whole))
            elif size < whole:  # torn within its very first bytes
                file.truncate(0)


_MAGIC_END: Final = len(_MAGIC)


def _records(file: BinaryIO) -> Iterator[tuple[pb.PushRequest, int]]:
    """The whole records of a segment and where each ends; stops at the first that is not whole."""
    if file.read(_MAGIC_END) != _MAGIC:
        if file.seek(0, os.SEEK_END) < _MAGIC_END:
            return
        raise TMStudioError(
            "The journal cannot be read",
            cause=f"{file.name} was not written by this version of TMStudio",
            hint="update TMStudio, or move the file away and lose the driving in it",
        )
    end = _MAGIC_END
    while True:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return
        length, checksum = _HEADER.unpack(header)
        content = file.read(length) if length <= MAX_MESSAGE_BYTES else b""
        if len(content) != length or zlib.crc32(content) != checksum:
            return
        push = pb.PushRequest()
        try:
            push.ParseFromString(content)
        except DecodeError:
            return
        end += _HEADER.size + length
        yield push, end

"""What the driver shows while it drives: a mapped file with the newest telemetry and frames.

The reader keeps a heartbeat in the header, and the writer writes only while it beats. Each slot has a sequence
number, odd while it is being written, and a CRC: a reader never takes a slot that was half written, not even
by a writer that was killed in the middle.
"""

from __future__ import annotations

import mmap
import os
import secrets
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tmstudio.config.schema import check_schema_version
from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_fault

SLOTS = 512
FRAME_SHAPE = (488, 958, 3)
READER_TIMEOUT_S = 2.0

LIVE_DTYPE = np.dtype(
    [
        ("index", "<u8"),  # counts from 1, given by the writer
        ("time_s", "<f8"),  # monotonic clock of the machine
        ("source", "<u1"),  # 0 training, 1 watch
        ("car", "<u2"),
        ("episode", "<u4"),
        ("policy_step", "<i8"),
        ("position_m", "<f8", (3,)),
        ("velocity_mps", "<f4", (3,)),
        ("heading_rad", "<f4"),
        ("speed_mps", "<f4"),
        ("engine_rpm", "<f4"),
        ("gear", "<i2"),
        ("skidding_wheels", "<i2"),
        ("gas", "<f4"),
        ("brake", "<f4"),
        ("steer", "<f4"),
        ("race_time_s", "<f4"),
        ("progress_m", "<f4"),
        ("progress_fraction", "<f4"),
        ("from_start", "<u1"),
        ("lidar_m", "<f4", (19,)),
        ("terms", "<f4", (6,)),  # weighted, sum over the attempt so far
        ("return_", "<f4"),
        ("steps_per_s", "<f4"),
        ("speed_factor", "<f4"),
        ("step_ms", "<f4"),
        ("deadline_misses", "<u4"),
    ]
)

_MAGIC = b"TMSRING\0"
_VERSION = 1
_HEADER_DTYPE = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("record_bytes", "<u4"),
        ("head", "<u8"),  # index of the newest record
        ("frame_head", "<u8"),  # number of frames so far
        ("reader_beat_s", "<f8"),
    ]
)
_SLOT_DTYPE = np.dtype([("sequence", "<u8"), ("crc", "<u8"), ("record", LIVE_DTYPE)], align=True)
_RECORD_AT = 16
_FRAME_DTYPE = np.dtype(
    [("sequence", "<u8"), ("crc", "<u8"), ("index", "<u8"), ("time_s", "<f8"), ("image", "u1", FRAME_SHAPE)]
)
_FRAME_SLOTS = 2
_SLOTS_AT = 4096
_FRAMES_AT = -(-(_SLOTS_AT + SLOTS * _SLOT_DTYPE.itemsize) // 4096) * 4096
_FILE_BYTES = -(-(_FRAMES_AT + _FRAME_SLOTS * _FRAME_DTYPE.itemsize) // 4096) * 4096


@dataclass(frozen=True)
class LiveFrame:
    """A picture of the driver's view.

    Attributes:
        number: counts from 1.
        index: the telemetry record that belongs to it.
        time_s: monotonic clock of the machine.
        image: (488, 958, 3) uint8, BGR; a copy.
    """

    number: int
    index: int
    time_s: float
    image: NDArray[np.uint8]


class _Mapping:
    """The mapped file as NumPy arrays."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _SLOTS_AT:
                raise _damaged(path, f"it has only {size} bytes")
            self._map = mmap.mmap(file.fileno(), size)
        self.header: NDArray[Any] = np.frombuffer(self._map, _HEADER_DTYPE, 1)
        if self.header["magic"][0] != _MAGIC.rstrip(b"\0"):
            raise _damaged(path, "it does not begin as a live ring does")
        check_schema_version(int(self.header["version"][0]), _VERSION, f"The live ring {path}")
        if size != _FILE_BYTES or self.header["record_bytes"][0] != LIVE_DTYPE.itemsize:
            raise _damaged(path, f"it has {size} bytes, expected {_FILE_BYTES}")
        self.slots: NDArray[Any] = np.frombuffer(self._map, _SLOT_DTYPE, SLOTS, _SLOTS_AT)
        bytes_of_slots = np.frombuffer(self._map, np.uint8, self.slots.nbytes, _SLOTS_AT).reshape(SLOTS, -1)
        self.record_bytes = bytes_of_slots[:, _RECORD_AT : _RECORD_AT + LIVE_DTYPE.itemsize]
        self.frames: NDArray[Any] = np.frombuffer(self._map, _FRAME_DTYPE, _FRAME_SLOTS, _FRAMES_AT)

    def close(self) -> None:
        """Unmap the file; the arrays must not be used any more."""
        del self.header, self.slots, self.record_bytes, self.frames
        self._map.close()


class LiveWriter:
    """The driver's end. One writer a file; a restarted one goes on counting where the last one stopped."""

    def __init__(self, path: Path) -> None:
        """Open the ring at ``path``; made, or made anew where it is of no use."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._mapping = _Mapping(path)
            except (FileNotFoundError, TMStudioError):
                _create(path)
                self._mapping = _Mapping(path)
        except OSError as error:
            raise disk_fault(error, path, "create") from error
        self._head = int(self._mapping.header["head"][0])
        self._frame_head = int(self._mapping.header["frame_head"][0])

    def wanted(self) -> bool:
        """Whether someone reads. If not, there is no need to make a frame."""
        age_s = time.monotonic() - float(self._mapping.header["reader_beat_s"][0])
        return (
            0.0 <= age_s < READER_TIMEOUT_S
        )  # the clock begins anew with each boot: the future is another boot

    def publish(self, record: NDArray[Any] | np.void, frame: NDArray[np.uint8] | None = None) -> bool:
        """Show ``record`` (a LIVE_DTYPE scalar; index is set here) and, if given, the frame that belongs to it.

        Args:
            record: one record.
            frame: (488, 958, 3) uint8, BGR.

        Returns:
            Whether it was written, which it is only while someone reads.
        """
        if not self.wanted():
            return False
        index = self._head + 1
        place = index % SLOTS
        content = index.to_bytes(8, "little") + record.tobytes()[8:]  # the index is the first field
        slots = self._mapping.slots
        slots["sequence"][place] = 2 * index + 1
        self._mapping.record_bytes[place] = np.frombuffer(content, np.uint8)
        slots["crc"][place] = zlib.crc32(content)
        slots["sequence"][place] = 2 * index + 2
        self._mapping.header["head"] = self._head = index
        if frame is not None:
            self._publish_frame(index, float(record["time_s"]), frame)
        return True

    def close(self) -> None:
        """Close the ring."""
        self._mapping.close()

    def _publish_frame(self, index: int, time_s: float, frame: NDArray[np.uint8]) -> None:
        number = self._frame_head + 1
        slot = self._mapping.frames[number % _FRAME_SLOTS : number % _FRAME_SLOTS + 1]
        slot["sequence"] = 2 * number + 1
        slot["index"], slot["time_s"] = index, time_s
        slot["image"][0] = frame
        slot["crc"] = zlib.crc32(slot["image"].data)
        slot["sequence"] = 2 * number + 2
        self._mapping.header["frame_head"] = self._frame_head = number


class LiveReader:
    """The studio's end. A ring that does not exist yet reads as empty.

    Attributes:
        damaged: slots that were skipped because their checksum did not fit.
    """

    def __init__(self, path: Path) -> None:
        """Read the ring at ``path``."""
        self._path = path
        self._mapping: _Mapping | None = None
        self.damaged = 0

    def beat(self) -> bool:
        """Say that someone reads; to be called at least once a second. False while there is no ring yet."""
        mapping = self._attach()
        if mapping is None:
            return False
        mapping.header["reader_beat_s"] = time.monotonic()
        return True

    def newest_index(self) -> int:
        """Index of the newest record, 0 while there is none."""
        mapping = self._attach()
        return 0 if mapping is None else int(mapping.header["head"][0])

    def records_since(self, index: int) -> NDArray[Any]:
        """The records after ``index`` that are still held, oldest first, as a LIVE_DTYPE array of copies."""
        mapping = self._attach()
        head = 0 if mapping is None else int(mapping.header["head"][0])
        first = max(index + 1, head - SLOTS + 1, 1)
        if mapping is None or first > head:
            return np.empty(0, LIVE_DTYPE)
        indices = np.arange(first, head + 1)
        slots = mapping.slots[indices % SLOTS]  # copies
        # What the writer has begun to change since is found by reading the sequence numbers once more.
        expected = (2 * indices + 2).astype(np.uint64)
        whole = (slots["sequence"] == expected) & (mapping.slots["sequence"][indices % SLOTS] == expected)
        records: NDArray[Any] = np.ascontiguousarray(slots["record"])
        content, size = memoryview(records.tobytes()), LIVE_DTYPE.itemsize
        checksums = slots["crc"].tolist()
        for position in np.flatnonzero(whole).tolist():
            if zlib.crc32(content[position * size : (position + 1) * size]) != checksums[position]:
                whole[position] = False
                self.damaged += 1
        found: NDArray[Any] = records[whole]
        return found

    def frame(self, after: int = 0) -> LiveFrame | None:
        """The newest whole frame with a number above ``after``, or None."""
        mapping = self._attach()
        if mapping is None:
            return None
        newest = int(mapping.header["frame_head"][0])
        for number in range(newest, max(after, newest - _FRAME_SLOTS), -1):
            slot = mapping.frames[number % _FRAME_SLOTS]
            expected = 2 * number + 2
            if slot["sequence"] != expected:
                continue
            index, time_s, crc, image = (
                int(slot["index"]),
                float(slot["time_s"]),
                slot["crc"],
                slot["image"].copy(),
            )
            if slot["sequence"] != expected:
                continue
            if zlib.crc32(image) != crc:
                self.damaged += 1
                continue
            return LiveFrame(number, index, time_s, image)
        return None

    def close(self) -> None:
        """Stop reading."""
        if self._mapping is not None:
            self._mapping.close()
            self._mapping = None

    def _attach(self) -> _Mapping | None:
        if self._mapping is None:
            try:
                self._mapping = _Mapping(self._path)
            except FileNotFoundError:
                return None
            except OSError as error:
                raise disk_fault(error, self._path, "read") from error
        return self._mapping


def new_record() -> NDArray[Any]:
    """An empty record to fill in: a LIVE_DTYPE array without dimensions."""
    return np.zeros((), LIVE_DTYPE)


def _create(path: Path) -> None:
    # Under another name first: a reader never sees a ring without its header, and one that has the old file
    # mapped never sees it shrink.
    temporary = path.with_name(f".{path.name}.tmp-{os.getpid()}-{secrets.token_hex(4)}")
    header = np.zeros(1, _HEADER_DTYPE)
    header["magic"], header["version"], header["record_bytes"] = _MAGIC, _VERSION, LIVE_DTYPE.itemsize
    header["reader_beat_s"] = -1e9
    try:
        with temporary.open("xb") as file:
            file.write(header.tobytes())
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, _FILE_BYTES)  # a full disk now, not a bus error later
            file.truncate(_FILE_BYTES)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _damaged(path: Path, cause: str) -> TMStudioError:
    return TMStudioError(
        f"The live view's file {path} is damaged", cause=cause, hint="restart the driver, which makes it anew"
    )

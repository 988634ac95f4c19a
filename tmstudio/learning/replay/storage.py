"""The replay's file: a header, then one array after another, mapped into memory.

Written driving survives the process in the page cache without a copy or a save. The file is allocated in full
when it is made, so that a full disk is an error then and not a crash of the mapping hours later.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_fault

SCHEMA_VERSION = 1

_MAGIC = b"TMSREPLY"
_FIXED = struct.Struct("<8sII")  # magic, schema version, length of the JSON text
_TEXT_OFFSET = 64
_WRITTEN_OFFSET = 24
_HEADER_BYTES = 4096
_ALIGNMENT = 4096
_HINT = "move the run's replay folder away and start again: the run goes on with an empty replay"


@dataclass(frozen=True)
class Shape:
    """Sizes of a store: rows, and numbers in an observation, an action and the reward terms of a row."""

    rows: int
    observation_size: int
    action_size: int
    reward_terms: int

    @property
    def record_size(self) -> int:
        """Numbers in a record: observation, action, return and discount."""
        return self.observation_size + self.action_size + 2

    def columns(self) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
        """Name -> element type and shape of each array, in the order in which the file holds them."""
        return {
            "records": (np.dtype("<f4"), (self.rows, self.record_size)),
            "reward_terms": (np.dtype("<f4"), (self.rows, self.reward_terms)),
            "steps_left": (np.dtype("<i4"), (self.rows,)),
            "terminates": (np.dtype("?"), (self.rows,)),
            "time_s": (np.dtype("<f8"), (self.rows,)),
        }

    def offsets(self) -> tuple[dict[str, int], int]:
        """Byte offset of each array, and the length of the whole file."""
        offsets: dict[str, int] = {}
        end = _HEADER_BYTES
        for name, (dtype, shape) in self.columns().items():
            offsets[name] = end
            size = dtype.itemsize * int(np.prod(shape))
            end += -(-size // _ALIGNMENT) * _ALIGNMENT
        return offsets, end


class Storage:
    """The arrays of a store, in a mapped file or, without a path, in memory.

    Attributes:
        records: (R, D + A + 2) float32: observation, action, n-step return and discount of a row, which a draw
            fetches together. The last two are no facts but labels; they are made anew when a store is restored.
        observations: (R, D) float32, a view of the records.
        actions: (R, A) float32, a view of the records.
        reward_terms: (R, K) float32.
        steps_left: (R,) int32, transitions to the end of the stretch, this one included; 0 for an end marker.
        terminates: (R,) bool, whether the row's stretch ends by termination.
        time_s: (R,) float64, seconds of training when the row arrived.
    """

    def __init__(self, shape: Shape, memory: mmap.mmap, file_descriptor: int | None) -> None:
        self.shape = shape
        self._memory = memory
        self._file_descriptor = file_descriptor
        offsets, _ = shape.offsets()
        arrays: dict[str, NDArray[Any]] = {
            name: np.ndarray(size, dtype, buffer=memory, offset=offsets[name])
            for name, (dtype, size) in shape.columns().items()
        }
        self.records: NDArray[np.float32] = arrays["records"]
        self.observations = self.records[:, : shape.observation_size]
        self.actions = self.records[:, shape.observation_size : -2]
        self.reward_terms: NDArray[np.float32] = arrays["reward_terms"]
        self.steps_left: NDArray[np.int32] = arrays["steps_left"]
        self.terminates: NDArray[np.bool_] = arrays["terminates"]
        self.time_s: NDArray[np.float64] = arrays["time_s"]
        self._written: NDArray[np.uint64] = np.ndarray(
            (1,), np.dtype("<u8"), buffer=memory, offset=_WRITTEN_OFFSET
        )

    @classmethod
    def in_memory(cls, shape: Shape) -> Storage:
        """Arrays that end with the process."""
        _, length = shape.offsets()
        return cls(shape, mmap.mmap(-1, length), None)

    @classmethod
    def create(cls, path: Path, shape: Shape) -> Storage:
        """Allocate the whole file and map it.

        Raises:
            TMStudioError: the file exists, or there is no room for it on the disk.
        """
        if path.exists():
            raise TMStudioError("The replay cannot be created", cause=f"{path} exists already", hint=_HINT)
        _, length = shape.offsets()
        temporary = path.with_name(f".{path.name}.tmp-{os.getpid()}")
        try:
            _allocate(temporary, length, _header(shape))
            os.replace(temporary, path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise disk_fault(error, path, f"reserve {length / 1e6:.0f} MB for the replay in") from error
        return cls._map(path, shape, length)

    @classmethod
    def open(cls, path: Path) -> Storage:
        """Map a file that :meth:`create` made, perhaps in a process that was killed since.

        Raises:
            TMStudioError: it is missing, foreign, cut short, or of a newer version.
        """
        try:
            with path.open("rb") as file:
                header = file.read(_HEADER_BYTES)
                actual = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise disk_fault(error, path, "open the replay") from error
        shape = _parse(header, path)
        _, length = shape.offsets()
        if actual != length:
            raise _damaged(path, f"it has {actual} bytes instead of {length}")
        return cls._map(path, shape, length)

    @classmethod
    def _map(cls, path: Path, shape: Shape, length: int) -> Storage:
        try:
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            return cls(shape, mmap.mmap(descriptor, length), descriptor)
        except OSError as error:
            raise disk_fault(error, path, "map the replay") from error

    @property
    def written(self) -> int:
        """Rows that were ever begun to be written: those beyond a saved head may have replaced older ones."""
        return int(self._written[0])

    @written.setter
    def written(self, rows: int) -> None:
        self._written[0] = rows

    def flush(self) -> None:
        """Bring everything to the disk, against a power cut. Blocks without holding the interpreter's lock."""
        if self._file_descriptor is not None:
            os.fsync(self._file_descriptor)

    def close(self) -> None:
        """Let go of the file. The mapping itself goes when its last array does."""
        if self._file_descriptor is not None:
            os.close(self._file_descriptor)
            self._file_descriptor = None


def _allocate(path: Path, length: int, header: bytes) -> None:
    with path.open("xb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, length)
        else:
            if shutil.disk_usage(path.parent).free < length:
                raise OSError(28, "No space left on device")
            file.truncate(length)
        file.write(header)
        file.flush()
        os.fsync(file.fileno())


def _header(shape: Shape) -> bytes:
    text = json.dumps(vars(shape)).encode()
    header = _FIXED.pack(_MAGIC, SCHEMA_VERSION, len(text)).ljust(_TEXT_OFFSET, b"\0") + text
    return header.ljust(_HEADER_BYTES, b"\0")


def _parse(header: bytes, path: Path) -> Shape:
    if len(header) < _HEADER_BYTES or header[: len(_MAGIC)] != _MAGIC:
        raise _damaged(path, "it is not a replay of TMStudio")
    _, version, length = _FIXED.unpack_from(header)
    if version != SCHEMA_VERSION:
        raise TMStudioError(
            "The replay cannot be opened",
            cause=f"{path} has schema version {version}, this program knows {SCHEMA_VERSION}",
            hint="use the newer version of TMStudio that made it, or " + _HINT,
        )
    try:
        sizes = json.loads(header[_TEXT_OFFSET : _TEXT_OFFSET + length])
        return Shape(**{name: int(sizes[name]) for name in Shape.__dataclass_fields__})
    except (ValueError, TypeError, KeyError) as error:
        raise _damaged(path, f"its header cannot be read: {error}") from error


def _damaged(path: Path, cause: str) -> TMStudioError:
    return TMStudioError("The replay is damaged", cause=f"{path}: {cause}", hint=_HINT)

"""Bounded reading of Gbx files: no size that a file claims is believed before it is checked.

A Gbx file has a header of chunks that lies there as it is, and a body that is compressed by LZO.
Source: https://wiki.xaseco.org/wiki/GBX, and the files themselves.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError

MAGIC: Final = b"GBX"
MAX_FILE_BYTES: Final = 32 * 2**20
MAX_BODY_BYTES: Final = 48 * 2**20
MAX_TEXT_BYTES: Final = 2**20
MAX_NAME_BYTES: Final = 2**10

# Where a text may be named again by a number: what stands before a new one. With more bits set it is such a number.
_NEW_NAMES: Final = (0x40000000, 0x80000000)

_FORMAT: Final = b"BUCR"  # binary, reference table uncompressed, body compressed, with references
_VERSION: Final = 6
_MAX_HEADER_CHUNKS: Final = 64
_HEAVY: Final = 0x80000000


class Reader:
    """Reads numbers and texts, little-endian, from bytes; beyond their end there is nothing.

    Args:
        data: what is read.
        name: of the file, for errors.
    """

    def __init__(self, data: bytes, name: str, at: int = 0) -> None:
        self.data = data
        self.name = name
        self.at = at

    @property
    def left(self) -> int:
        """Bytes that are not read yet."""
        return len(self.data) - self.at

    def take(self, size: int) -> bytes:
        """The next bytes."""
        return self.data[self._skip(size) : self.at]

    def numbers(self, kind: str, count: int) -> NDArray[Any]:
        """The next ``count`` numbers of a NumPy type, without a copy."""
        at = self._skip(np.dtype(kind).itemsize * count)
        return np.frombuffer(self.data, kind, count, at)

    def _skip(self, size: int) -> int:
        """Where the next bytes begin, which are read after that."""
        if size > self.left:
            raise damaged(self.name, f"{size} bytes should follow, {self.left} are left")
        self.at += size
        return self.at - size

    def byte(self) -> int:
        """An unsigned number of one byte."""
        return self.take(1)[0]

    def uint(self) -> int:
        """An unsigned number of four bytes."""
        number: int = struct.unpack("<I", self.take(4))[0]
        return number

    def signed(self) -> int:
        """A signed number of four bytes."""
        number: int = struct.unpack("<i", self.take(4))[0]
        return number

    def block(self) -> bytes:
        """Bytes with their size before them."""
        return self.take(self.uint())

    def text(self, limit: int = MAX_TEXT_BYTES) -> str:
        """A text with its size in bytes before it."""
        size = self.uint()
        if size > limit:
            raise damaged(self.name, f"a text of {size} bytes")
        return self.take(size).decode("utf-8", errors="replace")

    def new_name(self) -> str | None:
        """A text that may be named again later; None where there is a number instead, of an earlier text or fixed."""
        return self.text(MAX_NAME_BYTES) if self.uint() in _NEW_NAMES else None


@dataclass(frozen=True)
class Gbx:
    """A Gbx file whose body is still compressed.

    Attributes:
        name: of the file.
        class_id: what it is.
        chunks: header chunks by their numbers.
        rest: everything behind the header.
    """

    name: str
    class_id: int
    chunks: Mapping[int, bytes]
    rest: bytes

    def body(self) -> bytes:
        """The body, decompressed.

        Raises:
            TMStudioError: it is damaged, or larger than any real one.
        """
        import lzokay

        reader = Reader(self.rest, self.name)
        reader.uint()  # number of nodes
        if reader.uint():
            raise damaged(self.name, "it needs other files, which no map and no ghost does")
        size, packed = reader.uint(), reader.block()
        if size > MAX_BODY_BYTES:
            raise damaged(self.name, f"its body would unpack to {size / 2**20:.0f} MiB")
        try:
            body: bytes = lzokay.decompress(packed, size)  # never more than the size; zeros where it is less
        except lzokay.LzokayError as error:
            raise damaged(self.name, f"its body cannot be unpacked: {type(error).__name__}") from error
        return body


def read_gbx(path: Path) -> Gbx:
    """Read a Gbx file up to its body.

    Raises:
        TMStudioError: it is missing, no Gbx file, damaged, or too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise TMStudioError(
            f"{path.name} cannot be read.", cause=str(error), hint="check the path and the rights"
        ) from error
    if len(data) > MAX_FILE_BYTES:
        raise damaged(path.name, f"it has more than {MAX_FILE_BYTES // 2**20} MiB")
    reader = Reader(data, path.name)
    if reader.take(min(3, reader.left)) != MAGIC:
        raise TMStudioError(
            f"{path.name} is no Gbx file.",
            cause="it does not begin with 'GBX'",
            hint="give a map, a ghost or a replay as the game saved it",
        )
    version = int.from_bytes(reader.take(2), "little")
    form = reader.take(4)
    if version != _VERSION or form != _FORMAT:
        raise TMStudioError(
            f"{path.name} is a Gbx file of another kind.",
            cause=f"version {version}, format {form.decode('ascii', errors='replace')!r}",
            hint="files of TrackMania 2020 have version 6 and format 'BUCR'",
        )
    class_id = reader.uint()
    header = Reader(reader.block(), path.name)
    chunks = _chunks(header) if header.left else {}
    return Gbx(path.name, class_id, chunks, reader.take(reader.left))


def _chunks(header: Reader) -> dict[int, bytes]:
    count = header.uint()
    if count > _MAX_HEADER_CHUNKS:
        raise damaged(header.name, f"{count} header chunks")
    table = [(header.uint(), header.uint() & ~_HEAVY) for _ in range(count)]
    return {number: header.take(size) for number, size in table}


def unzipped(packed: bytes, size: int, name: str) -> bytes:
    """Decompress zlib data that claims to unpack to ``size`` bytes.

    Raises:
        TMStudioError: it is damaged, or unpacks to another size.
    """
    try:
        # One byte more than promised shows that a size lies, without unpacking a bomb.
        data = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as error:
        raise damaged(name, f"its recording cannot be unpacked: {error}") from error
    if len(data) != size:
        raise damaged(name, "its recording has another size than it says")
    return data


def header_xml(chunk: bytes, name: str) -> ET.Element:
    """The description that headers carry.

    Raises:
        TMStudioError: it is damaged, or would define entities.
    """
    text = Reader(chunk, name).text()
    # No real one has a document type, and those that have one may unpack to anything.
    if "<!" in text:
        raise damaged(name, "its description has a document type")
    try:
        return ET.fromstring(text)  # noqa: S314 - no entities, and the text is bounded
    except (ET.ParseError, ValueError) as error:
        raise damaged(name, f"its description cannot be read: {error}") from error


def damaged(name: str, cause: str) -> TMStudioError:
    """The error for a file that is not what it says."""
    return TMStudioError(f"{name} is damaged.", cause=cause, hint="copy or download it again")

"""The recording inside ghosts and replays (class 0x0911F000): what entities did over time.

Version 10 stores samples one after another; 11 and later store columns of byte differences. The latter has not yet
been seen in a real file. Source: the format as https://github.com/BigBang1112/gbx-net documents it, and a real ghost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.importers.gbx.reader import Reader, damaged, unzipped

CAR_CLASS: Final = 0x0A018000
MARKER: Final = b"\x00\xf0\x11\x09\x00\xf0\x11\x09"
"""The class and its only chunk stand before a recording."""

FIRST_COLUMN_VERSION: Final = 11

_OLDEST_VERSION: Final = 6
_ITEMS_OF_AN_ENTITY: Final = 10  # what one takes, in the time that samples take


@dataclass
class Allowance:
    """What all recordings of a file together may still take: a few bytes can unpack to hours of work.

    Attributes:
        unpacked_bytes: of recordings; a car takes 8 MB in an hour.
        items: samples, events and descriptions; a car has 72 000 samples in an hour.
    """

    unpacked_bytes: int = 24 * 2**20
    items: int = 400_000

    def take(self, name: str, *, unpacked_bytes: int = 0, items: int = 0) -> None:
        """Use some of it.

        Raises:
            TMStudioError: there is not so much left.
        """
        self.unpacked_bytes -= unpacked_bytes
        self.items -= items
        if self.unpacked_bytes < 0 or self.items < 0:
            raise TMStudioError(
                f"{name} holds too much to be read.",
                cause=f"its recordings unpack to more than {Allowance.unpacked_bytes // 2**20} MiB "
                f"or {Allowance.items} samples",
                hint="give a file with fewer or shorter drives",
            )


@dataclass(frozen=True, eq=False)
class CarRecord:
    """The samples of one car.

    Attributes:
        version: of the recording.
        time_ms: (T,) race time.
        samples: (T, S) bytes.
    """

    version: int
    time_ms: NDArray[np.int64]
    samples: NDArray[np.uint8]


def read_record(reader: Reader, allowance: Allowance) -> list[CarRecord]:
    """The cars of a recording whose marker has just been read.

    Args:
        reader: stands behind the marker.
        allowance: of the file; what the recording takes is taken from it.

    Raises:
        TMStudioError: it is damaged, too large, or older than TrackMania 2020.
    """
    version = reader.uint()
    if not _OLDEST_VERSION <= version < 100:
        raise damaged(reader.name, f"a recording of version {version}; TrackMania 2020 has 10 and later")
    size = reader.uint()
    allowance.take(reader.name, unpacked_bytes=size)
    data = Reader(unzipped(reader.block(), size, reader.name), reader.name)
    data.take(8)  # start and end
    classes = [_entity_class(data) for _ in range(_count(data, allowance))]
    data.take(12 * _count(data, allowance))
    cars = []
    more = data.byte()
    while more:
        allowance.take(data.name, items=_ITEMS_OF_AN_ENTITY)
        kind = data.uint()
        if kind >= len(classes):
            raise damaged(data.name, f"an entity of the kind {kind}, of {len(classes)}")
        data.take(16)
        wanted = classes[kind] == CAR_CLASS
        read = _columns if version >= FIRST_COLUMN_VERSION else _rows
        times, samples = read(data, allowance)
        if wanted and len(times):
            cars.append(CarRecord(version, times, samples))
        more = data.byte()
        while data.byte():
            allowance.take(data.name, items=1)
            data.take(8)
            data.block()
    return cars


def _count(data: Reader, allowance: Allowance) -> int:
    count = data.uint()
    allowance.take(data.name, items=count)
    return count


def _entity_class(data: Reader) -> int:
    class_id = data.uint()
    data.take(12)
    data.block()
    data.take(4)
    return class_id


def _rows(data: Reader, allowance: Allowance) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Samples one after another, each with its time; those of a car all have one size."""
    times: list[int] = []
    content = bytearray()
    sizes = set()
    while data.byte():
        allowance.take(data.name, items=1)
        times.append(data.signed())
        row = data.block()
        content += row
        sizes.add(len(row))
    # Other entities than cars have samples of any size; what they hold is not looked at.
    size = sizes.pop() if len(sizes) == 1 else 0
    samples = np.frombuffer(content, dtype=np.uint8, count=len(times) * size).reshape(len(times), size)
    return np.array(times, dtype=np.int64), samples


def _columns(data: Reader, allowance: Allowance) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """All times as differences, then for each byte of a sample the differences from sample to sample."""
    count = _count(data, allowance)
    if count == 0:
        return np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.uint8)
    size = data.uint()
    times = data.numbers("<i4", count).cumsum(dtype=np.int64)
    differences = data.numbers("u1", count * size).reshape(size, count)
    return times, differences.cumsum(axis=1, dtype=np.uint8).T

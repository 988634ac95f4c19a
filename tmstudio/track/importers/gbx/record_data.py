"""The recording inside ghosts and replays (class 0x0911F000): what entities did over time.

Version 10 stores samples one after another; 11 and later store columns of byte differences. The latter has not yet
been seen in a real file. Source: the format as https://github.com/BigBang1112/gbx-net documents it, and a real ghost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.importers.gbx.reader import Reader, damaged, unzipped

CAR_CLASS: Final = 0x0A018000
MARKER: Final = b"\x00\xf0\x11\x09\x00\xf0\x11\x09"
"""The class and its only chunk stand before a recording."""

FIRST_COLUMN_VERSION: Final = 11
MAX_RECORD_BYTES: Final = 32 * 2**20
MAX_SAMPLES: Final = 400_000
"""Five and a half hours of driving."""

_OLDEST_VERSION: Final = 6
_MAX_DESCRIPTIONS: Final = 10_000


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


def read_record(reader: Reader) -> list[CarRecord]:
    """The cars of a recording whose marker has just been read.

    Raises:
        TMStudioError: it is damaged, too large, or older than TrackMania 2020.
    """
    version = reader.uint()
    if not _OLDEST_VERSION <= version < 100:
        raise damaged(reader.name, f"a recording of version {version}; TrackMania 2020 has 10 and later")
    size = reader.uint()
    data = Reader(unzipped(reader.block(), size, MAX_RECORD_BYTES, reader.name), reader.name)
    data.take(8)  # start and end
    classes = [_entity_class(data) for _ in range(_count(data))]
    for _ in range(_count(data)):
        data.take(12)
    cars = []
    more = data.byte()
    while more:
        kind = data.uint()
        if kind >= len(classes):
            raise damaged(data.name, f"an entity of the kind {kind}, of {len(classes)}")
        data.take(16)
        wanted = classes[kind] == CAR_CLASS
        read = _columns if version >= FIRST_COLUMN_VERSION else _rows
        times, samples = read(data)
        if wanted and len(times):
            cars.append(CarRecord(version, times, samples))
        more = data.byte()
        while data.byte():
            data.take(8)
            data.block()
    return cars


def _count(data: Reader) -> int:
    count = data.uint()
    if count > _MAX_DESCRIPTIONS:
        raise damaged(data.name, f"{count} descriptions")
    return count


def _entity_class(data: Reader) -> int:
    class_id = data.uint()
    data.take(12)
    data.block()
    data.take(4)
    return class_id


def _rows(data: Reader) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Samples one after another, each with its time; all as long as the first, which holds for cars."""
    times: list[int] = []
    rows: list[bytes] = []
    while data.byte():
        times.append(data.int())
        rows.append(data.block())
        if len(rows) > MAX_SAMPLES:
            raise damaged(data.name, f"more than {MAX_SAMPLES} samples")
    size = len(rows[0]) if rows else 0
    if any(len(row) != size for row in rows):
        # Other entities than cars have samples of any size; what they hold is not looked at.
        rows, size = [b""] * len(rows), 0
    samples = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), size)
    return np.array(times, dtype=np.int64), samples


def _columns(data: Reader) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """All times as differences, then for each byte of a sample the differences from sample to sample."""
    count = data.uint()
    if count == 0:
        return np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.uint8)
    size = data.uint()
    # Together they must fit into what is left, so that no size is believed.
    if count > MAX_SAMPLES or count * (4 + size) > data.left:
        raise damaged(data.name, f"{count} samples of {size} bytes, {data.left} bytes are left")
    times = np.frombuffer(data.take(4 * count), dtype="<i4").astype(np.int64).cumsum()
    differences = np.frombuffer(data.take(count * size), dtype=np.uint8).reshape(size, count)
    return times, np.ascontiguousarray(differences.cumsum(axis=1, dtype=np.uint8).T)

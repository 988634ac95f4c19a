"""Drives out of ghosts (.Ghost.Gbx) and replays (.Replay.Gbx): the line and the controls, 20 times a second.

The fields of a car's sample were found in a real ghost of TrackMania 2020. Its brake was 0 in every sample, so that
field is not confirmed.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.importers.gbx.kind import GHOST_CLASS, REPLAY_CLASS
from tmstudio.track.importers.gbx.map_file import plain_text
from tmstudio.track.importers.gbx.reader import MAX_NAME_BYTES, Gbx, Reader, damaged, header_xml, read_gbx
from tmstudio.track.importers.gbx.record_data import (
    FIRST_COLUMN_VERSION,
    MARKER,
    Allowance,
    CarRecord,
    read_record,
)

Floats = NDArray[np.float64]

STADIUM_CAR: Final = "CarSport"

_REPLAY_DESCRIPTION: Final = 0x03093001
_SKIPPABLE: Final = b"PIKS"
_DRIVER: Final = struct.pack("<I", 0x03092000) + _SKIPPABLE
_RACE_TIME: Final = struct.pack("<I", 0x03092005) + _SKIPPABLE
_MAP: Final = struct.pack("<I", 0x03092010)
_MAX_RUNS: Final = 200
_MAX_PLACES_OF_A_MAP: Final = 16

_RPM_AT, _STEER_AT, _GAS_AT, _BRAKE_AT, _POSITION_AT, _GEAR_AT = 5, 14, 15, 18, 47, 91
_SAMPLE_BYTES: Final = 92
_FARTHEST_M: Final = 100_000.0
_RPM_PER_STEP: Final = 30000 / 255


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """One drive.

    Attributes:
        time_s: (T,) race time, rising.
        position_m: (T, 3) x, y (up), z.
        steer: (T,) -1 to 1, + right.
        gas: (T,) 0 to 1.
        brake: (T,) 0 to 1; not confirmed by a real file.
        engine_rpm: (T,) rough.
        gear: (T,) 0 in reverse.
        map_uid: identifier of the map, where the file tells it.
        nickname: who drove, where the file tells it.
        race_time_s: the time of the lap, None where it was not finished.
        car: such as "CarSport", the car of the Stadium environment; None where the file does not tell.
        confirmed: whether a real file of this version of the format has been seen.
    """

    time_s: Floats
    position_m: Floats
    steer: Floats
    gas: Floats
    brake: Floats
    engine_rpm: Floats
    gear: NDArray[np.int64]
    map_uid: str | None
    nickname: str | None
    race_time_s: float | None
    car: str | None
    confirmed: bool


@dataclass(frozen=True)
class _Facts:
    map_uid: str | None = None
    nickname: str | None = None
    race_time_s: float | None = None
    car: str | None = None


def read_runs(path: Path) -> list[RecordedRun]:
    """All drives in a ghost or a replay.

    Raises:
        TMStudioError: the file is missing, damaged, neither a ghost nor a replay, or has no drive in it.
    """
    gbx = read_gbx(path)
    if gbx.class_id not in (GHOST_CLASS, REPLAY_CLASS):
        raise TMStudioError(
            f"{path.name} is neither a ghost nor a replay.",
            cause=f"it is a Gbx file of the class {gbx.class_id:08X}",
            hint="ghosts are saved as .Ghost.Gbx, replays as .Replay.Gbx",
        )
    replayed_on = _replayed_on(gbx)
    body = gbx.body()
    del gbx  # as large as the body
    places = _places(body)
    if not places:
        raise damaged(path.name, "it holds no recording of TrackMania 2020")
    runs: list[RecordedRun] = []
    allowance = Allowance()
    for begin, place, end in zip([0, *places[:-1]], places, [*places[1:], len(body)], strict=True):
        facts = _facts(body, begin, place, end, path.name)
        records = read_record(Reader(body, path.name, place + len(MARKER)), allowance)
        runs += [_run(record, facts, replayed_on, path.name) for record in records]
    if not runs:
        raise TMStudioError(
            f"{path.name} has no drive of a car in it.",
            hint="save a ghost or a replay of a lap, with the car in it",
        )
    return runs


def _places(body: bytes) -> list[int]:
    places: list[int] = []
    at = body.find(MARKER)
    while at >= 0 and len(places) < _MAX_RUNS:
        places.append(at)
        at = body.find(MARKER, at + len(MARKER))
    return places


def _replayed_on(gbx: Gbx) -> str | None:
    """The map of a replay, which its header tells."""
    chunk = gbx.chunks.get(_REPLAY_DESCRIPTION)
    found = None if chunk is None else header_xml(chunk, gbx.name).find("map")
    return None if found is None else found.attrib.get("uid")


def _facts(body: bytes, begin: int, place: int, end: int, name: str) -> _Facts:
    """What stands around a recording: the driver before it, time and map after it.

    The chunks of a ghost are found by their numbers, because not all of them tell their size.
    """
    car, nickname = _driver(body, begin, place, name)
    time_at = body.find(_RACE_TIME, place, end)
    time_ms = Reader(body, name, time_at + len(_RACE_TIME) + 4).signed() if time_at >= 0 else -1
    uid = _map_uid(body, place, end, name)
    return _Facts(uid, nickname, time_ms / 1000 if time_ms > 0 else None, car)


def _map_uid(body: bytes, begin: int, end: int, name: str) -> str | None:
    """The map behind a recording, at one of the first places that have its number: some only look like it."""
    at = body.find(_MAP, begin, end)
    for _ in range(_MAX_PLACES_OF_A_MAP):
        if at < 0:
            return None
        uid = _uid(body, at + len(_MAP), name)
        if uid:
            return uid
        at = body.find(_MAP, at + 1, end)
    return None


def _uid(body: bytes, at: int, name: str) -> str | None:
    reader = Reader(body, name, at)
    try:
        uid = reader.new_name()
    except TMStudioError:
        return None
    return uid if uid and uid.isascii() and uid.isprintable() and 10 < len(uid) < 40 else None


def _driver(body: bytes, begin: int, end: int, name: str) -> tuple[str | None, str | None]:
    """Car and name of the driver; what of it cannot be read is not known."""
    at = body.rfind(_DRIVER, begin, end)
    if at < 0:
        return None, None
    reader, car = Reader(body[:end], name, at + len(_DRIVER) + 4), None
    try:
        reader.take(4)  # version
        if reader.uint() > 3:  # version of the named texts, or already the first of them
            reader.at -= 4
        car = reader.new_name()
        reader.take(4)  # collection
        reader.new_name()  # author of the car
        reader.take(12)  # colour of the trail
        for _ in range(min(reader.uint(), 16)):
            if reader.byte():  # skins: version, checksum, file, address
                reader.take(32)
            reader.text()
            reader.text()
        if reader.uint():  # badges, which nobody needs here
            return car, None
        return car, plain_text(reader.text(MAX_NAME_BYTES))
    except TMStudioError:
        return car, None


def _run(record: CarRecord, facts: _Facts, replayed_on: str | None, name: str) -> RecordedRun:
    samples = record.samples
    if samples.shape[1] < _SAMPLE_BYTES:
        raise damaged(
            name, f"the car's samples have {samples.shape[1]} bytes, at least {_SAMPLE_BYTES} are needed"
        )
    with np.errstate(invalid="ignore"):  # damaged numbers are refused in the next line
        position = (
            np.ascontiguousarray(samples[:, _POSITION_AT : _POSITION_AT + 12]).view("<f4").astype(np.float64)
        )
    if not (np.abs(position) < _FARTHEST_M).all():  # nor is NaN
        raise damaged(name, "the car has been at places that are on no map")
    if (np.diff(record.time_ms) < 0).any():
        raise damaged(name, "its time goes back")
    # One sample for each moment, the first of them.
    new = np.diff(record.time_ms, prepend=record.time_ms[0] - 1) > 0
    samples, position = samples[new], position[new]

    def column(at: int) -> Floats:
        return samples[:, at].astype(np.float64)

    return RecordedRun(
        time_s=record.time_ms[new] / 1000,
        position_m=position,
        steer=np.clip((column(_STEER_AT) - 127.5) / 127.5, -1.0, 1.0),
        gas=column(_GAS_AT) / 255,
        brake=column(_BRAKE_AT) / 255,
        engine_rpm=column(_RPM_AT) * _RPM_PER_STEP,
        gear=(samples[:, _GEAR_AT] >> 2).astype(np.int64),
        map_uid=facts.map_uid or replayed_on,
        nickname=facts.nickname,
        race_time_s=facts.race_time_s,
        car=facts.car,
        confirmed=record.version < FIRST_COLUMN_VERSION,
    )

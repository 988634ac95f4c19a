"""Gbx files made up for tests: maps, ghosts and replays as small as they can be."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence

import lzokay
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MAP, GHOST, REPLAY = 0x03043000, 0x03092000, 0x03093000
CAR, OTHER = 0x0A018000, 0x2D001000
UID = "aBcDeFgHiJkLmNoPqRsTuVwXyZ0"
SAMPLE_BYTES = 107


def uint(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *(number & 0xFFFFFFFF for number in numbers))


def text(words: str) -> bytes:
    encoded = words.encode()
    return uint(len(encoded)) + encoded


def new_name(words: str) -> bytes:
    return uint(0x40000000) + text(words)


def gbx(class_id: int, chunks: Mapping[int, bytes], body: bytes = b"\x01\xde\xca\xfa") -> bytes:
    """A whole file; the body is compressed here."""
    table = b"".join(uint(number, len(data)) for number, data in chunks.items())
    header = uint(len(chunks)) + table + b"".join(chunks.values()) if chunks else b""
    packed = lzokay.compress(body)
    return (
        b"GBX\x06\x00BUCR"
        + uint(class_id, len(header))
        + header
        + uint(1, 0, len(body), len(packed))
        + packed
    )


def map_xml(uid: str = UID, name: str = "$f00$oRed $zroad", laps: int = 3) -> str:
    return (
        '<header type="map" exever="3.3.0" exebuild="2024-01-01_00_00" title="Trackmania">'
        f'<ident uid="{uid}" name="{name}" author="account"/>'
        f'<desc envir="Stadium" maptype="TrackMania\\TM_Race" validated="1" nblaps="{laps}"/>'
        '<times bronze="90000" silver="80000" gold="70000" authortime="60500" authorscore="0"/></header>'
    )


def map_file(xml: str | None = None, picture: bytes = b"\xff\xd8\xffpicture") -> bytes:
    """A circuit of three laps with four checkpoints."""
    chunks = {
        0x03043002: bytes([13]) + uint(0, 90000, 80000, 70000, 60500, 10, 0, 0, 0, 0, 0, 0, 5, 3),
        0x03043005: text(map_xml() if xml is None else xml),
        0x03043007: uint(1, len(picture)) + b"<Thumbnail.jpg>" + picture + b"</Thumbnail.jpg>",
        0x03043008: uint(1, 0) + text("account") + text("$iSome $fffone"),
    }
    return gbx(MAP, chunks)


def samples(position_m: Floats, steer: Floats, gas: Floats, brake: Floats) -> NDArray[np.uint8]:
    """(T, 107) samples of a car in third gear."""
    rows = np.zeros((len(position_m), SAMPLE_BYTES), dtype=np.uint8)
    rows[:, 5] = 80
    rows[:, 14] = np.round(127.5 + 127.5 * steer)
    rows[:, 15], rows[:, 18] = np.round(255 * gas), np.round(255 * brake)
    rows[:, 47:59] = position_m.astype("<f4").view(np.uint8)
    rows[:, 91] = 3 << 2
    return rows


def record(version: int, cars: Sequence[tuple[NDArray[np.int64], NDArray[np.uint8]]]) -> bytes:
    """A recording with cars, and another entity before them."""
    data = uint(0, 10_000)
    data += uint(2) + uint(OTHER, 1, 0, 1, 0, 0) + uint(CAR, 1, 0, 1, 3) + b"abc" + uint(0)
    data += uint(1) + uint(1, 2, 3)
    noise = (np.array([0, 50]), np.ones((2, 4), dtype=np.uint8))
    entities = [(0, noise), *((1, car) for car in cars)]
    data += b"\x01"
    for place, (kind, (time_ms, rows)) in enumerate(entities):
        data += uint(kind, 0, 0, 0, 0)
        data += _columns(time_ms, rows) if version >= 11 else _rows(time_ms, rows)
        data += bytes([place < len(entities) - 1])
        data += b"\x01" + uint(0, 5) + text("note") + b"\x00"
    data += b"\x00"
    packed = zlib.compress(data)
    return b"\x00\xf0\x11\x09\x00\xf0\x11\x09" + uint(version, len(data), len(packed)) + packed


def _rows(time_ms: NDArray[np.int64], rows: NDArray[np.uint8]) -> bytes:
    each = (
        b"\x01" + uint(time) + uint(len(row)) + row.tobytes()
        for time, row in zip(time_ms.tolist(), rows, strict=True)
    )
    return b"".join(each) + b"\x00"


def _columns(time_ms: NDArray[np.int64], rows: NDArray[np.uint8]) -> bytes:
    times = np.diff(time_ms, prepend=0).astype("<i4").tobytes()
    differences = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), dtype=np.uint8))
    return uint(*rows.shape) + times + np.ascontiguousarray(differences.T).tobytes()


def ghost_body(
    recording: bytes, *, car: str = "CarSport", uid: str = UID, race_time_ms: int = 9_500
) -> bytes:
    """A ghost's own part of a body."""
    driver = uint(7, 3) + new_name(car) + uint(10003) + new_name("Nadeo") + struct.pack("<3f", 1, 0, 0)
    driver += uint(1) + b"\x03" + bytes(32) + text("Skins\\some.zip") + text("https://example.org/skin")
    driver += uint(0) + text("$aaaDriver")
    head = uint(0x03092000) + b"PIKS" + uint(len(driver)) + driver
    tail = uint(0x03092005) + b"PIKS" + uint(4, race_time_ms)
    return head + recording + tail + uint(0x03092010) + new_name(uid) + b"\x01\xde\xca\xfa"


def ghost_file(recording: bytes, **facts: object) -> bytes:
    return gbx(GHOST, {}, ghost_body(recording, **facts))  # type: ignore[arg-type]


def replay_file(recordings: Sequence[bytes], uid: str = UID) -> bytes:
    """A replay of several drives, whose ghosts do not tell the map."""
    xml = f'<header type="replay" exever="3.3.0"><map uid="{uid}" name="m" author="a"/></header>'
    return gbx(REPLAY, {0x03093001: text(xml)}, b"".join(ghost_body(r, uid="") for r in recordings))


def winding(count: int = 200) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Times (T,), positions (T, 3) and steering (T,) of a car at 20 m/s on a winding road."""
    time_ms = np.arange(count) * 50 + 10
    along = 20.0 * time_ms / 1000
    position = np.stack([30 * np.sin(along / 40), np.full(count, 10.0), along], axis=1)
    return time_ms, position, np.sin(along / 40)

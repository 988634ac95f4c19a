"""Damaged copies of real files: flipped bits, cut ends, spliced parts, numbers that lie, also below compression."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import lzokay
import numpy as np

from tests.track.gbx.writing import record, uint
from tmstudio.track.importers.gbx.reader import Reader
from tmstudio.track.importers.gbx.record_data import MARKER, Allowance, read_record

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x40000000)

Mutate = Callable[[bytes, np.random.Generator], bytes]


def mutated(data: bytes, chance: np.random.Generator) -> bytes:
    """A copy with one to eight changes, near the beginning half of the time: there the sizes stand."""
    changed = bytearray(data)
    for _ in range(int(chance.integers(1, 9))):
        if not changed:
            break
        reach = len(changed) if chance.random() < 0.5 else min(len(changed), 400)
        at = int(chance.integers(reach))
        kind = int(chance.integers(6))
        if kind == 0:
            changed[at] ^= 1 << int(chance.integers(8))
        elif kind == 1:
            changed[at] = int(chance.integers(256))
        elif kind == 2:
            changed[at : at + 4] = struct.pack("<I", int(chance.choice(NUMBERS)))
        elif kind == 3:
            del changed[at : at + int(chance.integers(1, 64))]
        elif kind == 4:
            begin = int(chance.integers(len(changed)))
            changed[at:at] = changed[begin : begin + int(chance.integers(1, 200))]
        else:
            del changed[at:]
    return bytes(changed)


def mutated_map(data: bytes, chance: np.random.Generator) -> bytes:
    """A map, of which only the header is read: damaged as it lies, or one chunk of it in a header that fits."""
    if chance.random() < 0.3:
        return mutated(data, chance)
    header = Reader(data, "map", 9)
    class_id, _, count = header.uint(), header.uint(), header.uint()
    table = [(header.uint(), header.uint()) for _ in range(count)]
    chunks = [(number, header.take(size & 0x7FFFFFFF)) for number, size in table]
    which = int(chance.integers(count))
    chunks[which] = (chunks[which][0], mutated(chunks[which][1], chance))
    inner = uint(count) + b"".join(uint(number, len(chunk)) for number, chunk in chunks)
    inner += b"".join(chunk for _, chunk in chunks)
    return data[:9] + uint(class_id, len(inner)) + inner + data[header.at : header.at + 4096]


def mutated_ghost(data: bytes, chance: np.random.Generator) -> bytes:
    """A ghost without header chunks: damaged as it lies, below LZO, or below LZO and zlib, also as version 11."""
    depth = int(chance.integers(4))
    if depth == 0:
        return mutated(data, chance)
    size, packed = struct.unpack_from("<II", data, 25)
    body = lzokay.decompress(data[33 : 33 + packed], size)
    at = body.find(MARKER)
    if depth == 1:
        body = mutated(body, chance)
    else:
        begin = at + len(MARKER) + 12
        (length,) = struct.unpack_from("<I", body, begin - 4)
        if depth == 2:
            version, recording = 10, zlib.decompress(body[begin : begin + length])
        else:
            cars = read_record(Reader(body, "ghost", at + len(MARKER)), Allowance())
            version, made = 11, record(11, [(car.time_ms, car.samples) for car in cars])
            recording = zlib.decompress(made[len(MARKER) + 12 :])
        recording = mutated(recording, chance)
        again = zlib.compress(recording, 1)
        inner = uint(version, len(recording), len(again)) + again
        body = body[: at + len(MARKER)] + inner + body[begin + length :]
    again = lzokay.compress(body)
    return data[:25] + uint(len(body), len(again)) + again


def mutated_pickle(data: bytes, chance: np.random.Generator) -> bytes:
    """A pickle: mostly its first bytes, which are instructions."""
    return mutated(data, chance)

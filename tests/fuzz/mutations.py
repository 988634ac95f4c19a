"""Damaged copies of real files: flipped bits, cut ends, spliced parts, numbers that lie, also below compression."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import lzokay
import numpy as np

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x40000000)
_RECORD = b"\x00\xf0\x11\x09\x00\xf0\x11\x09"

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
    """A map: only its header is read."""
    return mutated(data, chance)


def mutated_ghost(data: bytes, chance: np.random.Generator) -> bytes:
    """A ghost without header chunks: damaged as it lies, below LZO, or below LZO and zlib."""
    depth = int(chance.integers(3))
    if depth == 0:
        return mutated(data, chance)
    size, packed = struct.unpack_from("<II", data, 25)
    body = lzokay.decompress(data[33 : 33 + packed], size)
    at = body.find(_RECORD)
    if depth == 1 or at < 0:
        body = mutated(body, chance)
    else:
        begin = at + len(_RECORD) + 12
        (length,) = struct.unpack_from("<I", body, begin - 4)
        record = mutated(zlib.decompress(body[begin : begin + length]), chance)
        version = int(chance.choice([10, 10, 11]))
        again = zlib.compress(record, 1)
        inner = struct.pack("<III", version, len(record), len(again)) + again
        body = body[: at + len(_RECORD)] + inner + body[begin + length :]
    again = lzokay.compress(body)
    return data[:25] + struct.pack("<II", len(body), len(again)) + again


def mutated_pickle(data: bytes, chance: np.random.Generator) -> bytes:
    """A pickle: mostly its first bytes, which are instructions."""
    return mutated(data, chance)

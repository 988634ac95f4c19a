"""Files made to take all memory or all time: the worst that the limits let through, and what they must not."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.track.gbx.writing import (
    CAR,
    GHOST,
    MAP,
    gbx,
    ghost_body,
    ghost_file,
    map_file,
    map_xml,
    text,
    uint,
)

pytest.importorskip("resource", reason="peak memory is measured by the resource module, which Windows lacks")

MEMORY_MB = 200
RECORD = b"\x00\xf0\x11\x09\x00\xf0\x11\x09"
ONE_CAR = uint(0, 0, 1) + uint(CAR, 1, 0, 1, 0, 0) + uint(0) + b"\x01" + uint(0, 0, 0, 0, 0)
UNPACKED = 24 * 2**20 - 200

READ = """
import resource, sys
from pathlib import Path
from tmstudio.errors import TMStudioError
from tmstudio.track.importers.gbx.ghost_file import read_runs
from tmstudio.track.importers.gbx.map_file import read_map
import lzokay
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before = peak()
path = Path(sys.argv[1])
try:
    (read_map if path.name.startswith("map") else read_runs)(path)
    outcome = "read"
except TMStudioError as error:
    outcome = error.message
print(peak() - before, outcome)
"""


def recorded(version: int, data: bytes, padding: bytes = b"") -> bytes:
    packed = zlib.compress(data) + padding
    return RECORD + uint(version, len(data), len(packed)) + packed


def columns(count: int, size: int) -> bytes:
    """Version 11: a car that stands still."""
    return ONE_CAR + uint(count, size) + np.ones(count, "<i4").tobytes() + bytes(count * size) + bytes(3)


def rows(count: int, size: int) -> bytes:
    """Version 10: the same."""
    return ONE_CAR + (b"\x01" + uint(5, size) + bytes(size)) * count + bytes(4)


def noise(size: int) -> bytes:
    return np.random.default_rng(0).bytes(size)


def large_picture() -> bytes:
    picture = b"\xff\xd8\xff" + noise(30 * 2**20)
    return gbx(
        MAP, {0x03043005: text(map_xml()), 0x03043007: uint(1, len(picture)) + b"<Thumbnail.jpg>" + picture}
    )


def padded(version: int, data: bytes) -> bytes:
    """A body as large as it may be, in a file as large as it may be, around the largest recording."""
    return gbx(GHOST, {}, ghost_body(recorded(version, data, noise(30 * 2**20))) + bytes(17 * 2**20))


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("map with a large picture", "read"),
        ("map with a name that is all links", "read"),
        ("ghost of the largest columns", "read"),
        ("ghost of the largest rows", "read"),
        ("ghost of columns a little larger", "too much"),
        ("ghost with hundreds of recordings", "too much"),
        ("ghost with a million entities", "too much"),
        ("ghost with millions of maps", "read"),
    ],
)
def test_no_file_takes_all_memory_or_all_time(name: str, outcome: str, tmp_path: Path) -> None:
    make = {
        "map with a large picture": large_picture,
        "map with a name that is all links": lambda: map_file(map_xml(name="$l[" * 300_000)),
        "ghost of the largest columns": lambda: padded(11, columns(UNPACKED // 96, 92)),
        "ghost of the largest rows": lambda: padded(10, rows(UNPACKED // 101, 92)),
        "ghost of columns a little larger": lambda: ghost_file(
            recorded(11, columns(UNPACKED // 96 + 10, 92))
        ),
        "ghost with hundreds of recordings": lambda: gbx(
            GHOST, {}, ghost_body(recorded(11, columns(10_000, 92))) * 200
        ),
        "ghost with a million entities": lambda: ghost_file(
            recorded(11, ONE_CAR + (uint(0) + b"\x01\x00" + uint(0, 0, 0, 0, 0)) * 900_000 + bytes(6))
        ),
        "ghost with millions of maps": lambda: gbx(
            GHOST,
            {},
            ghost_body(recorded(11, columns(50, 92)), uid="")
            + uint(0x03092010, 0x40000000, 1000) * 3_000_000
            + bytes(2000),
        ),
    }[name]
    path = tmp_path / f"{name}.bin"
    path.write_bytes(make())
    done = subprocess.run(
        [sys.executable, "-c", READ, path], cwd=ROOT, capture_output=True, text=True, timeout=100, check=True
    )
    more_mb, what = done.stdout.strip().split(" ", 1)
    assert outcome in what
    assert int(more_mb) < MEMORY_MB

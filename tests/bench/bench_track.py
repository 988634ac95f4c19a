"""How fast places, beams and points ahead are found for 64 cars, and how long an import takes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tmstudio.track.ahead import PointsAhead
from tmstudio.track.geometry import Track
from tmstudio.track.importers.borders import import_borders
from tmstudio.track.library import BUNDLED, TrackLibrary
from tmstudio.track.projection import Projector
from tmstudio.track.raycast import RayCaster

CARS = 64
RANGE_M = 120.0
_ROUNDS = 400
_DATA = Path(os.environ.get("TMSTUDIO_DATA") or Path(__file__).parents[3] / "shared" / "data") / "tmrl-test"


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked): the slowest track, and of each the quickest of many rounds."""
    tracks = [TrackLibrary().load(name) for name in BUNDLED]
    rows = []
    if _DATA.is_dir():
        took_s = min(_timed_s(_import) for _ in range(3))
        tracks.append(_import())
        rows.append(("track: import of recorded borders", f"{took_s:.2f} s", "<= 2 s"))
    else:
        rows.append(("track: import of recorded borders", "no recordings here", "<= 2 s"))
    project, beams, points, build = (max(times) for times in zip(*map(_times_s, tracks), strict=True))
    return [
        ("track: place of a car, 64 at once", f"{project / CARS * 1e6:.2f} us", "<= 2 us"),
        ("track: 19 beams, 64 cars", f"{beams * 1e3:.2f} ms", "<= 0.9 ms"),
        ("track: 20 points on each border, 64 cars", f"{points * 1e3:.2f} ms", "<= 0.15 ms"),
        ("track: preparing the beams", f"{build:.2f} s", ""),
        *rows,
    ]


def _times_s(track: Track) -> tuple[float, float, float, float]:
    rng = np.random.default_rng(1)
    arc = rng.uniform(track.start_arc_m, track.finish_arc_m, CARS)
    position, road = track.place(arc, rng.uniform(-0.9, 0.9, CARS) * track.width_m / 2)
    xz = np.ascontiguousarray(position[:, [0, 2]])
    heading = road + rng.normal(size=CARS) * 0.5
    projector, caster, ahead = Projector(track), RayCaster(track, RANGE_M), PointsAhead(track, 20, 8.0)
    # A place 0.7 m further on, as at 250 km/h after a substep.
    return (
        min(_timed_s(lambda: projector.advance(xz, arc - 0.7)) for _ in range(_ROUNDS)),
        min(_timed_s(lambda: caster.cast(xz, heading, arc)) for _ in range(_ROUNDS)),
        min(_timed_s(lambda: ahead.find(xz, heading, arc)) for _ in range(_ROUNDS)),
        min(_timed_s(lambda: RayCaster(track, RANGE_M)) for _ in range(3)),
    )


def _import() -> Track:
    return import_borders(_DATA / "left-recorded.npy", _DATA / "right-recorded.npy", "tmrl-test")


def _timed_s(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


if __name__ == "__main__":
    for row in main():
        print(*row, sep="  ")

"""Where a race in the simulator can begin: on the line, or anywhere along the track as training wants it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from tmstudio.game.interface import Starts
from tmstudio.track.geometry import Track

CORNERING_MPS2: Final = 40.0
"""Sideways acceleration that a start along the track assumes when it looks how fast the bends ahead allow."""

BRAKING_MPS2: Final = 25.0
TOP_START_MPS: Final = 75.0
OFF_COURSE_RAD: Final = 0.2
SLIDING_SHARE: Final = 0.15
SLIDING_MPS: Final = 6.0
EDGE_M: Final = 2.0
LAST_SHARE: Final = 0.97


def spawn_starts(track: Track, count: int = 1, countdown_s: float = 0.0) -> Starts:
    """``count`` cars at rest on the start line, held for ``countdown_s``."""
    return Starts(
        position_m=np.tile(np.asarray(track.spawn.position_m, dtype=np.float64), (count, 1)),
        heading_rad=np.full(count, track.spawn.heading_rad),
        speed_mps=np.zeros(count),
        arc_m=np.full(count, track.start_arc_m),
        race_time_s=np.full(count, -countdown_s),
        lateral_mps=np.zeros(count),
    )


def random_starts(track: Track, count: int, rng: np.random.Generator) -> Starts:
    """``count`` cars somewhere along the track, at a speed and an angle that a car could have there.

    From standing to as fast as the bends ahead allow, within the borders, mostly along the road, some sideways.
    """
    arc = track.start_arc_m + rng.uniform(0.0, LAST_SHARE, count) * track.length_m
    half_width = np.interp(arc, track.arc_m, track.half_width_m)
    lateral = rng.uniform(-1.0, 1.0, count) * np.maximum(half_width - EDGE_M, 0.0)
    position, direction = track.place(arc, lateral)
    limit = np.interp(arc, track.arc_m, _speed_limit(track))
    speed = rng.uniform(0.0, 1.0, count) * limit
    heading = direction + np.clip(rng.normal(0.0, OFF_COURSE_RAD / 2, count), -OFF_COURSE_RAD, OFF_COURSE_RAD)
    sliding = rng.uniform(size=count) < SLIDING_SHARE
    slide = rng.uniform(-1.0, 1.0, count) * np.minimum(SLIDING_MPS, 0.2 * speed)
    return Starts(
        position_m=position,
        heading_rad=heading,
        speed_mps=speed,
        arc_m=arc,
        race_time_s=np.zeros(count),
        lateral_mps=np.where(sliding, slide, 0.0),
    )


@lru_cache(maxsize=16)
def _speed_limit(track: Track) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(M,) speed from which a car can still brake for every bend ahead, going by the centre line."""
    heading = np.unwrap(np.arctan2(track.tangent[:, 0], track.tangent[:, 1]))
    curvature = np.abs(np.gradient(heading, track.arc_m))
    # A wide road lets a car cut a bend: smooth over 20 m.
    curvature = np.convolve(curvature, np.full(11, 1 / 11), mode="same")
    limit_squared = np.minimum(CORNERING_MPS2 / np.maximum(curvature, 1e-6), TOP_START_MPS**2)
    step = 2.0 * BRAKING_MPS2 * float(track.arc_m[1] - track.arc_m[0])
    for point in range(len(limit_squared) - 2, -1, -1):
        limit_squared[point] = min(limit_squared[point], limit_squared[point + 1] + step)
    limit = np.sqrt(limit_squared)
    limit.setflags(write=False)
    return limit

"""Slow and simple ways to compute what the fast code computes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.geometry import SPACING_M, Track
from tmstudio.track.raycast import BEAM_ANGLES_RAD

Floats = NDArray[np.float64]


def distances_to_all_borders(
    borders: list[Floats], position_xz: Floats, heading_rad: Floats, range_m: float
) -> Floats:
    """(N, 19) nearest hits of the beams with any stretch of any polyline (K, 2), in double precision."""
    start = np.concatenate([border[:-1] for border in borders])
    step = np.concatenate([np.diff(border, axis=0) for border in borders])
    result = np.full((len(position_xz), len(BEAM_ANGLES_RAD)), float(range_m))
    for row, (position, heading) in enumerate(zip(position_xz, heading_rad, strict=True)):
        angle = heading + BEAM_ANGLES_RAD
        beam = np.stack([np.sin(angle), np.cos(angle)], axis=1)[:, None, :]
        offset = (start - position)[None]
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = cross(beam, step[None])
            distance = cross(offset, step[None]) / turn
            share = cross(offset, beam) / turn
        hit = (distance >= 0) & (share >= 0) & (share <= 1)
        result[row] = np.minimum(result[row], np.where(hit, distance, np.inf).min(axis=1))
    return result


def way_in_corridor(
    track: Track, position: Floats, angle: float, arc_m: float, range_m: float
) -> tuple[float, float]:
    """How far a ray gets inside the corridor, and at which arc length it ends.

    The ray is followed from one quadrilateral between two pairs to the next.
    """
    left, right = track.left_m[:, [0, 2]].tolist(), track.right_m[:, [0, 2]].tolist()
    x, z = float(position[0]), float(position[1])
    sine, cosine = math.sin(angle), math.cos(angle)
    cell = int(arc_m / SPACING_M)
    came_through = ""
    while True:
        sides = {
            "left": (left[cell], left[cell + 1]),
            "right": (right[cell], right[cell + 1]),
            "back": (left[cell], right[cell]),
            "front": (left[cell + 1], right[cell + 1]),
        }
        out = []
        for name, ((x1, z1), (x2, z2)) in sides.items():
            turn = sine * (z2 - z1) - cosine * (x2 - x1)
            if name == came_through or abs(turn) < 1e-12:
                continue
            distance = ((x1 - x) * (z2 - z1) - (z1 - z) * (x2 - x1)) / turn
            share = ((x1 - x) * cosine - (z1 - z) * sine) / turn
            if distance >= -1e-9 and -1e-9 <= share <= 1 + 1e-9:
                out.append((distance, name))
        distance, side = max(out)
        if side in ("left", "right") or distance > range_m:
            return min(distance, range_m), cell * SPACING_M
        cell += 1 if side == "front" else -1
        came_through = "back" if side == "front" else "front"
        if not 0 <= cell < len(left) - 1:
            return range_m, cell * SPACING_M


def cross(one: Floats, other: Floats) -> Floats:
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]


def distance_to_line(points_xz: Floats, line_xz: Floats) -> Floats:
    """(K,) distances of points (K, 2) to a polyline."""
    first, step = line_xz[:-1], np.diff(line_xz, axis=0)
    away = points_xz[:, None, :] - first
    share = np.clip((away * step).sum(axis=2) / np.maximum((step * step).sum(axis=1), 1e-12), 0, 1)
    rest = away - share[..., None] * step
    return np.hypot(rest[..., 0], rest[..., 1]).min(axis=1)


def random_places(
    track: Track, count: int, seed: int, *, beyond_m: float = 0.0
) -> tuple[Floats, Floats, Floats, Floats]:
    """Positions (N, 2), headings of the road, arc lengths and lateral places of cars spread over a lap."""
    rng = np.random.default_rng(seed)
    arc = rng.uniform(track.start_arc_m, track.finish_arc_m, count)
    half_width = np.hypot(*np.diff(np.stack(track.pairs_at(arc)), axis=0)[0][:, [0, 2]].T) / 2
    lateral = rng.uniform(-1, 1, count) * (half_width - 0.06 + beyond_m)
    position, heading = track.place(arc, lateral)
    return np.ascontiguousarray(position[:, [0, 2]]), heading, arc, lateral

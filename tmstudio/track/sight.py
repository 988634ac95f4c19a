"""How far one can see along a road, and which border points matter for it.

From a place on the road, another cross-section can be seen only if a straight line runs between the borders all
the way. So what is seen from a short block of road is bounded by the cross-sections up to which some straight
line has all left points on its left and all right points on its right. Both are computed once per track.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.geometry import SPACING_M, Track

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_DIRECTIONS = 240
_DETOUR = 1.6
"""No straight line through a road is overtaken by the road's arc length by more than this, and 40 m."""


def sight_limits(track: Track, points: Indices, range_m: float, direction: int) -> Indices:
    """Farthest points of the track that are in sight from cross-sections, looking one way along the road.

    Never too near; a little too far where a gap is very narrow.

    Args:
        track: the track.
        points: (B,) cross-sections, as indices of points.
        range_m: what is farther away does not count.
        direction: 1 looks ahead, -1 looks back.

    Returns:
        (B,) indices of points.
    """
    count = int((range_m * _DETOUR + 40) / SPACING_M)
    window = np.clip(points[:, None] + direction * np.arange(count + 1), 0, len(track.arc_m) - 1)
    left, right = (border[:, [0, 2]][window] for border in (track.left_m, track.right_m))
    center = track.center_m[:, [0, 2]]
    half_width = track.half_width_m
    # A line is a direction; measured across it, every left point so far must lie left of every right point.
    ahead = track.tangent[points] * direction
    heading = np.arctan2(ahead[:, 0], ahead[:, 1])
    angle = heading[:, None] + np.linspace(-np.pi / 2, np.pi / 2, _DIRECTIONS)
    across = np.stack([np.cos(angle), -np.sin(angle)], axis=-1) * direction
    # A direction stands for all those nearer to it than to the next: they may differ by this much at the range.
    slack = (range_m + 2 * half_width.max()) * np.sin(np.pi / _DIRECTIONS)
    limits = np.empty(len(points), dtype=np.intp)
    for block in range(len(points)):
        origin = center[points[block]]
        lowest_left = np.minimum.accumulate((left[block] - origin) @ across[block].T, axis=0)
        highest_right = np.maximum.accumulate((right[block] - origin) @ across[block].T, axis=0)
        open_sight = (lowest_left - highest_right > -slack).any(axis=1)
        near = np.hypot(*(center[window[block]] - origin).T) - half_width[window[block]] < (
            range_m + half_width[points[block]]
        )
        limits[block] = window[block][np.flatnonzero(open_sight & near)[-1]]
    return limits


def needed_points(border_xz: Floats, tolerance_m: float) -> Indices:
    """Points of a polyline that keep it within a tolerance when the others are left out (Douglas-Peucker).

    Returns:
        Indices of the points that stay, rising, with the first and the last.
    """
    keep = np.zeros(len(border_xz), dtype=bool)
    keep[[0, -1]] = True
    pending = [(0, len(border_xz) - 1)]
    while pending:
        first, last = pending.pop()
        if last - first < 2:
            continue
        chord = border_xz[last] - border_xz[first]
        away = border_xz[first + 1 : last] - border_xz[first]
        length = max(float(np.hypot(*chord)), 1e-9)
        distance = np.abs(away[:, 0] * chord[1] - away[:, 1] * chord[0]) / length
        worst = int(distance.argmax())
        if distance[worst] > tolerance_m:
            keep[first + 1 + worst] = True
            pending += [(first, first + 1 + worst), (first + 1 + worst, last)]
    return np.flatnonzero(keep)

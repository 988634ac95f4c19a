"""LIDAR from geometry: distances from cars to the borders of the road around them.

Nineteen beams in the horizontal plane, 10 degrees apart and fixed to the car: beam 0 points right, 9 ahead, 18
left. All arithmetic that touches many points is single precision and relative to a near origin.

How it is fast: a border point is turned into the car's frame once and given the number of the sector between
two beams that it lies in. A stretch of border can meet a beam only where that number changes, so that of some
thousand stretches a few are left for each beam. Neighbouring stretches share their point and thus its sector: no
beam slips through between them.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.geometry import SPACING_M, Track
from tmstudio.track.sight import Indices, needed_points, sight_limits

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

BEAMS = 19
BEAM_STEP_RAD = math.pi / 18
BEAM_ANGLES_RAD = (np.arange(BEAMS) - 9) * BEAM_STEP_RAD
"""(19,) angle of each beam from straight ahead, positive to the left."""

_BLOCK_POINTS = 6
_TOLERANCE_M = 0.03
"""Border points are left out as long as the border stays within this."""
_INSIDE_M = 0.05
"""Beams start at least this far inside the borders: on the inner side of what is left of them."""
# 2 atan(t) on [-1, 1] in beam steps: odd polynomial of least maximum error, 1.3e-4 beam steps (0.0013 degrees).
_ARCTAN = tuple(
    np.float32(36 / math.pi * c) for c in (0.99986633, -0.33030477, 0.18015924, -0.08515627, 0.02084507)
)


class RayCaster:
    """Casts the 19 beams on one track with one range. Build it once.

    Only the corridor that can be seen from the car's place is looked at, so a beam never sees another part of the
    track through a wall. Where the corridor is open, before the start and beyond the finish, a beam reads the range.
    """

    def __init__(self, track: Track, range_m: float) -> None:
        self.track = track
        self.range_m = float(range_m)
        last = len(track.arc_m) - 1
        first_points = np.arange(0, last, _BLOCK_POINTS)
        last_points = np.minimum(first_points + _BLOCK_POINTS, last)
        back = sight_limits(track, first_points, self.range_m, -1)
        ahead = sight_limits(track, last_points, self.range_m, 1)
        middle = (first_points + last_points) // 2
        self._origin = np.ascontiguousarray(track.center_m[middle][:, [0, 2]].T)
        center, across = (track.left_m + track.right_m) / 2, (track.left_m - track.right_m) / 2
        pairs = np.concatenate([center[:, [0, 2]], across[:, [0, 2]]], axis=1).T
        self._pairs = np.concatenate([pairs[:, :-1], np.diff(pairs, axis=1)])
        windows = []
        for border in (track.left_m[:, [0, 2]], track.right_m[:, [0, 2]]):
            kept = needed_points(border, _TOLERANCE_M)
            windows.append(_windows(border[kept], kept, back, ahead))
        size = max(window.shape[1] for window in windows)
        both = np.stack([_lengthened(window, size) for window in windows], axis=1)
        both -= self._origin.T[:, None, None, :]
        self._size = size
        points = both[..., 1] + 1j * both[..., 0]
        self._windows = np.ascontiguousarray(points.reshape(len(points), 2 * size), dtype=np.complex64)
        self._turn_back = np.exp(-1j * BEAM_ANGLES_RAD).astype(np.complex64)

    def cast(self, position_xz: Floats, heading_rad: Floats, arc_m: Floats) -> Singles:
        """Distances to the borders.

        A car beyond a border, as far as it can be, sees the road as from the border itself: outward beams
        read 0 and inward ones look across.

        Args:
            position_xz: (N, 2) positions.
            heading_rad: (N,) headings.
            arc_m: (N,) places of the cars, from a `Projector`.

        Returns:
            (N, 19) metres, 0 to the range.
        """
        place = np.maximum(arc_m, 0) * (1 / SPACING_M)
        block = np.minimum(place * (1 / _BLOCK_POINTS), self._origin.shape[1] - 1).astype(np.intp)
        x, z = self._pulled_inside(position_xz, place)
        origin_x, origin_z = self._origin.take(block, axis=1)
        start = np.empty(len(x), dtype=np.complex64)
        start.real, start.imag = z - origin_z, x - origin_x
        # Complex numbers forward + i left: one subtraction and one product turn a point into the car's frame.
        points = self._windows.take(block, axis=0)
        points -= start[:, None]
        points *= np.exp(-1j * heading_rad).astype(np.complex64)[:, None]
        flat = points.ravel()
        sector = _sectors(np.ascontiguousarray(flat.real), np.ascontiguousarray(flat.imag))
        met = np.empty(len(flat), dtype=bool)
        np.not_equal(sector[:-1], sector[1:], out=met[:-1])
        met[self._size - 1 :: self._size] = False
        return self._nearest(len(position_xz), flat, sector, np.flatnonzero(met))

    def _nearest(
        self, count: int, points: NDArray[np.complex64], sector: NDArray[np.int8], stretch: Indices
    ) -> Singles:
        """Nearest hit of each beam among the stretches of border that meet one."""
        from_point, to_point = points.take(stretch), points.take(stretch + 1)
        from_sector, to_sector = sector.take(stretch), sector.take(stretch + 1)
        low, high = np.minimum(from_sector, to_sector), np.maximum(from_sector, to_sector)
        leftward = from_point.real * to_point.imag > from_point.imag * to_point.real
        # The sector says rightward and the turn leftward, or the other way round: it passes behind the car, and
        # meets the beams outside of its two directions instead of those between.
        behind = np.flatnonzero(leftward != (to_sector > from_sector))
        first, beams = low.astype(np.intp), (high - low).astype(np.intp)
        if len(behind):
            stretch = np.concatenate([stretch, stretch[behind]])
            from_point = np.concatenate([from_point, from_point[behind]])
            to_point = np.concatenate([to_point, to_point[behind]])
            first = np.concatenate([first, high[behind]])
            beams = np.concatenate([beams, BEAMS - high[behind]])
            first[behind], beams[behind] = 0, low[behind]
        ends = np.cumsum(beams)
        owner = np.repeat(np.arange(len(beams)), beams)
        beam = np.arange(len(owner))
        beam += (first - ends + beams).take(owner)
        turn = self._turn_back.take(beam)
        near, far = from_point.take(owner) * turn, to_point.take(owner) * turn
        # Within the stretch, also where it is seen edge-on and rounding would place the hit beyond its ends.
        span = near.imag - far.imag
        share = np.clip(near.imag / np.where(span == 0, np.float32(1), span), 0, 1)
        distance = near.real + share * (far.real - near.real)
        target = stretch // (2 * self._size) * BEAMS
        result = np.full(count * BEAMS, self.range_m, dtype=np.float32)
        np.minimum.at(result, beam + target.take(owner), np.maximum(distance, np.float32(0)))
        return result.reshape(count, BEAMS)

    def _pulled_inside(self, position_xz: Floats, place: Floats) -> tuple[Floats, Floats]:
        """Coordinates x and z; those beyond a border are moved onto it along the pair line."""
        x, z = position_xz[:, 0], position_xz[:, 1]
        index = np.minimum(place, self._pairs.shape[1] - 1).astype(np.intp)
        pairs = self._pairs.take(index, axis=1)
        center_x, center_z, across_x, across_z = pairs[:4] + (place - index) * pairs[4:]
        square = across_x * across_x + across_z * across_z
        lateral = ((x - center_x) * across_x + (z - center_z) * across_z) / square
        limit = 1 - _INSIDE_M / np.sqrt(square)
        back = np.minimum(np.maximum(lateral, -limit), limit) - lateral
        return x + back * across_x, z + back * across_z


def _sectors(forward: Singles, left: Singles) -> NDArray[np.int8]:
    """How many beams a direction has on its right: 0 behind on the right to 19 behind on the left."""
    # Tangent of half the angle: -1 at beam 0, 1 at beam 18, without bound behind.
    tangent = forward * forward
    square = left * left
    tangent += square
    np.sqrt(tangent, out=tangent)
    tangent += forward
    # Straight behind the sum rounds to nothing; a point there must come out as far beyond beam 18, not as 0 / 0.
    np.maximum(tangent, np.float32(1e-30), out=tangent)
    np.add(left, np.float32(1e-20), out=square)
    np.divide(square, tangent, out=tangent)
    np.minimum(tangent, np.float32(1.05), out=tangent)
    np.maximum(tangent, np.float32(-1.05), out=tangent)
    np.multiply(tangent, tangent, out=square)
    angle = square * _ARCTAN[-1]
    for coefficient in _ARCTAN[-2:0:-1]:
        angle += coefficient
        angle *= square
    angle += _ARCTAN[0]
    angle *= tangent
    angle += np.float32(10)
    return angle.astype(np.int8)


def _windows(border: Floats, kept: Indices, back: Indices, ahead: Indices) -> Floats:
    """(B, P, 2) points of a border that are in sight of each block; the last is repeated to fill a row."""
    first = np.searchsorted(kept, back, side="right") - 1
    last = np.searchsorted(kept, ahead, side="left")
    columns = np.arange((last - first).max() + 1)
    return border[np.minimum(first[:, None] + columns, last[:, None])]


def _lengthened(window: Floats, size: int) -> Floats:
    return np.pad(window, ((0, 0), (0, size - window.shape[1]), (0, 0)), mode="edge")


@lru_cache(maxsize=16)
def ray_caster(track: Track, range_m: float) -> RayCaster:
    """The ray caster of a track and range, built at the first call."""
    return RayCaster(track, range_m)


def cast(track: Track, position_xz: Floats, heading_rad: Floats, arc_m: Floats, range_m: float) -> Singles:
    """Distances to the borders along 19 beams, see `RayCaster.cast`.

    Args:
        track: the track.
        position_xz: (N, 2) positions.
        heading_rad: (N,) headings.
        arc_m: (N,) places of the cars, from a `Projector`.
        range_m: beams are cut off there.

    Returns:
        (N, 19) metres; index 0 right, 9 ahead, 18 left.
    """
    return ray_caster(track, float(range_m)).cast(position_xz, heading_rad, arc_m)

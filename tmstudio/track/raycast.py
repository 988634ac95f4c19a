"""LIDAR from geometry: distances from cars to the borders of the road around them.

Nineteen beams in the horizontal plane, 10 degrees apart and fixed to the car: beam 0 points right, 9 ahead, 18
left. All arithmetic that touches every border point is single precision and relative to a near origin.

How it is fast: a border point is turned into the car's frame once, and its direction into a beam number. A
stretch of border can meet a beam only where that number changes, so that of some thousand stretches a few are
left for each beam, whatever the number of beams.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.geometry import SPACING_M, Track

Floats = NDArray[np.float64]

BEAMS = 19
BEAM_STEP_RAD = math.pi / 18
BEAM_ANGLES_RAD = (np.arange(BEAMS) - 9) * BEAM_STEP_RAD
"""(19,) angle of each beam from straight ahead, positive to the left."""

_BLOCK_POINTS = 8
_INSIDE_M = 0.01


class RayCaster:
    """Casts the 19 beams on one track with one range. Build it once.

    Only the corridor around the car is looked at, so a beam never sees another part of the track through a
    wall. Where the corridor is open, before the start and beyond the finish, a beam reads the range.
    """

    def __init__(self, track: Track, range_m: float) -> None:
        self.track = track
        self.range_m = float(range_m)
        blocks = -(-len(track.arc_m) // _BLOCK_POINTS)
        reach = int(np.ceil((self.range_m * 1.5 + 40) / SPACING_M))
        middle = np.minimum(np.arange(blocks) * _BLOCK_POINTS + _BLOCK_POINTS // 2, len(track.arc_m) - 1)
        window = np.clip(middle[:, None] + np.arange(-reach, reach + 1), 0, len(track.arc_m) - 1)
        borders = np.stack([track.left_m, track.right_m])[:, :, [0, 2]]
        self._origin = track.center_m[middle][:, [0, 2]]
        points = borders[:, window].transpose(3, 1, 0, 2) - self._origin.T[:, :, None, None]
        self._x, self._z = np.ascontiguousarray(points, dtype=np.float32)
        self._cos = np.cos(BEAM_ANGLES_RAD).astype(np.float32)
        self._sin = np.sin(BEAM_ANGLES_RAD).astype(np.float32)

    def cast(self, position_xz: Floats, heading_rad: Floats, arc_m: Floats) -> NDArray[np.float32]:
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
        count = len(position_xz)
        block = np.clip(arc_m * (1 / (SPACING_M * _BLOCK_POINTS)), 0, len(self._origin) - 1).astype(np.intp)
        start = self._pulled_inside(position_xz, arc_m) - self._origin[block]
        start = start.astype(np.float32)[:, :, None, None]
        sine = np.sin(heading_rad).astype(np.float32)[:, None, None]
        cosine = np.cos(heading_rad).astype(np.float32)[:, None, None]
        x = self._x[block]
        x -= start[:, 0]
        z = self._z[block]
        z -= start[:, 1]
        forward = x * sine
        forward += z * cosine
        left = x * cosine
        left -= z * sine
        # Beams are the whole numbers 9 to 27 of the angle; the seam is behind the car, at 0 and 36.
        angle = np.arctan2(left, forward)
        angle *= np.float32(1 / BEAM_STEP_RAD)
        angle += np.float32(18)
        sector = angle.astype(np.int8)
        seen = np.minimum(np.maximum(sector, np.int8(8)), np.int8(27))
        crossed = np.zeros(seen.shape, dtype=bool)
        np.not_equal(seen[..., :-1], seen[..., 1:], out=crossed[..., :-1])
        return self._nearest(count, np.flatnonzero(crossed), forward.ravel(), left.ravel(), sector.ravel())

    def _nearest(
        self,
        count: int,
        stretch: NDArray[np.intp],
        forward: NDArray[np.float32],
        left: NDArray[np.float32],
        sector: NDArray[np.int8],
    ) -> NDArray[np.float32]:
        """Nearest hit of each beam among the stretches of border that meet one."""
        low = np.minimum(sector[stretch], sector[stretch + 1]).astype(np.intp)
        high = np.maximum(sector[stretch], sector[stretch + 1]).astype(np.intp)
        behind = high - low > 18
        first = np.maximum(low, 8) + 1
        last = np.minimum(high, 27)
        if behind.any():
            # The stretch passes behind the car: it meets the beams outside of its two directions, not between.
            tail = stretch[behind]
            outer_first, outer_last = np.maximum(high[behind], 8) + 1, np.full(len(tail), 27)
            first[behind], last[behind] = 9, np.minimum(low[behind], 27)
            stretch = np.concatenate([stretch, tail])
            first, last = np.concatenate([first, outer_first]), np.concatenate([last, outer_last])
        beams = np.maximum(last - first + 1, 0)
        total = int(beams.sum())
        owner = np.repeat(np.arange(len(stretch)), beams)
        beam = np.arange(total) - np.repeat(np.cumsum(beams) - beams, beams) + first[owner] - 9
        at = stretch[owner]
        forward_1, left_1 = forward[at], left[at]
        forward_2, left_2 = forward[at + 1], left[at + 1]
        across = self._cos[beam] * (left_2 - left_1) - self._sin[beam] * (forward_2 - forward_1)
        twice_area = forward_1 * left_2 - forward_2 * left_1
        distance = twice_area / np.where(across == 0, np.float32(np.inf), across)
        car = at // (len(forward) // count)
        result = np.full(count * BEAMS, self.range_m, dtype=np.float32)
        np.minimum.at(result, car * BEAMS + beam, np.abs(distance))
        return result.reshape(count, BEAMS)

    def _pulled_inside(self, position_xz: Floats, arc_m: Floats) -> Floats:
        """Positions, those beyond a border moved onto it along the pair line."""
        left, right = self.track.pairs_at(arc_m)
        across = (left - right)[:, [0, 2]] / 2
        center = (left + right)[:, [0, 2]] / 2
        half_width = np.sqrt(np.einsum("nk,nk->n", across, across))
        lateral = np.einsum("nk,nk->n", position_xz - center, across) / half_width
        beyond = np.maximum(np.abs(lateral) - (half_width - _INSIDE_M), 0.0)
        return np.asarray(position_xz - across * (np.sign(lateral) * beyond / half_width)[:, None])


@lru_cache(maxsize=16)
def ray_caster(track: Track, range_m: float) -> RayCaster:
    """The ray caster of a track and range, built at the first call."""
    return RayCaster(track, range_m)


def cast(
    track: Track, position_xz: Floats, heading_rad: Floats, arc_m: Floats, range_m: float
) -> NDArray[np.float32]:
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

"""Points of both borders ahead of a car, in the car's own frame."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.geometry import SPACING_M, Track

Floats = NDArray[np.float64]


class PointsAhead:
    """Finds the points ahead on one track. Build it once.

    Args:
        track: the track. Beyond its end it goes on straight.
        count: points on each border.
        spacing_m: arc length between two of them; the first is one spacing ahead of the car.
    """

    def __init__(self, track: Track, count: int, spacing_m: float) -> None:
        self.track = track
        self.count = count
        self.spacing_m = float(spacing_m)
        pairs = np.concatenate([track.left_m[:, [0, 2]], track.right_m[:, [0, 2]]], axis=1)
        self._pairs = pairs
        self._steps = np.concatenate([np.diff(pairs, axis=0), pairs[-1:] - pairs[-2:-1]])
        self._offsets = np.arange(1, count + 1) * (self.spacing_m / SPACING_M)

    def find(self, position_xz: Floats, heading_rad: Floats, arc_m: Floats) -> NDArray[np.float32]:
        """Border points ahead.

        Args:
            position_xz: (N, 2) positions.
            heading_rad: (N,) headings.
            arc_m: (N,) places of the cars, from a `Projector`.

        Returns:
            (N, 2, count, 2) metres: border (left first), point, (forward, left) in the car's frame.
        """
        place = (arc_m * (1 / SPACING_M))[:, None] + self._offsets
        index = np.minimum(place, len(self._pairs) - 1).astype(np.intp)
        points = self._steps[index]
        points *= (place - index)[..., None]
        points += self._pairs[index]
        x = points[..., 0::2].transpose(0, 2, 1) - position_xz[:, 0, None, None]
        z = points[..., 1::2].transpose(0, 2, 1) - position_xz[:, 1, None, None]
        sine, cosine = np.sin(heading_rad)[:, None, None], np.cos(heading_rad)[:, None, None]
        result = np.empty((len(position_xz), 2, self.count, 2), dtype=np.float32)
        result[..., 0] = x * sine + z * cosine
        result[..., 1] = x * cosine - z * sine
        return result


@lru_cache(maxsize=16)
def finder(track: Track, count: int, spacing_m: float) -> PointsAhead:
    """The finder of a track, built at the first call."""
    return PointsAhead(track, count, spacing_m)


def points_ahead(
    track: Track, position_xz: Floats, heading_rad: Floats, arc_m: Floats, count: int, spacing_m: float
) -> NDArray[np.float32]:
    """Border points ahead of each car, see `PointsAhead.find`: (N, 2, count, 2), left border first."""
    return finder(track, count, float(spacing_m)).find(position_xz, heading_rad, arc_m)

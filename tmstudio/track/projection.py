"""From a position to a place on the track: arc length along the centre and distance from it.

The road is a strip of quadrilaterals between successive border pairs. In each, a position has exactly one
pair of coordinates: the pair line through it, and its place on that line. So progress has no steps at the
corners of the centre line, sub-metre motion is never lost, and a position is beyond a border exactly when it is
beyond the border's polyline.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.geometry import SPACING_M, Track

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_REACH_POINTS = 8
"""Points on each side of the last place that one wide look covers: 16 m. Farther motion walks on from there."""


class Projection(NamedTuple):
    """Places of N cars on the track.

    Attributes:
        arc_m: (N,) arc length from the first point of the track. Progress is ``arc_m - track.start_arc_m``.
        lateral_m: (N,) distance from the centre line, positive to the LEFT.
        half_width_m: (N,) distance from the centre line to either border there.
        tangent: (N, 2) unit ``(x, z)`` direction of driving there; left of it is ``(tz, -tx)``.
    """

    arc_m: Floats
    lateral_m: Floats
    half_width_m: Floats
    tangent: Floats


class Projector:
    """Projects positions on one track.

    Build it once per track: it holds a table of what each place looks like.
    """

    def __init__(self, track: Track) -> None:
        self.track = track
        center = track.center_m[:, [0, 2]]
        along = track.tangent * track.half_width_m[:, None]
        self._last = len(center) - 1
        self._center = np.ascontiguousarray(center)
        # Per segment: centre and half vector of its first pair, the latter turned so that it points along the
        # road; how both change to its second pair; and the constants of the quadratic in `advance`.
        steps, turns = np.diff(center, axis=0), np.diff(along, axis=0)
        self._segments = np.concatenate(
            [
                center[:-1].T,
                along[:-1].T,
                steps.T,
                turns.T,
                [(center * along).sum(axis=1)[:-1]],
                [(steps * along[:-1] + center[:-1] * turns).sum(axis=1)],
                [(steps * turns).sum(axis=1)],
            ]
        )
        # How far a position is beyond the pair line of a point: x * ax + z * az - b, positive ahead of it.
        # Before the first point everything is ahead, beyond the last everything is behind.
        lines = np.stack([along[:, 0], along[:, 1], (center * along).sum(axis=1)])
        before = np.tile([[0.0], [0.0], [-np.inf]], (1, _REACH_POINTS))
        beyond = np.tile([[0.0], [0.0], [np.inf]], (1, _REACH_POINTS + 1))
        self._lines = np.concatenate([before, lines, beyond], axis=1)
        self._near = np.arange(-1, 3)[:, None] + _REACH_POINTS
        self._wide = np.arange(-_REACH_POINTS, _REACH_POINTS + 2)[:, None] + _REACH_POINTS
        # Of several crossings the nearest to the last place counts: a car never jumps to the other leg of a
        # hairpin.
        self._nearness = 1.0 / (1.0 + np.abs(np.arange(2 * _REACH_POINTS + 1) - _REACH_POINTS))[:, None]

    def locate(self, position_xz: Floats) -> Floats:
        """Find cars anywhere on the track, without a last place: after a reset or at the start.

        Args:
            position_xz: (N, 2) positions.

        Returns:
            (N,) arc lengths.
        """
        position = np.asarray(position_xz, dtype=np.float64)
        nearest = np.empty(len(position), dtype=np.intp)
        for first in range(0, len(position), 1024):
            some = position[first : first + 1024]
            away = some[:, None, :] - self._center[None, :, :]
            nearest[first : first + 1024] = np.einsum("nmk,nmk->nm", away, away).argmin(axis=1)
        return self.advance(position, np.multiply(nearest, SPACING_M, dtype=np.float64)).arc_m

    def advance(self, position_xz: Floats, last_arc_m: Floats) -> Projection:
        """Follow cars along the track from their last places.

        The search walks from the last place to the nearest place whose pair line goes through the position,
        so it never jumps across a hairpin, however near the other leg is. Before the first and beyond the
        last point of the track the arc length stays at that end.

        Args:
            position_xz: (N, 2) positions.
            last_arc_m: (N,) arc lengths at the last call, or from `locate`.

        Returns:
            The places of the N cars.
        """
        position = np.array(position_xz.T, dtype=np.float64)
        x, z = position
        last = np.minimum(np.maximum(last_arc_m, 0.0) * (1 / SPACING_M), self._last).astype(np.intp)
        segment = self._follow(x, z, last)
        cx, cz, ax, az, dx, dz, bx, bz, first, mixed, square = self._segments.take(segment, axis=1)
        # (q - s d) . (a + s b) = 0 for s in [0, 1], with q from the segment's first point to the position: the
        # pair line through the position. The form of the root below has no cancellation where the road is
        # straight, and is the one in [0, 1] in all cases.
        constant = x * ax + z * az - first
        linear = mixed - x * bx - z * bz
        root = np.sqrt(np.maximum(linear * linear + 4 * (square * constant), 0.0))
        part = np.minimum(np.maximum(2 * constant / np.maximum(linear + root, 1e-12), 0.0), 1.0)
        along_x, along_z = ax + part * bx, az + part * bz
        half_width = np.sqrt(along_x * along_x + along_z * along_z)
        tangent = np.empty((len(x), 2))
        tangent[:, 0] = tangent_x = along_x / half_width
        tangent[:, 1] = tangent_z = along_z / half_width
        lateral = (x - cx - part * dx) * tangent_z - (z - cz - part * dz) * tangent_x
        return Projection((segment + part) * SPACING_M, lateral, half_width, tangent)

    def _follow(self, x: Floats, z: Floats, last: Indices) -> Indices:
        """Segment, as the index of its first point, that holds each position, nearest to `last`."""
        along_x, along_z, offset = self._lines.take(last + self._near, axis=1)
        passed = along_x * x + along_z * z >= offset
        segment: Indices = last + passed[1]
        segment += passed[2]
        segment -= 1
        missed = np.flatnonzero(passed[3] >= passed[0])
        if len(missed):
            segment[missed] = self._search(x[missed], z[missed], last[missed])
        found: Indices = np.minimum(np.maximum(segment, 0), self._last - 1)
        return found

    def _search(self, x: Floats, z: Floats, last: Indices) -> Indices:
        """As `_follow`, however far away."""
        segment = last.copy()
        missed = np.arange(len(last))
        # Each look advances by almost its half, always the same way, so this reaches the end of any track.
        for _ in range(len(self._center) // _REACH_POINTS + 2):
            segment[missed], ahead = self._look(x[missed], z[missed], last[missed])
            missed, ahead = missed[ahead != 0], ahead[ahead != 0]
            if not len(missed):
                break
            last[missed] = np.clip(last[missed] + ahead * (_REACH_POINTS + 1), 0, self._last)
        return segment

    def _look(self, x: Floats, z: Floats, last: Indices) -> tuple[Indices, Indices]:
        """One wide look around the last places: segments, and -1, 0 or 1: behind the look, in it, ahead of it."""
        along_x, along_z, offset = self._lines.take(last + self._wide, axis=1)
        passed = along_x * x + along_z * z >= offset
        score = (passed[:-1] > passed[1:]) * self._nearness
        best = score.argmax(axis=0)
        found = score.max(axis=0) > 0
        direction = np.where(found, 0, np.where(passed[-1], 1, -1))
        return last + best - _REACH_POINTS, direction

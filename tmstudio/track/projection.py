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

REACH_POINTS = 8
"""Points on each side of the last place that one look covers: 16 m. Farther motion walks on from there."""


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
        # Per point: centre x, z and the pair's half vector, turned so that it points along the road.
        self._points = np.concatenate([center, along], axis=1)
        self._center = np.ascontiguousarray(center)
        # How far a position is beyond the pair line of a point: x * ax + z * az - b, positive ahead of it.
        lines = np.stack([along[:, 0], along[:, 1], (center * along).sum(axis=1)])
        # Before the first point everything is ahead, beyond the last everything is behind.
        before = np.tile([[0.0], [0.0], [-np.inf]], (1, REACH_POINTS))
        beyond = np.tile([[0.0], [0.0], [np.inf]], (1, REACH_POINTS + 1))
        padded = np.concatenate([before, lines, beyond], axis=1)
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * REACH_POINTS + 2, axis=1)
        self._lines = np.ascontiguousarray(windows.transpose(1, 0, 2))
        # The nearest crossing to the last place wins: a car never jumps to the other leg of a hairpin.
        offset = np.arange(2 * REACH_POINTS + 1) - REACH_POINTS
        self._nearness = 1.0 / (1.0 + np.abs(offset))

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
        return self.advance(position, nearest * SPACING_M).arc_m

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
        x, z = position_xz[:, 0], position_xz[:, 1]
        last = np.minimum(np.maximum(last_arc_m, 0.0) * (1 / SPACING_M), self._last).astype(np.intp)
        segment = self._follow(x, z, last)
        first = self._points[segment]
        second = self._points[segment + 1]
        change = second - first
        qx, qz = x - first[:, 0], z - first[:, 1]
        dx, dz, bx, bz = change.T
        ax, az = first[:, 2], first[:, 3]
        # (q - s d) . (a + s b) = 0 for s in [0, 1]: the pair line through the position.
        square = dx * bx + dz * bz
        linear = dx * ax + dz * az - qx * bx - qz * bz
        constant = qx * ax + qz * az
        root = np.sqrt(np.maximum(linear * linear + 4 * square * constant, 0.0))
        part = np.minimum(np.maximum(2 * constant / np.maximum(linear + root, 1e-12), 0.0), 1.0)
        along_x, along_z = ax + part * bx, az + part * bz
        half_width = np.sqrt(along_x * along_x + along_z * along_z)
        tangent = np.empty_like(position_xz, dtype=np.float64)
        np.divide(along_x, half_width, out=tangent[:, 0])
        np.divide(along_z, half_width, out=tangent[:, 1])
        lateral = (qx - part * dx) * tangent[:, 1] - (qz - part * dz) * tangent[:, 0]
        return Projection((segment + part) * SPACING_M, lateral, half_width, tangent)

    def _follow(self, x: Floats, z: Floats, last: NDArray[np.intp]) -> NDArray[np.intp]:
        """Segment, as the index of its first point, that holds each position, nearest to `last`."""
        segment, ahead = self._look(x, z, last)
        missed = np.flatnonzero(ahead != 0)
        last = last.copy() if len(missed) else last
        for _ in range(len(self._points) // REACH_POINTS):
            if not len(missed):
                break
            last[missed] = np.clip(last[missed] + ahead[missed] * (REACH_POINTS + 1), 0, self._last)
            segment[missed], ahead[missed] = self._look(x[missed], z[missed], last[missed])
            missed = missed[ahead[missed] != 0]
        return np.minimum(np.maximum(segment, 0), self._last - 1)

    def _look(
        self, x: Floats, z: Floats, last: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """One look around the last places: segments, and -1, 0 or 1: behind the look, in it, ahead of it."""
        lines = self._lines[last]
        ahead = lines[:, 0] * x[:, None]
        ahead += lines[:, 1] * z[:, None]
        passed = ahead >= lines[:, 2]
        score = (passed[:, :-1] > passed[:, 1:]) * self._nearness
        best = score.argmax(axis=1)
        found = score[np.arange(len(best)), best] > 0
        direction = np.where(found, 0, np.where(passed[:, -1], 1, -1))
        return last + best - REACH_POINTS, direction

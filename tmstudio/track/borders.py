"""From two recorded borders to a track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import EXTENSION_M, SPACING_M, Pose, Track
from tmstudio.track.pairing import pair_borders
from tmstudio.track.recording import arc_length, at_arcs, clean_line, resampled, smoothed
from tmstudio.track.sight import needed_points

Floats = NDArray[np.float64]

SPAWN_LEAD_M = 3.3
"""How far before the first recorded pair a car spawns: on the real recordings of `tmrl-test` the drivers were
beside both walls 3.3 m past the spawn."""

_MEASURE_SIGMA_M = 4.0
"""Arc length is measured along the middle line smoothed by this much. The middle between two borders has corners
that are as sharp as the inner border's, and no car follows those; on `tmrl-test` this gives the lap of 2160 m that
others measure."""

_SPAWN_DIRECTION_M, _END_DIRECTION_M = 12.0, 6.0
_MIN_WIDTH_M, _MAX_WIDTH_M = 4.0, 120.0


def track_from_borders(
    left_samples_m: Floats,
    right_samples_m: Floats,
    name: str,
    *,
    map_uid: str | None = None,
    medals_s: Mapping[str, float] | None = None,
    origin: Mapping[str, Any] | None = None,
    spawn_lead_m: float = SPAWN_LEAD_M,
) -> Track:
    """Make a track from the raw recordings of a car driven along each border, from the spawn to the finish.

    The lap goes from the spawn, ``spawn_lead_m`` before the first place where both borders were recorded, to the
    last such place, where the recorder stopped at the finish. Straight extensions on both ends are for
    rays and points ahead only.

    Args:
        left_samples_m: (N, 3) samples of the left border, in the order of driving.
        right_samples_m: (M, 3) samples of the right border.
        name: name of the track.
        map_uid: identifier of the map in the game.
        medals_s: lap times by medal.
        origin: how the track came to be, as plain data.
        spawn_lead_m: how far before the first place with both borders the car spawns.

    Raises:
        TMStudioError: the recordings are not two borders of one road.
    """
    left = clean_line(left_samples_m, "The left border")
    right = clean_line(right_samples_m, "The right border")
    _check_same_road(left, right)
    left, right = pair_borders(left, right)
    _check_pairs(left, right)
    left, right, length_m = _measured(left, right, spawn_lead_m)
    start = round(EXTENSION_M / SPACING_M)
    x, y, z = (round(float(value), 3) for value in (left[start] + right[start]) / 2)
    across = left[start] - right[start]
    return Track(
        name=name,
        map_uid=map_uid,
        left_m=left,
        right_m=right,
        start_arc_m=EXTENSION_M,
        finish_arc_m=EXTENSION_M + length_m,
        spawn=Pose((x, y, z), round(float(np.arctan2(-across[2], across[0])), 6)),
        medals_s=medals_s or {},
        origin=origin or {},
    )


def _measured(left: Floats, right: Floats, lead_m: float) -> tuple[Floats, Floats, float]:
    """Pairs `SPACING_M` apart with the extensions, and the length from the spawn to the last pair."""
    middle = (left + right) / 2
    even = resampled(middle, 1.0)
    smooth = smoothed(even, _MEASURE_SIGMA_M, 1.0)
    # The smooth line has points at the same shares of the way as the middle line.
    measure = np.interp(arc_length(middle), arc_length(even), arc_length(smooth)) + lead_m
    length_m = round(float(measure[-1]), 3)
    wanted = np.arange(-EXTENSION_M, length_m + EXTENSION_M + SPACING_M, SPACING_M)
    back, ahead = _out_direction(even, _SPAWN_DIRECTION_M), _out_direction(even[::-1], _END_DIRECTION_M)
    # Recordings begin a little askew, while the drivers steer to the walls: a spawn stands square on its road.
    half_width = float(np.hypot(*(left[0] - right[0])[[0, 2]])) / 2
    square = np.array([-back[2], 0.0, back[0]]) * half_width
    spawn = middle[0] + lead_m * back
    borders = []
    for line, side in ((left, square), (right, -square)):
        first = spawn + side
        # One step more than wanted, so that the outermost points are on the extensions.
        before, beyond = (
            first + back * (EXTENSION_M + SPACING_M),
            line[-1] + ahead * (EXTENSION_M + 2 * SPACING_M),
        )
        points = np.concatenate([[before, first], line, [beyond]])
        arcs = np.concatenate(
            [[-EXTENSION_M - SPACING_M, 0.0], measure, [measure[-1] + EXTENSION_M + 2 * SPACING_M]]
        )
        borders.append(at_arcs(points, arcs, wanted))
    return borders[0], borders[1], length_m


def _out_direction(middle: Floats, reach_m: float) -> Floats:
    """Unit (x, 0, z) direction out of the road at the first point of its middle line, points 1 m apart."""
    outward = middle[0] - middle[min(int(reach_m), len(middle) - 1)]
    outward[1] = 0.0
    return np.asarray(outward / np.hypot(outward[0], outward[2]))


def _check_same_road(left: Floats, right: Floats) -> None:
    starts, ends = _apart(left[0], right[0]), _apart(left[-1], right[-1])
    if min(_apart(left[0], right[-1]), _apart(left[-1], right[0])) < min(starts, ends, _MAX_WIDTH_M):
        raise TMStudioError(
            "The borders were driven in opposite directions.",
            cause="the left one begins where the right one ends",
            hint="record both borders from the start to the finish",
        )
    for where, distance in (("begin", starts), ("end", ends)):
        if distance > 2 * _MAX_WIDTH_M:
            raise TMStudioError(
                f"The borders {where} {distance:.0f} m from each other.",
                cause="they are from different maps, or one is not complete",
                hint="record both borders from the start to the finish of the same map",
            )
    place = _crossing(left[:, [0, 2]], right[:, [0, 2]])
    if place is not None:
        raise TMStudioError(
            "The borders cross each other.",
            cause=f"at x = {place[0]:.1f} m, z = {place[1]:.1f} m: a recording left its side of the road",
            hint="record again, each border along its own wall from the start to the finish",
        )


def _check_pairs(left: Floats, right: Floats) -> None:
    across = (left - right)[:, [0, 2]]
    width = np.hypot(*across.T)
    middle = (left + right)[:, [0, 2]] / 2
    ahead = np.gradient(middle, axis=0)
    on_the_left = across[:, 0] * ahead[:, 1] - across[:, 1] * ahead[:, 0] > 0
    if on_the_left.mean() < 0.5:
        raise TMStudioError(
            "The left border is on the right side of the road.",
            cause="the two recordings are exchanged",
            hint="exchange --left and --right",
        )
    if not on_the_left.all() or width.min() < _MIN_WIDTH_M:
        place = middle[int(width.argmin())]
        raise TMStudioError(
            "The borders touch or cross.",
            cause=f"they are {width.min():.1f} m apart at x = {place[0]:.1f} m, z = {place[1]:.1f} m",
            hint="record again, each border along its own wall from the start to the finish",
        )
    if width.max() > _MAX_WIDTH_M:
        place = middle[int(width.argmax())]
        raise TMStudioError(
            f"The borders are up to {width.max():.0f} m apart.",
            cause=f"the widest place is at x = {place[0]:.1f} m, z = {place[1]:.1f} m: one recording took another way",
            hint=f"record again; a road is at most {_MAX_WIDTH_M:g} m wide",
        )


def _apart(one: Floats, other: Floats) -> float:
    return float(np.hypot(one[0] - other[0], one[2] - other[2]))


def _crossing(one: Floats, other: Floats) -> Floats | None:
    """First place where two polylines cross, or None."""
    one, other = one[needed_points(one, 0.05)], other[needed_points(other, 0.05)]
    start, step = one[:-1, None, :], np.diff(one, axis=0)[:, None, :]
    begin, stride = other[None, :-1, :], np.diff(other, axis=0)[None, :, :]
    offset = begin - start
    turn = _cross(step, stride)
    with np.errstate(divide="ignore", invalid="ignore"):
        along, beside = _cross(offset, stride) / turn, _cross(offset, step) / turn
    crossed = np.argwhere((along >= 0) & (along <= 1) & (beside >= 0) & (beside <= 1))
    if not len(crossed):
        return None
    row, column = crossed[0]
    return np.asarray(one[row] + along[row, column] * (one[row + 1] - one[row]))


def _cross(one: Floats, other: Floats) -> Floats:
    return np.asarray(one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0])

"""From one line driven down the road, and a width, to a track."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.borders import track_from_borders
from tmstudio.track.geometry import Track
from tmstudio.track.recording import LINE_SPACING_M, clean_line, smoothed

Floats = NDArray[np.float64]

_SMOOTHING_M = 4.0
_NARROWING_M: Final = 12.0
"""The road grows narrower over this length before a bend that is too tight for its width."""

_OF_RADIUS: Final = 0.75
"""A border on the inside of a bend stays within this share of the bend's radius."""

_OF_GAP: Final = 0.47
"""A border stays within this share of the way to another part of the line."""

_LEAST_HALF_WIDTH_M: Final = 2.5


def track_from_line(
    samples_m: Floats,
    name: str,
    width_m: float,
    *,
    map_uid: str | None = None,
    medals_s: Mapping[str, float] | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Track:
    """Make a track with borders ``width_m / 2`` to both sides of a driven line, (N, 3) positions in metres.

    On the inside of bends that are tighter than that, and beside another part of the road, the border comes nearer
    to the line; ``origin["narrowest_m"]`` says how narrow the road becomes where that is so.

    Raises:
        TMStudioError: the line jumps or is too short, or borders at this width cannot be those of one road.
    """
    if not (math.isfinite(width_m) and 4.0 <= width_m <= 120.0):
        raise TMStudioError(f"A road cannot be {width_m:g} m wide.", hint="say a width from 4 to 120 m")
    line = smoothed(clean_line(samples_m, "The line"), _SMOOTHING_M, LINE_SPACING_M)
    ahead = np.gradient(line[:, [0, 2]], axis=0)
    ahead /= np.hypot(*ahead.T)[:, None]
    to_left = np.stack([ahead[:, 1], np.zeros(len(line)), -ahead[:, 0]], axis=1)
    left_m, right_m = _half_widths(line[:, [0, 2]], ahead, width_m)
    narrowest_m = float((left_m + right_m).min())
    told = {} if narrowest_m > width_m - 0.1 else {"narrowest_m": round(narrowest_m, 1)}
    try:
        return track_from_borders(
            line + to_left * left_m[:, None],
            line - to_left * right_m[:, None],
            name,
            map_uid=map_uid,
            medals_s=medals_s,
            origin={**(origin or {}), **told},
            spawn_lead_m=0.0,
        )
    except TMStudioError as error:
        raise TMStudioError(
            f"The line cannot be the middle of a road {width_m:g} m wide.",
            cause=f"two parts of the road would touch: {error.cause}",
            hint="choose a smaller width, or import recorded borders",
        ) from error


def _half_widths(line_xz: Floats, ahead: Floats, width_m: float) -> tuple[Floats, Floats]:
    """(K,) distances of the left and the right border from a line (K, 2) with the directions ``ahead`` (K, 2)."""
    heading = np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 1]))
    bend = smoothed(np.gradient(heading)[:, None], 2.0, LINE_SPACING_M)[:, 0] / LINE_SPACING_M
    sides = []
    # The heading grows to the left: there the left border is on the inside.
    for inside, free_m in zip((bend, -bend), _free_m(line_xz, ahead, width_m), strict=True):
        allowed = np.minimum(_OF_RADIUS / np.maximum(inside, 1e-6), _OF_GAP * free_m)
        half = np.minimum(width_m / 2, np.maximum(allowed, _LEAST_HALF_WIDTH_M))
        reach = round(_NARROWING_M / LINE_SPACING_M)
        padded = np.pad(half, reach, mode="edge")
        lowest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).min(axis=1)
        sides.append(smoothed(lowest[:, None], _NARROWING_M / 3, LINE_SPACING_M)[:, 0])
    return sides[0], sides[1]


def _free_m(line_xz: Floats, ahead: Floats, width_m: float) -> tuple[Floats, Floats]:
    """(K,) how far to the left and to the right of a line another part of it is; infinite where there is none."""
    every = round(2.0 / LINE_SPACING_M)
    some, directions = line_xz[::every], ahead[::every]
    away = some[None, :, :] - line_xz[::every][:, None, :]
    distance = np.hypot(away[..., 0], away[..., 1])
    left = away[..., 0] * directions[:, None, 1] - away[..., 1] * directions[:, None, 0]
    index = np.arange(len(some))
    other = np.abs(index[:, None] - index[None, :]) * 2.0 > 2 * width_m
    found = []
    for side in (left, -left):
        beside = other & (side > 0.7 * distance)
        nearest = np.where(beside, distance, np.inf).min(axis=1)
        found.append(np.repeat(nearest, every)[: len(line_xz)])
    return found[0], found[1]

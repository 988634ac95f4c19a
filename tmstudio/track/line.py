"""From one line driven down the road, and a width, to a track."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.borders import track_from_borders
from tmstudio.track.geometry import Track
from tmstudio.track.recording import LINE_SPACING_M, clean_line, smoothed

_SMOOTHING_M = 4.0


def track_from_line(
    samples_m: NDArray[np.float64],
    name: str,
    width_m: float,
    *,
    map_uid: str | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Track:
    """Make a track with borders ``width_m / 2`` to both sides of a driven line, (N, 3) positions in metres.

    Raises:
        TMStudioError: the line jumps or is too short, or borders at this width cannot be those of one road.
    """
    if not (math.isfinite(width_m) and 4.0 <= width_m <= 120.0):
        raise TMStudioError(f"A road cannot be {width_m:g} m wide.", hint="say a width from 4 to 120 m")
    line = smoothed(clean_line(samples_m, "The line"), _SMOOTHING_M, LINE_SPACING_M)
    ahead = np.gradient(line[:, [0, 2]], axis=0)
    ahead /= np.hypot(*ahead.T)[:, None]
    to_left = np.stack([ahead[:, 1], np.zeros(len(line)), -ahead[:, 0]], axis=1) * width_m / 2
    try:
        return track_from_borders(line + to_left, line - to_left, name, map_uid=map_uid, origin=origin)
    except TMStudioError as error:
        raise TMStudioError(
            f"The line cannot be the middle of a road {width_m:g} m wide.",
            cause=f"{error.message} {error.cause}".strip(),
            hint="say a smaller --width, or import recorded borders",
        ) from error

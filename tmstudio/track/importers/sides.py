"""Which of two recorded borders is on the left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.recording import clean_line

Floats = NDArray[np.float64]

_EVERY = 8


def left_first(one_m: Floats, other_m: Floats) -> bool:
    """Whether the first of two recorded borders, (N, 3) positions, is on the left of the second.

    Raises:
        TMStudioError: a recording is no line.
    """
    one, other = (clean_line(samples, "A border")[::_EVERY][:, [0, 2]] for samples in (one_m, other_m))
    ahead = np.gradient(one, axis=0)
    away = other[None, :, :] - one[:, None, :]
    nearest = np.einsum("ijk,ijk->ij", away, away).argmin(axis=1)
    across = away[np.arange(len(one)), nearest]
    # Left of the direction (x, z) is (z, -x).
    to_left = across[:, 0] * ahead[:, 1] - across[:, 1] * ahead[:, 0]
    return bool(np.mean(to_left < 0) >= 0.5)

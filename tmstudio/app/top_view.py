"""A track from above, in pixels. Plain NumPy, no Qt.

Turned by a quarter where the track is higher than wide, never mirrored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tmstudio.track.geometry import Track, to_top_view

Floats = NDArray[np.float64]


class TopView:
    """Where the places of a track are in a rectangle of pixels.

    Args:
        track: the track; from its start line to its finish it fills the rectangle.
        left, top, width, height: the rectangle.
    """

    def __init__(self, track: Track, left: float, top: float, width: float, height: float) -> None:
        border_left, border_right = track.lap_borders()
        outline = to_top_view(np.concatenate([border_left, border_right])[:, [0, 2]])
        size = np.ptp(outline, axis=0)
        # (right, up) to (right, down), which is one flip; the quarter turn keeps the hand.
        self._matrix = np.array([[1.0, 0.0], [0.0, -1.0]])
        if size[1] > size[0]:
            self._matrix = np.array([[0.0, 1.0], [-1.0, 0.0]]) @ self._matrix
        turned = outline @ self._matrix.T
        low, high = turned.min(axis=0), turned.max(axis=0)
        self.scale = float(min(width / (high[0] - low[0]), height / (high[1] - low[1])))
        """Pixels a metre."""
        self._origin = np.array([left + width / 2, top + height / 2]) - self.scale * (low + high) / 2
        self.left_border = self.pixels(border_left)
        """(K, 2) pixels of the left border from start to finish."""
        self.right_border = self.pixels(border_right)
        """(K, 2) pixels of the right border from start to finish."""

    def pixels(self, position_m: ArrayLike) -> Floats:
        """Pixels of places in the world.

        Args:
            position_m: (..., 3) world positions, or (..., 2) of x and z.

        Returns:
            (..., 2) column and row, row downward.
        """
        position = np.asarray(position_m, dtype=np.float64)
        xz = position if position.shape[-1] == 2 else position[..., [0, 2]]
        return np.asarray(to_top_view(xz) @ self._matrix.T * self.scale + self._origin)

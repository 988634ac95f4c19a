"""The camera of the hood view: a pinhole above the bonnet that looks level along the car.

The picture has the size that screen LIDAR wants, and the car's position lies under the pixel from which screen
LIDAR measures, so that beams cast in the plane and beams measured on the screen start at the same place.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.game.state import FloatArray

WIDTH_PX: Final = 958
HEIGHT_PX: Final = 488
HORIZON_PX: Final = 186
"""Row of the horizon."""

FOCAL_PX: Final = 430.0
"""96 degrees of view across the picture."""

EYE_M: Final = 2.1
"""Height of the camera above the road."""

CENTER_PX: Final = WIDTH_PX // 2
BEAM_ORIGIN_PX: Final = (CENTER_PX, 44 * HEIGHT_PX // 49)
"""Column and row of the car's own position, where LIDAR beams begin."""

BEHIND_CAR_M: Final = FOCAL_PX * EYE_M / (BEAM_ORIGIN_PX[1] - HORIZON_PX)
"""How far behind the car's position the camera stands, so that this holds."""

NEAR_M: Final = 1.0
"""Nothing nearer to the camera than this is drawn; the lower edge of the picture shows the road at 3 m."""

ROW_DISTANCE_M: FloatArray = FOCAL_PX * EYE_M / (np.arange(HEIGHT_PX - HORIZON_PX, dtype=np.float64) + 0.5)
"""Distance from the camera of the ground under each row below the horizon."""

BEAM_ANGLES_RAD: FloatArray = np.deg2rad(np.arange(-90.0, 91.0, 10.0))
"""Directions of the LIDAR beams in the car's frame, positive to the left: first right, tenth ahead."""


def to_camera(xz: FloatArray, position_m: FloatArray, heading_rad: float) -> FloatArray:
    """Points of the world as (right, ahead) of the camera.

    Args:
        xz: (..., 2) world points.
        position_m: (3,) the car's position.
        heading_rad: the car's heading.
    """
    sin, cos = np.sin(heading_rad), np.cos(heading_rad)
    to_right_and_ahead = np.array([[-cos, sin], [sin, cos]])
    eye = np.array([position_m[0] - BEHIND_CAR_M * sin, position_m[2] - BEHIND_CAR_M * cos])
    turned: FloatArray = (xz - eye) @ to_right_and_ahead
    return turned


def to_pixels(seen: FloatArray, height_m: FloatArray | float = 0.0) -> FloatArray:
    """Pixels (column, row) of points in front of the camera.

    Args:
        seen: (..., 2) points as (right, ahead) in metres, ``ahead`` above 0.
        height_m: their height above the road.
    """
    scale = FOCAL_PX / seen[..., 1]
    pixels = np.empty_like(seen)
    pixels[..., 0] = CENTER_PX + seen[..., 0] * scale
    pixels[..., 1] = HORIZON_PX + (EYE_M - height_m) * scale
    return pixels


def project_beams(lidar_m: NDArray[np.floating]) -> FloatArray:
    """Where the ends of LIDAR beams lie in the picture. All beams begin at `BEAM_ORIGIN_PX`.

    Args:
        lidar_m: (19,) lengths, first beam to the right, tenth ahead, last to the left.

    Returns:
        (19, 2) column and row; the ends of beams to the side lie outside the picture.
    """
    lengths = np.asarray(lidar_m, dtype=np.float64)
    seen = np.stack(
        [-lengths * np.sin(BEAM_ANGLES_RAD), lengths * np.cos(BEAM_ANGLES_RAD) + BEHIND_CAR_M], axis=-1
    )
    return to_pixels(seen)


def clip_near(corners: FloatArray) -> FloatArray:
    """The part of a polygon that is in front of the camera.

    Args:
        corners: (K, 2) as (right, ahead).

    Returns:
        (L, 2), empty where all of it is behind.
    """
    kept: list[FloatArray] = []
    for this, following in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inside, next_inside = this[1] >= NEAR_M, following[1] >= NEAR_M
        if inside:
            kept.append(this)
        if inside != next_inside:
            part = (NEAR_M - this[1]) / (following[1] - this[1])
            kept.append(this + part * (following - this))
    return np.array(kept).reshape(-1, 2)

"""A picture of a track from above, for files and reports."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import Track, to_top_view

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

_SIZE_PX = 1000
_MARGIN_PX = 48
_SHIFT = 4  # cv2 draws at 1/16 pixel
# Blue, green, red.
_GROUND, _ROAD, _BORDER = (23, 19, 16), (58, 49, 42), (242, 236, 232)
_CENTER, _START, _FINISH, _CHECKPOINT = (99, 86, 77), (164, 214, 53), (107, 107, 255), (255, 169, 90)


def draw_track(track: Track, size_px: int = _SIZE_PX) -> Image:
    """Paint a track from above, z up, not mirrored; the longer side of the picture has `size_px` pixels.

    Start and direction are green, the finish red, checkpoints blue; a bar shows 100 m.

    Returns:
        (height, width, 3) blue, green, red.
    """
    left, right = (to_top_view(border[:, [0, 2]]) for border in track.lap_borders())
    both = np.concatenate([left, right])
    low, high = both.min(axis=0), both.max(axis=0)
    scale = (size_px - 2 * _MARGIN_PX) / float((high - low).max())
    width, height = (int(np.ceil(extent * scale)) + 2 * _MARGIN_PX for extent in high - low)

    def to_pixels(points: Floats) -> NDArray[np.int32]:
        right_up = (points - low) * scale + _MARGIN_PX
        pixels = np.stack([right_up[:, 0], height - right_up[:, 1]], axis=1)
        rounded: NDArray[np.int32] = np.round(pixels * 2**_SHIFT).astype(np.int32)
        return rounded

    image = np.full((height, width, 3), _GROUND, dtype=np.uint8)
    cv2.fillPoly(image, [to_pixels(np.concatenate([left, right[::-1]]))], _ROAD, cv2.LINE_AA, _SHIFT)
    _line(image, to_pixels((left + right) / 2), _CENTER, 1)
    for border in (left, right):
        _line(image, to_pixels(border), _BORDER, 2)
    for progress_m in track.checkpoints_m:
        _line(image, to_pixels(_across(track, track.start_arc_m + progress_m)), _CHECKPOINT, 2)
    _line(image, to_pixels(_across(track, track.finish_arc_m)), _FINISH, 4)
    _line(image, to_pixels(_across(track, track.start_arc_m)), _START, 4)
    _line(image, to_pixels(_arrow(track)), _START, 3)
    bar = np.array([[_MARGIN_PX / 2, height - 16], [_MARGIN_PX / 2 + 100 * scale, height - 16]])
    _line(image, np.round(bar * 2**_SHIFT).astype(np.int32), _BORDER, 2)
    end = (int(bar[1, 0]) + 8, height - 11)
    cv2.putText(image, "100 m", end, cv2.FONT_HERSHEY_SIMPLEX, 0.45, _BORDER, 1, cv2.LINE_AA)
    return image


def save_picture(track: Track, path: Path) -> None:
    """Write the picture of a track as a PNG file.

    Raises:
        TMStudioError: the file cannot be written.
    """
    done, encoded = cv2.imencode(".png", draw_track(track))
    try:
        if not done:
            raise OSError("the picture could not be encoded")
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise TMStudioError(
            f"The picture {path} could not be written.", cause=str(error), hint="choose another place"
        ) from error


def _across(track: Track, arc_m: float) -> Floats:
    left, right = track.pairs_at(np.array([arc_m]))
    return to_top_view(np.concatenate([left, right])[:, [0, 2]])


def _arrow(track: Track) -> Floats:
    reach = track.width_m / 3
    arcs = track.start_arc_m + reach * np.array([0.4, 1.6, 1.1, 1.6, 1.1])
    position, _ = track.place(arcs, reach * np.array([0.0, 0.0, 0.5, 0.0, -0.5]))
    return to_top_view(position[:, [0, 2]])


def _line(image: Image, pixels: NDArray[np.int32], colour: tuple[int, int, int], width_px: int) -> None:
    cv2.polylines(image, [pixels], False, colour, width_px, cv2.LINE_AA, _SHIFT)

"""The track from above as a picture, with a lap coloured by its speed. Never a mirror image."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tmstudio.game.simulator.scenery import Image
from tmstudio.game.state import FloatArray
from tmstudio.track.geometry import Track, to_top_view

Colour = tuple[int, int, int]

# Blue, green, red.
_GROUND: Final[Colour] = (23, 19, 16)
_ROAD: Final[Colour] = (49, 41, 35)
_BORDER: Final[Colour] = (104, 92, 80)
_TEXT: Final[Colour] = (242, 236, 232)
_MUTED: Final[Colour] = (166, 151, 141)
_SPEED_COLOURS: Final = np.array(
    [(232, 130, 62), (196, 190, 46), (122, 220, 74), (64, 206, 232), (58, 128, 255), (78, 78, 244)]
)
"""From slow to fast, evenly spaced."""

OVERSAMPLING: Final = 2
MARGIN_PX: Final = 56
FOOT_PX: Final = 64
"""Room below the track for the caption and the scale of speeds."""

SHIFT_BITS: Final = 4


class TopView:
    """Where places of a track lie in a picture of it from above.

    The track is turned by a quarter where that makes it larger.

    Args:
        track: what is shown.
        width_px, height_px: size of the picture.
        margin_px: space left free all round.
        foot_px: further space left free below.
    """

    def __init__(
        self, track: Track, width_px: int, height_px: int, margin_px: int = MARGIN_PX, foot_px: int = 0
    ) -> None:
        left, right = track.lap_borders()
        seen = to_top_view(np.concatenate([left, right])[:, [0, 2]])
        room = np.array([width_px - 2 * margin_px, height_px - 2 * margin_px - foot_px], dtype=np.float64)
        size = seen.max(axis=0) - seen.min(axis=0)
        upright, turned = (room / size).min(), (room / size[::-1]).min()
        self._turned = bool(turned > 1.05 * upright)
        self.px_per_m = float(turned if self._turned else upright)
        self._center = (seen.max(axis=0) + seen.min(axis=0)) / 2
        self._middle_px = np.array([width_px / 2, (height_px - foot_px) / 2])

    def to_pixels(self, xz: FloatArray) -> FloatArray:
        """Pixels (column, row) of world places (..., 2)."""
        seen = to_top_view(xz) - self._center
        if self._turned:
            seen = np.stack([-seen[..., 1], seen[..., 0]], axis=-1)
        pixels: FloatArray = self._middle_px + seen * [self.px_per_m, -self.px_per_m]
        return pixels


def lap_picture(
    track: Track,
    position_xz: FloatArray,
    speed_mps: FloatArray,
    *,
    caption: str = "",
    width_px: int = 1280,
    height_px: int = 860,
) -> Image:
    """A picture of a track and a drive on it.

    Args:
        track: the track.
        position_xz: (K, 2) places of the drive, none for the bare track.
        speed_mps: (K,) speed at each.
        caption: a line below, such as the track's name and the lap time; plain ASCII.
        width_px: width of the picture.
        height_px: height of the picture.

    Returns:
        (height_px, width_px, 3) blue, green, red.
    """
    scale = OVERSAMPLING
    large = np.empty((height_px * scale, width_px * scale, 3), dtype=np.uint8)
    large[:] = _GROUND
    view = TopView(track, width_px * scale, height_px * scale, MARGIN_PX * scale, FOOT_PX * scale)
    left, right = (border[:, [0, 2]] for border in track.lap_borders())
    # Piece by piece: an outline of the whole road would cancel itself where the track crosses its own way.
    for first in range(len(left) - 1):
        quad = np.stack([left[first], left[first + 1], right[first + 1], right[first]])
        cv2.fillConvexPoly(large, _fixed(view.to_pixels(quad)), _ROAD, cv2.LINE_AA, SHIFT_BITS)
    for border in (left, right):
        _line(large, view.to_pixels(border), _BORDER, scale)
    for place in track.checkpoints_m:
        _line(large, view.to_pixels(_gate(track, track.start_arc_m + place)), _MUTED, scale)
    _line(large, view.to_pixels(_gate(track, track.start_arc_m)), _TEXT, 3 * scale)
    _line(large, view.to_pixels(_gate(track, track.finish_arc_m)), _TEXT, 3 * scale)
    slow, fast = (0.0, 1.0) if not len(speed_mps) else (float(speed_mps.min()), float(speed_mps.max()))
    if len(position_xz) > 1:
        _draw_trace(large, view.to_pixels(position_xz), _colours(speed_mps, slow, fast), 3 * scale)
    picture = np.empty((height_px, width_px, 3), dtype=np.uint8)
    cv2.resize(large, (width_px, height_px), dst=picture, interpolation=cv2.INTER_AREA)
    _draw_foot(picture, caption, (slow, fast) if len(position_xz) > 1 else None)
    return picture


def _gate(track: Track, arc_m: float) -> FloatArray:
    left, right = track.pairs_at(arc_m)
    return np.stack([left[[0, 2]], right[[0, 2]]])


def _colours(speed_mps: FloatArray, slow: float, fast: float) -> FloatArray:
    share = (speed_mps - slow) / max(fast - slow, 1e-6)
    knots = np.linspace(0.0, 1.0, len(_SPEED_COLOURS))
    return np.stack([np.interp(share, knots, channel) for channel in _SPEED_COLOURS.T], axis=1)


def _draw_trace(picture: Image, pixels: FloatArray, colours: FloatArray, width_px: int) -> None:
    points = _fixed(pixels)
    for first in range(len(points) - 1):
        colour = tuple(float(part) for part in colours[first])
        cv2.line(
            picture,
            points[first].tolist(),
            points[first + 1].tolist(),
            colour,
            width_px,
            cv2.LINE_AA,
            SHIFT_BITS,
        )


def _draw_foot(picture: Image, caption: str, speeds_mps: tuple[float, float] | None) -> None:
    height, width = picture.shape[:2]
    row = height - 30
    if caption:
        cv2.putText(picture, caption, (MARGIN_PX, row), cv2.FONT_HERSHEY_DUPLEX, 0.62, _TEXT, 1, cv2.LINE_AA)
    if speeds_mps is None:
        return
    bar_px, end = 220, width - MARGIN_PX
    share = np.linspace(0.0, 1.0, bar_px)
    picture[row - 26 : row - 18, end - bar_px : end] = np.round(_colours(share, 0.0, 1.0))
    for speed, column, right in ((speeds_mps[0], end - bar_px, False), (speeds_mps[1], end, True)):
        text = f"{speed * 3.6:.0f} km/h"
        (text_px, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, 0.48, 1)
        at = (column - text_px if right else column, row)
        cv2.putText(picture, text, at, cv2.FONT_HERSHEY_DUPLEX, 0.48, _MUTED, 1, cv2.LINE_AA)


def _line(picture: Image, pixels: FloatArray, colour: Colour, width_px: int) -> None:
    cv2.polylines(picture, [_fixed(pixels)], False, colour, width_px, cv2.LINE_AA, SHIFT_BITS)


def _fixed(pixels: FloatArray) -> NDArray[np.int32]:
    return (pixels * (1 << SHIFT_BITS)).round().astype(np.int32)

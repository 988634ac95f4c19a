"""A picture of a policy's driving over recorded driving: speed against turning rate and against acceleration."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.evaluation.envelope import Envelope, Floats, recorded_motion
from tmstudio.game.simulator.identification.laps import Laps

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]

_PANEL_PX: Final = (760, 560)
_MARGIN_PX: Final = (70, 56)
_SPEEDS: Final = (0.0, 100.0)
_PANELS: Final = (("turning rate, rad/s", 1, (0.0, 2.5), 0.5), ("acceleration, m/s2", 2, (-70.0, 30.0), 20.0))
# Blue, green, red.
_GROUND, _GRID, _TEXT = (23, 19, 16), (58, 49, 42), (214, 205, 198)
_RECORDED, _INSIDE, _OUTSIDE = (128, 116, 106), (164, 214, 53), (107, 107, 255)


def draw(driven: Floats, laps: Laps) -> Image:
    """Paint the points (P, 3) of a policy over those of recorded laps; red where nothing like it was recorded."""
    recorded = np.concatenate(recorded_motion(laps))
    inside = Envelope(recorded).inside(driven)
    panels = []
    for label, column, reach, step in _PANELS:
        panel = _axes(label, reach, step)
        for points, colour, radius in (
            (recorded, _RECORDED, 2),
            (driven[inside], _INSIDE, 1),
            (driven[~inside], _OUTSIDE, 3),
        ):
            for x, y in _pixels(points[:, 0], points[:, column], reach):
                cv2.circle(panel, (x, y), radius, colour, -1, cv2.LINE_AA)
        panels.append(panel)
    image = np.concatenate(panels, axis=1)
    legend = (
        ("recorded", _RECORDED),
        (f"driven, such as recorded ({inside.mean():.1%})", _INSIDE),
        ("driven, not recorded", _OUTSIDE),
    )
    at = _MARGIN_PX[0]
    for words, colour in legend:
        cv2.circle(image, (at, 22), 5, colour, -1, cv2.LINE_AA)
        _write(image, words, (at + 14, 27))
        at += 60 + 8 * len(words)
    return image


def save_picture(driven: Floats, laps: Laps, path: Path) -> None:
    """Write the picture as a PNG file.

    Raises:
        TMStudioError: the file cannot be written.
    """
    done, encoded = cv2.imencode(".png", draw(driven, laps))
    try:
        if not done:
            raise OSError("the picture could not be encoded")
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise TMStudioError(
            f"The picture {path} could not be written.", cause=str(error), hint="choose another place"
        ) from error


def _axes(label: str, reach: tuple[float, float], step: float) -> Image:
    width, height = _PANEL_PX
    panel = np.full((height, width, 3), _GROUND, dtype=np.uint8)
    for value in np.arange(reach[0], reach[1] + step / 2, step):
        ((_, y),) = _pixels(np.zeros(1), np.array([value]), reach)
        cv2.line(panel, (_MARGIN_PX[0], y), (width - 16, y), _GRID, 1)
        _write(panel, f"{value:g}", (22, y + 5))
    for speed in np.arange(_SPEEDS[0], _SPEEDS[1] + 1, 20.0):
        ((x, y),) = _pixels(np.array([speed]), np.array([reach[0]]), reach)
        cv2.line(panel, (x, _MARGIN_PX[1]), (x, y), _GRID, 1)
        _write(panel, f"{speed:g}", (x - 10, y + 22))
    _write(panel, f"{label}, over speed, m/s", (_MARGIN_PX[0] + 8, _MARGIN_PX[1] + 18))
    return panel


def _pixels(speed: Floats, value: Floats, reach: tuple[float, float]) -> list[tuple[int, int]]:
    width, height = _PANEL_PX
    across = (np.clip(speed, *_SPEEDS) - _SPEEDS[0]) / (_SPEEDS[1] - _SPEEDS[0])
    up = (np.clip(value, *reach) - reach[0]) / (reach[1] - reach[0])
    x = _MARGIN_PX[0] + across * (width - _MARGIN_PX[0] - 16)
    y = height - 40 - up * (height - 40 - _MARGIN_PX[1])
    return list(zip(np.round(x).astype(int).tolist(), np.round(y).astype(int).tolist(), strict=True))


def _write(image: Image, words: str, at: tuple[int, int]) -> None:
    cv2.putText(image, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, _TEXT, 1, cv2.LINE_AA)

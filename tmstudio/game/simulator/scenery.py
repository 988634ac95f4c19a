"""What the hood view is coloured with: the sky all round, and the ground by kind and distance."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tmstudio.game.simulator.camera import FOCAL_PX, HORIZON_PX, ROW_DISTANCE_M, WIDTH_PX
from tmstudio.game.state import FloatArray

Image = NDArray[np.uint8]

PANORAMA_PX: Final = round(2 * np.pi * FOCAL_PX)
"""Width of the whole horizon."""


class Ground(IntEnum):
    """What a pixel of ground shows."""

    GRASS = 0
    GRASS_LIGHT = 1
    ROAD = 2
    ROAD_LIGHT = 3
    KERB_RED = 4
    KERB_WHITE = 5
    MARK = 6
    CHECK_DARK = 7
    GATE = 8


# Blue, green, red.
_COLOURS: Final[dict[Ground, tuple[int, int, int]]] = {
    Ground.GRASS: (64, 124, 84),
    Ground.GRASS_LIGHT: (70, 136, 94),
    Ground.ROAD: (122, 117, 113),
    Ground.ROAD_LIGHT: (130, 125, 121),
    Ground.KERB_RED: (62, 58, 205),
    Ground.KERB_WHITE: (232, 234, 236),
    Ground.MARK: (214, 218, 220),
    Ground.CHECK_DARK: (84, 78, 74),
    Ground.GATE: (222, 160, 66),
}
_HAZE: Final = (226, 214, 204)
_ZENITH: Final = (198, 128, 62)
_SKY_LOW: Final = (240, 222, 200)
_FAR_HILLS: Final = (190, 172, 146)
_NEAR_HILLS: Final = (138, 142, 108)
_HAZE_M: Final = 420.0
"""Distance over which two thirds of a colour turn to haze."""


def hazy(colour: tuple[int, int, int], distance_m: FloatArray | float) -> FloatArray:
    """A colour seen from a distance, (..., 3)."""
    share = np.exp(-np.asarray(distance_m, dtype=np.float64) / _HAZE_M)[..., None]
    mixed: FloatArray = np.array(colour) * share + np.array(_HAZE) * (1.0 - share)
    return mixed


def ground_palette() -> NDArray[np.uint32]:
    """Colour of each kind of ground in each row below the horizon: (rows, kinds), bytes B, G, R, 255."""
    palette = np.full((len(ROW_DISTANCE_M), len(Ground), 4), 255, dtype=np.uint8)
    # A touch darker towards the car, as a road looks that is lit from ahead.
    near_shade = 1.0 - 0.14 * np.exp(-ROW_DISTANCE_M / 9.0)[:, None]
    for kind, colour in _COLOURS.items():
        palette[:, kind, :3] = np.round(hazy(colour, ROW_DISTANCE_M) * near_shade)
    return palette.view(np.uint32)[..., 0]


def sky_panorama() -> Image:
    """The whole horizon and one more picture width: (HORIZON_PX, PANORAMA_PX + WIDTH_PX, 3).

    Column 0 faces +z and columns go to the right. Two ranges of hills tell which way the car turns.
    """
    up = (np.linspace(1.0, 0.0, HORIZON_PX) ** 0.8)[:, None, None]
    sky = np.array(_SKY_LOW) * (1.0 - up) + np.array(_ZENITH) * up
    panorama = np.repeat(sky, PANORAMA_PX, axis=1)
    _add_clouds(panorama)
    turn = np.linspace(0.0, 2 * np.pi, PANORAMA_PX, endpoint=False)
    rows = np.arange(HORIZON_PX)[:, None]
    for colour, height_px, waves in (
        (_FAR_HILLS, 26.0, ((3, 0.4), (7, 1.9), (13, 4.4), (29, 0.8))),
        (_NEAR_HILLS, 13.0, ((5, 2.2), (11, 5.1), (23, 3.3), (47, 1.2))),
    ):
        crest = sum(np.sin(count * turn + phase) / count**0.5 for count, phase in waves)
        top = HORIZON_PX - height_px * (0.62 + 0.38 * crest)
        cover = np.clip(rows - top + 0.5, 0.0, 1.0)[..., None]
        fade = ((rows - top) / (HORIZON_PX - top + 1.0)).clip(0.0, 1.0)[..., None] * 0.45
        hill = np.array(colour) * (1.0 - fade) + np.array(_HAZE) * fade
        panorama = panorama * (1.0 - cover) + hill * cover
    picture = np.round(panorama).astype(np.uint8)
    return np.ascontiguousarray(np.concatenate([picture, picture[:, :WIDTH_PX]], axis=1))


def _add_clouds(panorama: FloatArray) -> None:
    """Blend soft clouds in: noise of several sizes, stretched along the horizon, seamless all round."""
    rng = np.random.default_rng(7)
    cloud = np.zeros((HORIZON_PX, PANORAMA_PX))
    for cells, weight in ((10, 1.0), (22, 0.55), (48, 0.3), (104, 0.16)):
        noise = rng.random((max(cells // 3, 3), cells))
        wrapped = np.concatenate([noise[:, -2:], noise, noise[:, :2]], axis=1)
        width = round(PANORAMA_PX * wrapped.shape[1] / cells)
        large = cv2.resize(wrapped, (width, HORIZON_PX), interpolation=cv2.INTER_CUBIC)
        first = (width - PANORAMA_PX) // 2
        cloud += weight * large[:, first : first + PANORAMA_PX]
    cloud /= cloud.max()
    band = np.sin(np.linspace(0.0, np.pi, HORIZON_PX)) ** 0.7
    cover = (np.clip((cloud - 0.52) / 0.30, 0.0, 1.0) ** 1.4 * 0.72 * band[:, None])[..., None]
    panorama *= 1.0 - cover
    panorama += cover * np.array((252.0, 250.0, 247.0))

"""The hood view: the road ahead as a picture that people like to look at and screen LIDAR can read.

The borders are the only thing in it with all channels below 55. Ground is drawn in two steps: polygons of
*kinds* of ground into one channel, then one look-up that gives each kind its colour at each row, that is, at
each distance. Only what is near the car along the track is drawn.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tmstudio.game.simulator import camera
from tmstudio.game.simulator.camera import HEIGHT_PX, HORIZON_PX, NEAR_M, WIDTH_PX
from tmstudio.game.simulator.scenery import PANORAMA_PX, Ground, Image, ground_palette, hazy, sky_panorama
from tmstudio.game.state import FloatArray
from tmstudio.track.geometry import SPACING_M, Track
from tmstudio.track.projection import Projector

AHEAD_M: Final = 460.0
BACK_M: Final = 120.0
"""How much of the track around the car's place is drawn."""

DETAIL_M: Final = 90.0
"""Beyond this distance every second point of a border is left out."""

WALL_HEIGHT_M: Final = 0.34
WALL_COLOUR: Final = (26, 22, 20)
THINNEST_PX: Final = 1.8
LIP_COLOUR: Final = (50, 46, 44)
LIP_M: Final = 50.0
"""A wall has a lighter upper edge up to this distance."""

STRIPE_M: Final = 18.0
"""Width of the mown stripes in the grass."""

KERB_M: Final = 1.1
KERB_CURVATURE: Final = 1 / 120.0
DASH_M: Final = 0.16
GATE_HEIGHT_M: Final = 6.0
GATE_MARKS_M: Final = 150.0
BANNER_M: Final = 1.3
PANEL: Final = 6
"""Points of a border that one polygon of its wall has."""

BAND: Final = 6
MARK: Final = 2
"""Length of a band of road and of a mark on it, in stretches of 2 m."""

MARKS_M: Final = 240.0
"""Marks that are farther away than this are too thin to be drawn."""

SHIFT_BITS: Final = 4


class _Strips:
    """The ground along the track, in polygons of one kind that are ``points`` stretches of 2 m long."""

    def __init__(self, track: Track) -> None:
        left, right = track.left_m[:, [0, 2]], track.right_m[:, [0, 2]]
        center, across = (left + right) / 2, (left - right) / 2
        unit = across / np.hypot(across[:, 0], across[:, 1])[:, None]
        heading = np.unwrap(np.arctan2(track.tangent[:, 0], track.tangent[:, 1]))
        bend = np.abs(np.convolve(np.gradient(heading, SPACING_M), np.full(9, 1 / 9), mode="same"))
        first, self.road = _bands(left, right, BAND)
        self.road_first = first
        self.road_kind = np.where((first // BAND) % 2 == 0, Ground.ROAD, Ground.ROAD_LIGHT)
        marks, starts, kinds = [], [], []
        for border, inward in ((left, -unit), (right, unit)):
            first, kerb = _bands(border, border + inward * KERB_M, MARK)
            curved = bend[first] > KERB_CURVATURE
            marks.append(kerb[curved])
            starts.append(first[curved])
            kinds.append(np.where((first // MARK) % 2 == 0, Ground.KERB_RED, Ground.KERB_WHITE)[curved])
        first, line = _bands(center + unit * DASH_M, center - unit * DASH_M, MARK)
        marks.append(line[::3])
        starts.append(first[::3])
        kinds.append(np.full(len(first[::3]), Ground.MARK))
        self.marks = np.concatenate(marks)
        """(Q, 2 * MARK + 2, 2) world x, z."""
        self.marks_first = np.concatenate(starts)
        self.marks_kind = np.concatenate(kinds)


class HoodRenderer:
    """Draws the view over the bonnet on one track.

    Args:
        track: what is seen.
    """

    def __init__(self, track: Track) -> None:
        self.track = track
        self._projector = Projector(track)
        self._arc_m: FloatArray | None = None
        self._last_xz = np.zeros(2)
        self._strips = _Strips(track)
        self._borders = (track.left_m[:, [0, 2]], track.right_m[:, [0, 2]])
        self._palette = ground_palette().ravel()
        self._sky = sky_panorama()
        ground = (HEIGHT_PX - HORIZON_PX, WIDTH_PX)
        self._kinds = np.zeros(ground, dtype=np.uint8)
        self._palette_row = (np.arange(ground[0]) * len(Ground))[:, None]
        self._cell = np.empty(ground, dtype=np.intp)
        self._colour = np.empty(ground, dtype=np.uint32)
        self._place_in_stripes = np.empty(ground, dtype=np.float32)
        self._columns = np.arange(WIDTH_PX, dtype=np.float32)
        self._gates = _gates(track)

    def render(self, position_m: FloatArray, heading_rad: float, out: Image | None = None) -> Image:
        """The view from a car.

        Args:
            position_m: (3,) the car's position.
            heading_rad: its heading.
            out: (488, 958, 3) array to draw into; without it a new one is made.

        Returns:
            (488, 958, 3) blue, green, red.
        """
        arc_m = self._place(np.asarray(position_m, dtype=np.float64))
        first = max(int((arc_m - BACK_M) / SPACING_M), 0)
        last = min(int((arc_m + AHEAD_M) / SPACING_M), len(self.track.arc_m) - 1)
        picture = np.empty((HEIGHT_PX, WIDTH_PX, 3), dtype=np.uint8) if out is None else out
        column = round(-heading_rad / (2 * np.pi) * PANORAMA_PX - WIDTH_PX / 2) % PANORAMA_PX
        picture[:HORIZON_PX] = self._sky[:, column : column + WIDTH_PX]
        self._draw_ground(picture[HORIZON_PX:], position_m, heading_rad, first, last)
        self._draw_walls(picture, position_m, heading_rad, first, last)
        self._draw_gates(picture, position_m, heading_rad, first, last)
        return picture

    @staticmethod
    def project_beams(lidar_m: NDArray[np.floating]) -> FloatArray:
        """(19, 2) pixels (column, row) of the ends of LIDAR beams; see `camera.project_beams`."""
        return camera.project_beams(lidar_m)

    def _place(self, position_m: FloatArray) -> float:
        """Arc length of the car: followed from the last picture, searched anew after a jump."""
        xz = position_m[[0, 2]]
        if self._arc_m is None or np.hypot(*(xz - self._last_xz)) > 30.0:
            self._arc_m = self._projector.locate(xz[None])
        self._arc_m = self._projector.advance(xz[None], self._arc_m).arc_m
        self._last_xz = xz
        return float(self._arc_m[0])

    def _draw_ground(
        self, below: Image, position_m: FloatArray, heading_rad: float, first: int, last: int
    ) -> None:
        kinds = self._kinds
        self._draw_grass(kinds, position_m, heading_rad)
        strips = self._strips
        near = slice(*np.searchsorted(strips.road_first, (first, last)))
        seen = camera.to_camera(strips.road[near], position_m, heading_rad)
        _fill(kinds, seen, strips.road_kind[near])
        chosen = (strips.marks_first >= first) & (strips.marks_first < last)
        seen = camera.to_camera(strips.marks[chosen], position_m, heading_rad)
        _fill(kinds, seen, strips.marks_kind[chosen], MARKS_M)
        for gate in self._gates:
            if first <= gate.point < last:
                corners = camera.to_camera(gate.ground, position_m, heading_rad)
                _fill(kinds, corners, gate.ground_kind, GATE_MARKS_M)
        np.add(kinds, self._palette_row, out=self._cell)
        np.take(self._palette, self._cell, out=self._colour, mode="wrap")
        cv2.cvtColor(self._colour.view(np.uint8).reshape(*kinds.shape, 4), cv2.COLOR_BGRA2BGR, dst=below)

    def _draw_grass(self, kinds: Image, position_m: FloatArray, heading_rad: float) -> None:
        """Stripes of equal width in the world's x direction, over all the ground."""
        distance = camera.ROW_DISTANCE_M
        sin, cos = np.sin(heading_rad), np.cos(heading_rad)
        # World x of a pixel: eye + ahead * sin - right * cos, with right in proportion to the column.
        ahead = position_m[0] + (distance - camera.BEHIND_CAR_M) * sin
        per_column = -cos * distance / camera.FOCAL_PX
        start = ((ahead - per_column * camera.CENTER_PX) / STRIPE_M + 4096.0).astype(np.float32)
        slope = (per_column / STRIPE_M).astype(np.float32)
        place = np.multiply(slope[:, None], self._columns, out=self._place_in_stripes)
        place += start[:, None]
        np.bitwise_and(place.astype(np.int16).view(np.uint16), 1, out=kinds, casting="unsafe")

    def _draw_walls(
        self, picture: Image, position_m: FloatArray, heading_rad: float, first: int, last: int
    ) -> None:
        for border in self._borders:
            seen = camera.to_camera(border[first : last + 1], position_m, heading_rad)
            for run in _runs_ahead(seen):
                foot, top = camera.to_pixels(run), camera.to_pixels(run, WALL_HEIGHT_M)
                # Far away a wall would be thinner than a pixel; screen LIDAR wants to meet a whole one.
                top[:, 1] = np.minimum(top[:, 1], foot[:, 1] - THINNEST_PX)
                for outline in _wall_panels(_fixed(foot), _fixed(top)):
                    cv2.fillPoly(picture, [outline], WALL_COLOUR, cv2.LINE_AA, SHIFT_BITS)
                lip = _fixed(top[run[:, 1] < LIP_M])
                cv2.polylines(picture, [lip], False, LIP_COLOUR, 1, cv2.LINE_AA, SHIFT_BITS)

    def _draw_gates(
        self, picture: Image, position_m: FloatArray, heading_rad: float, first: int, last: int
    ) -> None:
        for gate in sorted(self._gates, key=lambda gate: -gate.point):
            if not first <= gate.point < last:
                continue
            posts = camera.to_camera(gate.posts, position_m, heading_rad)
            if posts[:, 1].min() < 2.0 * NEAR_M:
                continue
            colour = tuple(float(part) for part in hazy(gate.colour, float(posts[:, 1].mean())))
            width = np.maximum(0.35 * camera.FOCAL_PX / posts[:, 1], 1.0)
            foot, top = camera.to_pixels(posts), camera.to_pixels(posts, GATE_HEIGHT_M)
            under = camera.to_pixels(posts, GATE_HEIGHT_M - BANNER_M)
            for side in (0, 1):
                half = np.array([width[side] / 2, 0.0])
                post = np.stack([foot[side] - half, foot[side] + half, top[side] + half, top[side] - half])
                cv2.fillConvexPoly(picture, _fixed(post), (150, 146, 142), cv2.LINE_AA, SHIFT_BITS)
            banner = np.stack([top[0], top[1], under[1], under[0]])
            cv2.fillConvexPoly(picture, _fixed(banner), colour, cv2.LINE_AA, SHIFT_BITS)
            if gate.chequered:
                _draw_chequers(picture, top, under)


class _Gate:
    """The start line, a checkpoint or the finish: marks on the ground and an arch."""

    def __init__(self, track: Track, arc_m: float, colour: tuple[int, int, int], chequered: bool) -> None:
        self.point = int(arc_m / SPACING_M)
        self.colour = colour
        self.chequered = chequered
        rows, columns = (3, 16) if chequered else (1, 1)
        depth_m = 1.2 if chequered else 0.8
        near_left, near_right = track.pairs_at(arc_m + np.arange(rows + 1) * depth_m)
        share = np.linspace(0.0, 1.0, columns + 1)[None, :, None]
        grid = near_left[:, None, [0, 2]] * (1 - share) + near_right[:, None, [0, 2]] * share
        self.ground = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2).reshape(
            -1, 4, 2
        )
        row, column = np.divmod(np.arange(rows * columns), columns)
        checks = np.where((row + column) % 2 == 0, Ground.KERB_WHITE, Ground.CHECK_DARK)
        self.ground_kind = checks if chequered else np.array([Ground.GATE])
        left, right = near_left[0, [0, 2]], near_right[0, [0, 2]]
        out = (left - right) / np.hypot(*(left - right)) * 0.8
        self.posts = np.stack([left + out, right - out])


def _gates(track: Track) -> list[_Gate]:
    gates = [_Gate(track, track.start_arc_m + 2.0, (196, 196, 92), False)]
    gates += [_Gate(track, track.start_arc_m + place, (222, 150, 60), False) for place in track.checkpoints_m]
    gates.append(_Gate(track, track.finish_arc_m, (74, 74, 214), True))
    return gates


def _draw_chequers(picture: Image, top: FloatArray, under: FloatArray) -> None:
    """Two rows of checks on the banner of the finish."""
    columns = 16
    share = np.linspace(0.0, 1.0, columns + 1)[:, None]
    upper, lower = top[0] + (top[1] - top[0]) * share, under[0] + (under[1] - under[0]) * share
    middle = (upper + lower) / 2
    for column in range(columns):
        above, below = (upper, middle) if column % 2 == 0 else (middle, lower)
        check = np.stack([above[column], above[column + 1], below[column + 1], below[column]])
        cv2.fillConvexPoly(picture, _fixed(check), (238, 238, 238), cv2.LINE_AA, SHIFT_BITS)


def _bands(one: FloatArray, other: FloatArray, length: int) -> tuple[NDArray[np.intp], FloatArray]:
    """Bands between two lines of M points, each ``length`` stretches long.

    Returns:
        (Q,) the stretch that each begins with, and its outline (Q, 2 * length + 2, 2).
    """
    first = np.arange(0, len(one) - length, length)
    points = first[:, None] + np.arange(length + 1)
    return first, np.concatenate([one[points], other[points[:, ::-1]]], axis=1)


def _fixed(pixels: FloatArray) -> NDArray[np.int32]:
    """Pixels as cv2 wants them for subpixel drawing, cut off far outside the picture."""
    return (np.clip(pixels, -8000.0, 8000.0) * (1 << SHIFT_BITS)).round().astype(np.int32)


def _fill(kinds: Image, seen: FloatArray, kind: NDArray[np.integer], within_m: float = np.inf) -> None:
    """Fill polygons of ground (Q, K, 2), given as (right, ahead), with their kinds (Q,)."""
    ahead = seen[:, :, 1]
    nearest, farthest = ahead.min(axis=1), ahead.max(axis=1)
    # Left and right edge of the view: |right| = reach * ahead.
    reach = camera.CENTER_PX / camera.FOCAL_PX
    right = seen[:, :, 0]
    outside = (right > reach * ahead).all(axis=1) | (right < -reach * ahead).all(axis=1)
    visible = (farthest > NEAR_M) & (nearest < within_m) & ~outside
    whole = visible & (nearest >= NEAR_M)
    pixels = _fixed(camera.to_pixels(seen[whole]) - [0.0, HORIZON_PX])
    for outline, value in zip(pixels, kind[whole].tolist(), strict=True):
        cv2.fillPoly(kinds, [outline], value, cv2.LINE_8, SHIFT_BITS)
    for index in np.flatnonzero(visible & ~whole).tolist():
        part = camera.clip_near(seen[index])
        outline = _fixed(camera.to_pixels(part) - [0.0, HORIZON_PX])
        cv2.fillPoly(kinds, [outline], int(kind[index]), cv2.LINE_8, SHIFT_BITS)


def _runs_ahead(seen: FloatArray) -> list[FloatArray]:
    """The parts of a line (K, 2), given as (right, ahead), that are in front of the camera."""
    inside = seen[:, 1] >= NEAR_M
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    runs = []
    for first, last in zip([0, *edges.tolist()], [*edges.tolist(), len(seen)], strict=True):
        if not inside[first]:
            continue
        run = [seen[first:last]]
        if first > 0:
            run.insert(0, _at_near(seen[first - 1], seen[first]))
        if last < len(seen):
            run.append(_at_near(seen[last], seen[last - 1]))
        line = np.concatenate(run)
        far = np.flatnonzero(line[:, 1] > DETAIL_M)
        keep = np.ones(len(line), dtype=np.bool_)
        keep[far[1:-1][::2]] = False
        if keep.sum() > 1:
            runs.append(line[keep])
    return runs


def _wall_panels(foot: NDArray[np.int32], top: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Outlines of a wall's panels in the picture, for a wall that is short enough to stay in front of itself."""
    firsts = np.arange(0, len(foot) - 1, PANEL)
    column = foot[:, 0]
    # A panel shares its last point with the next one.
    right = np.maximum(np.maximum.reduceat(column, firsts), column[np.minimum(firsts + PANEL, len(foot) - 1)])
    left = np.minimum(np.minimum.reduceat(column, firsts), column[np.minimum(firsts + PANEL, len(foot) - 1)])
    visible = firsts[(right > 0) & (left < WIDTH_PX << SHIFT_BITS)].tolist()
    parts = [slice(first, first + PANEL + 1) for first in visible]
    return [np.concatenate([foot[part], top[part][::-1]]) for part in parts]


def _at_near(behind: FloatArray, ahead: FloatArray) -> FloatArray:
    part = (NEAR_M - behind[1]) / (ahead[1] - behind[1])
    point: FloatArray = (behind + part * (ahead - behind))[None]
    return point

"""What a track is: two borders in pairs, and everything that follows from them.

Axes are the game's: x, y up, z, right-handed. A heading is measured from +z toward +x: forward is
``(sin h, 0, cos h)`` and left is ``(cos h, 0, -sin h)``. Facing +z the right side is therefore -x. Steering +1
turns right, which lowers the heading. Seen from above with z up on the screen, x grows to the LEFT: paint
through `to_top_view`, or the picture is a mirror image.

Two-dimensional arrays named ``xz`` hold ``(x, z)`` in this order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tmstudio.errors import TMStudioError

Floats = NDArray[np.float64]

SPACING_M = 2.0
"""Arc length between two successive points of every track."""

EXTENSION_M = 120.0
"""Straight continuation that an open track has before its start and beyond its finish, for rays and points only."""


@dataclass(frozen=True)
class Pose:
    """Where a car stands and which way it faces."""

    position_m: tuple[float, float, float]
    heading_rad: float


@dataclass(frozen=True, eq=False)
class Track:
    """An open track from a spawn to a finish line.

    The borders are lines of a car's centre: the centre of a car may touch them, and go at most 1.1 m beyond.
    Points ``left_m[i]`` and ``right_m[i]`` are a pair across the road, and the pairs never cross: the straight
    lines through them give each place in the road one pair of coordinates, the arc length along the centre
    and the lateral distance from it.

    Attributes:
        name: the name in the library.
        map_uid: the identifier of the map in the game, where it is one.
        left_m, right_m: (M, 3) borders, from `EXTENSION_M` before the start to `EXTENSION_M` beyond the finish.
        start_arc_m: arc length at the spawn. Progress is ``arc_m - start_arc_m``.
        finish_arc_m: arc length at the finish line.
        spawn: where the car stands before the start.
        checkpoints_m: progress at each checkpoint, rising; the finish is not one of them.
        medals_s: lap times by medal ("bronze", "silver", "gold", "author"), as far as they are known.
        origin: how the track came to be, as plain data (importer or generator and its arguments).
        center_m: (M, 3) centre line. Derived.
        arc_m: (M,) arc length at each point, exactly `SPACING_M` apart, 0 at the first. Derived.
        half_width_m: (M,) distance from the centre to each border along the pair. Derived.
        tangent: (M, 2) unit ``(x, z)`` direction of driving, at right angles to the pair. Derived.
        sha256: identity of the geometry: the same on every platform. Derived.

    All arrays are float64 and read-only. Two tracks are equal when they are the same object; compare `sha256`.
    """

    name: str
    left_m: Floats
    right_m: Floats
    start_arc_m: float
    finish_arc_m: float
    spawn: Pose
    map_uid: str | None = None
    checkpoints_m: tuple[float, ...] = ()
    medals_s: Mapping[str, float] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    center_m: Floats = field(init=False, repr=False)
    arc_m: Floats = field(init=False, repr=False)
    half_width_m: Floats = field(init=False, repr=False)
    tangent: Floats = field(init=False, repr=False)
    sha256: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        left, right = _border(self.left_m, "left"), _border(self.right_m, "right")
        _check_shape(left, right)
        across = (left - right)[:, [0, 2]]
        width = np.hypot(across[:, 0], across[:, 1])
        _check_pairs(left, right, width)
        derived = {
            "left_m": left,
            "right_m": right,
            "center_m": (left + right) / 2,
            "arc_m": np.arange(len(left)) * SPACING_M,
            "half_width_m": width / 2,
            "tangent": np.stack([-across[:, 1], across[:, 0]], axis=1) / width[:, None],
        }
        for name, array in derived.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "checkpoints_m", tuple(float(place) for place in self.checkpoints_m))
        object.__setattr__(self, "medals_s", MappingProxyType(dict(self.medals_s)))
        object.__setattr__(self, "origin", MappingProxyType(dict(self.origin)))
        _check_places(self)
        object.__setattr__(self, "sha256", _sha256(self))

    @property
    def length_m(self) -> float:
        """Length of a lap along the centre line, from the spawn to the finish."""
        return self.finish_arc_m - self.start_arc_m

    @property
    def width_m(self) -> float:
        """Median distance between the borders between spawn and finish."""
        return float(2 * np.median(self.half_width_m[self.lap_points]))

    @property
    def lap_points(self) -> slice:
        """The points between spawn and finish, one more on each side where the line lies between two points."""
        first = int(np.floor(self.start_arc_m / SPACING_M))
        last = int(np.ceil(self.finish_arc_m / SPACING_M))
        return slice(max(first, 0), min(last + 1, len(self.arc_m)))

    def pairs_at(self, arc_m: ArrayLike) -> tuple[Floats, Floats]:
        """Border points at the given arc lengths.

        Args:
            arc_m: (...) arc lengths; beyond either end the track goes on straight.

        Returns:
            left, right: (..., 3) metres.
        """
        place = np.asarray(arc_m, dtype=np.float64) / SPACING_M
        index = np.clip(place.astype(np.intp), 0, len(self.arc_m) - 2)
        part = (place - index)[..., None]
        left = self.left_m[index] * (1 - part) + self.left_m[index + 1] * part
        right = self.right_m[index] * (1 - part) + self.right_m[index + 1] * part
        return left, right

    def place(self, arc_m: ArrayLike, lateral_m: ArrayLike = 0.0) -> tuple[Floats, Floats]:
        """Positions and driving directions at places on the track: the inverse of a projection.

        Args:
            arc_m: (N,) arc lengths.
            lateral_m: (N,) or one distance from the centre line, positive to the left.

        Returns:
            position_m: (N, 3) metres, and heading_rad: (N,) direction of driving there.
        """
        left, right = self.pairs_at(arc_m)
        across = left - right
        width = np.hypot(across[..., 0], across[..., 2])
        share = np.asarray(lateral_m, dtype=np.float64) / width
        position = (left + right) / 2 + across * share[..., None]
        return position, np.arctan2(-across[..., 2], across[..., 0])

    def lap_borders(self) -> tuple[Floats, Floats]:
        """Borders from the start line to the finish line, cut exactly there, for painting.

        Returns:
            left, right: (K, 3) metres.
        """
        inner = self.arc_m[(self.arc_m > self.start_arc_m) & (self.arc_m < self.finish_arc_m)]
        return self.pairs_at(np.concatenate([[self.start_arc_m], inner, [self.finish_arc_m]]))


def to_top_view(xz: ArrayLike) -> Floats:
    """Map ``(x, z)`` to a view from above that is no mirror image: ``(right, up)`` on the screen.

    With z up on the screen, x grows to the left. Any later rotation keeps the picture right; flipping one
    axis does not. For pixel rows that count downward, flip the up axis once, when painting.

    Args:
        xz: (..., 2) world coordinates.

    Returns:
        (..., 2) screen coordinates in metres.
    """
    points = np.asarray(xz, dtype=np.float64)
    return np.stack([-points[..., 0], points[..., 1]], axis=-1)


def heading_of(direction_xz: ArrayLike) -> Floats:
    """Heading in radians of a direction: 0 faces +z, a quarter turn faces +x (left of +z).

    Args:
        direction_xz: (..., 2) directions of any length but zero.
    """
    direction = np.asarray(direction_xz, dtype=np.float64)
    return np.asarray(np.arctan2(direction[..., 0], direction[..., 1]))


def forward_of(heading_rad: ArrayLike) -> Floats:
    """Unit ``(x, z)`` forward direction of a heading, shape (..., 2)."""
    heading = np.asarray(heading_rad, dtype=np.float64)
    return np.stack([np.sin(heading), np.cos(heading)], axis=-1)


def _border(points: ArrayLike, side: str) -> Floats:
    array = np.array(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise TMStudioError(
            f"The {side} border is not a list of points.",
            cause=f"its shape is {array.shape}, not (points, 3)",
            hint="import the borders again",
        )
    if not np.isfinite(array).all():
        raise TMStudioError(
            f"The {side} border has values that are no numbers.", hint="import the borders again"
        )
    # Millimetres: what is saved, compared and hashed is then the same on every platform.
    return np.round(array, 3) + 0.0


def _check_shape(left: Floats, right: Floats) -> None:
    if len(left) != len(right) or len(left) < 8:
        raise TMStudioError(
            "The borders of a track must be pairs of points, eight at least.",
            cause=f"left has {len(left)} points and right {len(right)}",
            hint="import the borders again",
        )


def _check_pairs(left: Floats, right: Floats, width: Floats) -> None:
    if width.min() < 1.0:
        raise TMStudioError(
            "The borders touch.",
            cause=f"they are {width.min():.2f} m apart at the narrowest place",
            hint="record each border along its own wall",
        )
    center = (left + right)[:, [0, 2]] / 2
    steps = np.hypot(*np.diff(center, axis=0).T)
    # Arc length is measured along a line that may cut sharp corners of the middle: see `tmstudio.track.borders`.
    if steps.max() > 1.5 * SPACING_M or steps.min() < 0.5 * SPACING_M:
        raise TMStudioError(
            f"The points of the centre line are not {SPACING_M:g} m apart.",
            cause=f"they are {steps.min():.2f} to {steps.max():.2f} m apart",
            hint="import the borders again",
        )
    ahead = np.stack([-(left - right)[:, 2], (left - right)[:, 0]], axis=1) / width[:, None]
    for border in (left, right):
        forward = np.einsum("mk,mk->m", np.diff(border[:, [0, 2]], axis=0), ahead[:-1] + ahead[1:])
        if forward.min() < -0.1:
            x, _, z = border[int(forward.argmin())]
            raise TMStudioError(
                "The borders go back, or left and right are exchanged.",
                cause=f"near x = {x:.1f} m, z = {z:.1f} m the pairs of border points cross",
                hint="import the borders again",
            )


def _check_places(track: Track) -> None:
    end_m = float(track.arc_m[-1])
    if not 0 <= track.start_arc_m < track.finish_arc_m <= end_m:
        raise TMStudioError(
            "The start and the finish of the track are out of order.",
            cause=f"start at {track.start_arc_m:.1f} m, finish at {track.finish_arc_m:.1f} m of {end_m:.1f} m",
            hint="import the borders again",
        )
    places = [0.0, *track.checkpoints_m, track.length_m]
    if any(later <= earlier for earlier, later in pairwise(places)):
        raise TMStudioError(
            "The checkpoints of the track are out of order.",
            cause=f"they are at {', '.join(f'{place:.1f} m' for place in track.checkpoints_m)}",
            hint="import the borders again",
        )


def _sha256(track: Track) -> str:
    places = [track.start_arc_m, track.finish_arc_m, *track.spawn.position_m, *track.checkpoints_m]
    digest = hashlib.sha256(b"tmstudio track geometry 1\n")
    digest.update(json.dumps({"spacing_m": SPACING_M, "points": len(track.arc_m)}, sort_keys=True).encode())
    for array in (track.left_m, track.right_m, np.array(places)):
        digest.update(np.round(array * 1000).astype("<i8").tobytes())
    digest.update(np.array(np.round(track.spawn.heading_rad * 1e5)).astype("<i8").tobytes())
    return digest.hexdigest()

"""Tracks from a seed: straights, bends both ways, hairpins and S-bends, with a corridor that never overlaps itself.

A track is laid piece by piece. Each piece is a straight or a bend whose curvature swells and fades as on real
roads. A piece that would come too near to what lies already is thrown away and another one drawn; after too many
failures the last pieces are taken up again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import EXTENSION_M, SPACING_M, Pose, Track
from tmstudio.track.library import pack_track

Floats = NDArray[np.float64]

MIN_LENGTH_M, MAX_LENGTH_M = 200.0, 5000.0
MIN_WIDTH_M, MAX_WIDTH_M = 12.0, 40.0
MAX_DIFFICULTY = 6

GAP_M = 6.0
"""Least distance between two stretches of road."""

NEIGHBOURS = 1.6
"""Places nearer along the road than this many times the distance that they need are opposite in a bend."""

_HEIGHT_M = 10.0
_CHECKPOINT_M = 250.0
_TIGHT_EASE = 0.15
_TIGHT_BELOW_M = 13.5
_TRIES_A_PIECE = 16
_TAKEN_UP = 3
_MOST_FAILURES = 3000


class TrackSpec(NamedTuple):
    """What defines a generated track."""

    name: str
    seed: int
    difficulty: int
    length_m: float
    width_m: float


@dataclass(frozen=True)
class _Style:
    """What the pieces of one difficulty are like. Radii are of the inner border."""

    straight_m: tuple[float, float]
    inner_radius_m: tuple[float, float]
    turn_deg: tuple[float, float]
    tight_inner_radius_m: tuple[float, float]
    tight_turn_deg: tuple[float, float]
    tight_every_m: float
    chicane_share: float
    width_change: float


_STYLES = (
    _Style((40, 90), (40, 75), (40, 90), (9, 13), (90, 120), 340, 0.10, 0.00),
    _Style((30, 80), (32, 60), (40, 100), (8, 12), (100, 140), 300, 0.15, 0.05),
    _Style((25, 75), (26, 52), (45, 110), (7, 11), (100, 160), 270, 0.20, 0.09),
    _Style((20, 75), (20, 46), (40, 120), (6, 10), (110, 175), 250, 0.25, 0.12),
    _Style((15, 70), (14, 40), (40, 130), (5, 9), (120, 180), 230, 0.30, 0.15),
    _Style((10, 65), (10, 34), (40, 140), (4, 8), (130, 185), 210, 0.35, 0.18),
)


class _Piece(NamedTuple):
    curvature: Floats
    width: float


class _Laid(NamedTuple):
    """A stretch of road in the plane."""

    curvature: Floats
    width: Floats
    center: Floats
    heading_rad: float
    """Direction in which the road leaves the last point."""
    side: int
    """Which way the last bend turned: 1 left, -1 right."""


def bundled_specs() -> tuple[TrackSpec, ...]:
    """What the tracks that ship with the program are generated from, by rising difficulty."""
    return (
        TrackSpec("meadow", 8, 1, 700, 26),
        TrackSpec("valley", 3, 2, 800, 24),
        TrackSpec("ridge", 5, 3, 900, 22),
        TrackSpec("coast", 14, 4, 1100, 22),
        TrackSpec("canyon", 18, 5, 1300, 20),
        TrackSpec("summit", 6, 6, 1500, 18),
    )


def write_bundled(folder: Path) -> list[Path]:
    """Generate the tracks that ship with the program into a folder: ``assets/tracks`` of a checkout.

    Returns:
        The files written.
    """
    paths = []
    for spec in bundled_specs():
        track = generate(spec.seed, spec.difficulty, spec.length_m, spec.width_m, spec.name)
        paths.append(folder / f"{spec.name}.npz")
        paths[-1].write_bytes(pack_track(track))
    return paths


def generate(seed: int, difficulty: int, length_m: float, width_m: float, name: str) -> Track:
    """Make a track. The same arguments give the same track on every platform.

    Args:
        seed: start of the random numbers.
        difficulty: 1 (wide bends) to 6 (hairpins, chicanes, changing width).
        length_m: length of the lap, exactly.
        width_m: usual distance between the borders.
        name: name of the track.

    Raises:
        TMStudioError: an argument is out of range, or no layout was found.
    """
    check_arguments(seed, difficulty, length_m, width_m)
    spec = TrackSpec(name, int(seed), int(difficulty), float(length_m), float(width_m))
    return _build(_lay(np.random.default_rng(spec.seed), _STYLES[spec.difficulty - 1], spec), spec)


def check_arguments(seed: int, difficulty: int, length_m: float, width_m: float) -> None:
    """Raise a `TMStudioError` where an argument of a generated track is out of range."""
    ranges = (
        ("seed", seed, 0, 2**31 - 1),
        ("difficulty", difficulty, 1, MAX_DIFFICULTY),
        ("length", length_m, MIN_LENGTH_M, MAX_LENGTH_M),
        ("width", width_m, MIN_WIDTH_M, MAX_WIDTH_M),
    )
    for what, value, low, high in ranges:
        if not low <= value <= high:
            raise TMStudioError(
                f"The {what} of a generated track must be {low:g} to {high:g}.", cause=f"it is {value:g}"
            )


def _lay(rng: np.random.Generator, style: _Style, spec: TrackSpec) -> list[_Laid]:
    """The stretches of a whole track with its extensions."""
    extension = round(EXTENSION_M / SPACING_M)
    wanted = extension + int(np.ceil(spec.length_m / SPACING_M)) + 1
    lead = _Piece(np.zeros(extension + int(rng.uniform(25, 40) / SPACING_M)), spec.width_m)
    side = 1 if rng.uniform() < 0.5 else -1
    road = [_continued(None, [lead], side)]
    tries = failures = 0
    while (laid := sum(len(stretch.center) for stretch in road)) < wanted:
        pieces, side = _draw(rng, style, spec.width_m, road)
        new = [_continued(road[-1], pieces, side)]
        if laid + len(new[0].center) >= wanted:
            last = _shortened(new[0], wanted - laid)
            new = [last, _continued(last, [_Piece(np.zeros(extension), pieces[-1].width)], side)]
        if _is_clear(road, new):
            road += new
            tries = 0
            continue
        tries, failures = tries + 1, failures + 1
        if tries > _TRIES_A_PIECE:
            # A dead end: take up again what led into it.
            del road[max(len(road) - _TAKEN_UP, 1) :]
            tries = 0
        if failures > _MOST_FAILURES:
            raise TMStudioError(
                "No layout was found for this track.",
                cause=f"{spec.length_m:g} m of road {spec.width_m:g} m wide always came too near to itself",
                hint="choose another seed, or a shorter or narrower track",
            )
    return road


def _draw(
    rng: np.random.Generator, style: _Style, width_m: float, road: list[_Laid]
) -> tuple[list[_Piece], int]:
    """The next pieces, and which way the last bend of them turns."""
    width = width_m * (1 + style.width_change * rng.uniform(-1, 1))
    # More often than not the next bend goes the other way: the road wanders instead of curling up.
    side = -road[-1].side if rng.uniform() < 0.65 else road[-1].side
    radius = rng.uniform(*style.inner_radius_m) + width / 2
    turn = np.radians(rng.uniform(*style.turn_deg))
    kind = rng.uniform()
    if len(road) == 1:
        pieces = [_bend(radius, side * max(turn, np.radians(70)), width)]
    elif _since_tight(road) > style.tight_every_m * rng.uniform(0.6, 1.0):
        # A tight bend after one the other way: whoever slides along the outer wall of the first, or just drives
        # straight on, meets the wall of the second head-on.
        tight = rng.uniform(*style.tight_inner_radius_m) + width / 2
        tight_turn = np.radians(rng.uniform(*style.tight_turn_deg))
        between = _Piece(np.zeros(int(rng.uniform(8, 20) / SPACING_M)), width)
        pieces = [_bend(radius, -side * np.radians(rng.uniform(45, 80)), width), between]
        pieces.append(_bend(tight, side * tight_turn, width, ease=_TIGHT_EASE))
    elif kind < style.chicane_share:
        turn = np.radians(rng.uniform(30, 60))
        pieces = [_bend(radius, side * turn, width), _bend(radius, -side * turn, width)]
        side = -side
    else:
        pieces = [_bend(radius, side * turn, width)]
    straight = rng.uniform(*style.straight_m)
    pieces.append(_Piece(np.zeros(int(straight / SPACING_M)), width))
    return pieces, side


def _since_tight(road: list[_Laid]) -> float:
    """Length of road since the last tight bend, or since the start."""
    curvature = np.concatenate([laid.curvature for laid in road])
    width = np.concatenate([laid.width for laid in road])
    tight = np.flatnonzero(np.abs(curvature) * (width / 2 + _TIGHT_BELOW_M) > 1)
    start = round(EXTENSION_M / SPACING_M)
    return float(len(curvature) - (tight[-1] if len(tight) else start)) * SPACING_M


def _bend(radius_m: float, turn_rad: float, width: float, ease: float = 1 / 3) -> _Piece:
    """A bend whose curvature rises and falls over a share of its length each, never sharper than the radius."""
    count = max(int(np.ceil(abs(turn_rad) * radius_m / (1 - ease) / SPACING_M)), 6)
    place = (np.arange(count) + 0.5) / count
    swell = np.clip(np.minimum(place, 1 - place) / ease, 0, 1)
    swell = swell * swell * (3 - 2 * swell)
    return _Piece(swell * (turn_rad / SPACING_M / swell.sum()), width)


def _continued(before: _Laid | None, pieces: list[_Piece], side: int) -> _Laid:
    """Lay pieces after what lies before, or from the origin toward +z. Positive curvature turns left."""
    curvature = np.concatenate([piece.curvature for piece in pieces])
    width = np.concatenate([np.full(len(piece.curvature), piece.width) for piece in pieces])
    heading = (0.0 if before is None else before.heading_rad) + np.cumsum(curvature) * SPACING_M
    # The road goes from one point to the next in the direction in which it leaves the former.
    leaving = np.concatenate([[0.0 if before is None else before.heading_rad], heading[:-1]])
    steps = np.stack([np.sin(leaving), np.cos(leaving)], axis=1) * SPACING_M
    origin = np.array([0.0, -SPACING_M]) if before is None else before.center[-1]
    return _Laid(curvature, width, origin + np.cumsum(steps, axis=0), float(heading[-1]), side)


def _shortened(stretch: _Laid, count: int) -> _Laid:
    heading = stretch.heading_rad - float(stretch.curvature[count:].sum()) * SPACING_M
    return _Laid(
        stretch.curvature[:count], stretch.width[:count], stretch.center[:count], heading, stretch.side
    )


def _is_clear(road: list[_Laid], new: list[_Laid]) -> bool:
    """Whether the corridor of what is new keeps clear of all that lies, and of itself."""
    every = [*road, *new]
    center = np.concatenate([laid.center for laid in every])[::2]
    half_width = np.concatenate([laid.width for laid in every])[::2] / 2
    first = len(center) - (sum(len(laid.center) for laid in new) + 1) // 2
    needed = half_width[first:, None] + half_width[None, :] + GAP_M
    along = (np.arange(first, len(center))[:, None] - np.arange(len(center))[None, :]) * (2 * SPACING_M)
    away = center[first:, None, :] - center[None, :, :]
    near = np.einsum("nmk,nmk->nm", away, away) < needed * needed
    return not bool((near & (along > NEIGHBOURS * needed)).any())


def _eased(width: Floats) -> Floats:
    """Widths that change over some 60 m instead of at once."""
    kernel = np.hanning(33)[1:-1]
    padded = np.pad(width, len(kernel) // 2, mode="edge")
    return np.convolve(padded, kernel / kernel.sum(), mode="valid")


def _build(road: list[_Laid], spec: TrackSpec) -> Track:
    center = np.concatenate([laid.center for laid in road])
    curvature = np.concatenate([laid.curvature for laid in road])
    width = _eased(np.concatenate([laid.width for laid in road]))
    heading = (np.cumsum(curvature) - curvature / 2) * SPACING_M
    normal = np.stack([np.cos(heading), -np.sin(heading)], axis=1) * (width / 2)[:, None]
    origin = {
        "seed": spec.seed,
        "difficulty": spec.difficulty,
        "length_m": spec.length_m,
        "width_m": spec.width_m,
    }
    return as_track(spec.name, center, normal, spec.length_m, 0.0, origin)


def as_track(
    name: str,
    center: Floats,
    to_left: Floats,
    length_m: float,
    heading_rad: float,
    origin: dict[str, Any],
    laps: int = 1,
) -> Track:
    """Put a generated road into the world, with checkpoints about as far apart as on real maps.

    Args:
        name: name of the track.
        center: (M, 2) centre line with its extensions, points `SPACING_M` apart.
        to_left: (M, 2) from the centre to the left border.
        length_m: length of one lap.
        heading_rad: direction of the road at the start.
        origin: what it was generated from.
        laps: how often the lap lies in the line.
    """
    start = round(EXTENSION_M / SPACING_M)
    shift = np.array([512.0, 512.0]) - center[start]
    left, right = (np.insert(center + shift + side * to_left, 1, _HEIGHT_M, axis=1) for side in (1.0, -1.0))
    spawn = (left[start] + right[start]) / 2
    sectors = max(round(length_m / _CHECKPOINT_M) - 1, 1) + 1
    return Track(
        name=name,
        left_m=left,
        right_m=right,
        start_arc_m=start * SPACING_M,
        finish_arc_m=start * SPACING_M + laps * length_m,
        spawn=Pose((float(spawn[0]), float(spawn[1]), float(spawn[2])), heading_rad),
        checkpoints_m=tuple(round(length_m * n / sectors, 1) for n in range(1, laps * sectors)),
        origin={"by": "generator", **origin},
    )

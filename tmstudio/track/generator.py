"""Tracks from a seed: straights, bends both ways, hairpins and S-bends, with a corridor that never overlaps itself.

A track is laid piece by piece. Each piece is a straight or a bend whose curvature swells and fades as on real
roads. A piece that would come too near to what lies already is thrown away and another one drawn; after too many
failures the layout goes back some pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import EXTENSION_M, SPACING_M, Pose, Track

Floats = NDArray[np.float64]

MIN_LENGTH_M, MAX_LENGTH_M = 200.0, 5000.0
MIN_WIDTH_M, MAX_WIDTH_M = 12.0, 40.0
MAX_DIFFICULTY = 6

_GAP_M = 6.0
_HEIGHT_M = 10.0
_CHECKPOINT_M = 250.0
_TRIES_A_PIECE = 24
_LAYOUTS = 200


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
    hairpin_share: float
    chicane_share: float
    width_change: float


_STYLES = (
    _Style((40, 90), (45, 80), (40, 95), 0.0, 0.10, 0.00),
    _Style((30, 80), (34, 62), (45, 110), 0.0, 0.15, 0.06),
    _Style((25, 75), (26, 52), (45, 120), 0.08, 0.20, 0.10),
    _Style((20, 75), (20, 46), (40, 130), 0.15, 0.25, 0.14),
    _Style((15, 70), (14, 40), (40, 140), 0.22, 0.30, 0.18),
    _Style((10, 65), (10, 34), (40, 150), 0.28, 0.35, 0.22),
)


class _Piece(NamedTuple):
    curvature: Floats
    width: float


def bundled_specs() -> tuple[TrackSpec, ...]:
    """What the tracks that ship with the program are generated from, by rising difficulty."""
    return (
        TrackSpec("meadow", 11, 1, 700, 26),
        TrackSpec("valley", 21, 2, 800, 24),
        TrackSpec("ridge", 31, 3, 900, 22),
        TrackSpec("coast", 41, 4, 1100, 22),
        TrackSpec("canyon", 51, 5, 1300, 20),
        TrackSpec("summit", 61, 6, 1500, 18),
    )


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
    _check(seed, difficulty, length_m, width_m)
    rng = np.random.default_rng(seed)
    style = _STYLES[difficulty - 1]
    for _ in range(_LAYOUTS):
        layout = _lay(rng, style, length_m, width_m)
        if layout is not None:
            return _build(*layout, TrackSpec(name, seed, difficulty, length_m, width_m))
    raise TMStudioError(
        "No layout was found for this track.",
        cause=f"{length_m:g} m of road {width_m:g} m wide did not fit into the plane without crossing itself",
        hint="choose another seed, a shorter or a narrower track",
    )


def _check(seed: int, difficulty: int, length_m: float, width_m: float) -> None:
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


def _lay(
    rng: np.random.Generator, style: _Style, length_m: float, width_m: float
) -> tuple[Floats, Floats] | None:
    """Curvature and width at each point of the whole track with its extensions, or None."""
    lap_points = int(np.ceil(length_m / SPACING_M)) + 1
    extension = int(EXTENSION_M / SPACING_M)
    lead = np.zeros(extension + int(rng.uniform(25, 40) / SPACING_M))
    pieces = [_Piece(lead, width_m)]
    side = int(rng.choice((-1, 1)))
    failures = 0
    while sum(len(piece.curvature) for piece in pieces) < lap_points + extension:
        drawn, next_side = _draw(rng, style, width_m, side, first=len(pieces) == 1)
        if _fits([*pieces, *drawn], lap_points + extension, extension):
            pieces += drawn
            side = next_side
            failures = 0
            continue
        failures += 1
        if failures > _TRIES_A_PIECE:
            return None
    curvature = np.concatenate([piece.curvature for piece in pieces])
    width = np.concatenate([np.full(len(piece.curvature), piece.width) for piece in pieces])
    count = lap_points + extension
    curvature = np.concatenate([curvature[:count], np.zeros(extension)])
    width = np.concatenate([width[:count], np.full(extension, width[count - 1])])
    return curvature, _eased(width)


def _draw(
    rng: np.random.Generator, style: _Style, width_m: float, side: int, *, first: bool
) -> tuple[list[_Piece], int]:
    """The next pieces, and which way the last bend of them turns."""
    width = width_m * (1 + style.width_change * rng.uniform(-1, 1))
    kind = rng.uniform()
    # More often than not the next bend goes the other way: the road wanders instead of curling up.
    side = -side if rng.uniform() < 0.65 else side
    radius = rng.uniform(*style.inner_radius_m) + width / 2
    turn = np.radians(rng.uniform(*style.turn_deg))
    if first:
        turn = max(turn, np.radians(80))
        pieces = [_bend(radius, side * turn, width)]
    elif kind < style.hairpin_share:
        radius = style.inner_radius_m[0] * rng.uniform(1.0, 1.4) + width / 2
        pieces = [_bend(radius, side * np.radians(rng.uniform(150, 185)), width)]
    elif kind < style.hairpin_share + style.chicane_share:
        turn = np.radians(rng.uniform(30, 60))
        pieces = [_bend(radius, side * turn, width), _bend(radius, -side * turn, width)]
        side = -side
    else:
        pieces = [_bend(radius, side * turn, width)]
    straight = rng.uniform(*style.straight_m)
    pieces.append(_Piece(np.zeros(int(straight / SPACING_M)), width))
    return pieces, side


def _bend(radius_m: float, turn_rad: float, width: float) -> _Piece:
    """A bend whose curvature rises and falls over a third of its length each, never sharper than the radius."""
    peak = np.sign(turn_rad) / radius_m
    count = max(int(np.ceil(abs(turn_rad) * radius_m * 1.5 / SPACING_M)), 6)
    place = (np.arange(count) + 0.5) / count
    swell = np.clip(np.minimum(place, 1 - place) * 3, 0, 1)
    swell = swell * swell * (3 - 2 * swell)
    return _Piece(peak * swell * (abs(turn_rad) * radius_m / SPACING_M / swell.sum()), width)


def _fits(pieces: list[_Piece], count: int, extension: int) -> bool:
    """Whether the corridor of the pieces, going on straight at the end, keeps clear of itself."""
    curvature = np.concatenate([piece.curvature for piece in pieces])[:count]
    width = np.concatenate([np.full(len(piece.curvature), piece.width) for piece in pieces])[:count]
    if len(curvature) == count:
        curvature = np.concatenate([curvature, np.zeros(extension)])
        width = np.concatenate([width, np.full(extension, width[-1])])
    center, _ = _run(curvature)
    return _is_clear(center[::2], _eased(width)[::2] / 2, 2 * SPACING_M)


def _is_clear(center: Floats, half_width: Floats, spacing_m: float) -> bool:
    needed = half_width[:, None] + half_width[None, :] + _GAP_M
    arc = np.arange(len(center)) * spacing_m
    apart = np.abs(arc[:, None] - arc[None, :]) > 1.6 * needed
    distance = np.hypot(*(center[:, None, :] - center[None, :, :]).transpose(2, 0, 1))
    return bool((distance[apart] >= needed[apart]).all())


def _run(curvature: Floats) -> tuple[Floats, Floats]:
    """Centre points (x, z) and headings along a curvature; bends of positive curvature turn left."""
    middle = np.concatenate([[0.0], np.cumsum(curvature) * SPACING_M])
    heading = (middle[:-1] + middle[1:]) / 2
    steps = np.stack([np.sin(middle[1:-1]), np.cos(middle[1:-1])], axis=1) * SPACING_M
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)]), heading


def _eased(width: Floats) -> Floats:
    """Widths that change over some 60 m instead of at once."""
    kernel = np.hanning(33)[1:-1]
    padded = np.pad(width, len(kernel) // 2, mode="edge")
    return np.convolve(padded, kernel / kernel.sum(), mode="valid")


def _build(curvature: Floats, width: Floats, spec: TrackSpec) -> Track:
    center, heading = _run(curvature)
    normal = np.stack([np.cos(heading), -np.sin(heading)], axis=1) * (width / 2)[:, None]
    start = int(EXTENSION_M / SPACING_M)
    shift = np.array([512.0, 512.0]) - center[start]
    left, right = (
        np.insert(center + shift + side * normal, 1, _HEIGHT_M, axis=1) for side in (1.0, -1.0)
    )
    spawn = (left[start] + right[start]) / 2
    count = max(int(round(spec.length_m / _CHECKPOINT_M)) - 1, 1)
    return Track(
        name=spec.name,
        left_m=left,
        right_m=right,
        start_arc_m=start * SPACING_M,
        finish_arc_m=start * SPACING_M + spec.length_m,
        spawn=Pose((float(spawn[0]), float(spawn[1]), float(spawn[2])), 0.0),
        checkpoints_m=tuple(round(spec.length_m * (n + 1) / (count + 1), 1) for n in range(count)),
        origin={
            "by": "generator",
            "seed": spec.seed,
            "difficulty": spec.difficulty,
            "length_m": spec.length_m,
            "width_m": spec.width_m,
        },
    )

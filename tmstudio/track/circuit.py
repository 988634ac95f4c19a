"""Circuits from a seed: a road round a middle that comes back to its start, driven for one lap or more.

The line is a circle whose radius swells and shrinks with the direction as seen from the middle, by a few waves drawn
from the seed. Such a line never meets itself; one that bends too sharply for its width, or leaves too little between
two stretches of road, is thrown away and another one drawn. A race of several laps is a track on which the circuit
lies several times, one behind the other: progress, checkpoints and walls need to know nothing about laps.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.generator import GAP_M, NEIGHBOURS, as_track, check_arguments
from tmstudio.track.geometry import EXTENSION_M, SPACING_M, Track

Floats = NDArray[np.float64]

MAX_LAPS: Final = 20
_TRIES: Final = 400
_FINE: Final = 4096
_WAVES: Final = (2, 3, 4, 5, 6, 7)
_INNER_RADIUS_M: Final = (32.0, 26.0, 20.0, 14.0, 10.0, 7.0)
"""The sharpest bend of each difficulty, measured at the inner border."""
_SWELL: Final = (0.25, 0.35, 0.45, 0.55, 0.65, 0.75)
"""How much the radius swells and shrinks at most in each difficulty, as a share of it."""


def generate_circuit(
    seed: int, difficulty: int, length_m: float, width_m: float, laps: int, name: str
) -> Track:
    """Make a circuit. The same arguments give the same track.

    Args:
        seed: start of the random numbers.
        difficulty: 1 (nearly a ring) to 6 (sharp bends both ways).
        length_m: length of one lap; rounded to the spacing of points.
        width_m: distance between the borders.
        laps: laps of a race.
        name: name of the track.

    Raises:
        TMStudioError: an argument is out of range, or no layout was found.
    """
    check_arguments(seed, difficulty, length_m, width_m)
    if not 1 <= laps <= MAX_LAPS:
        raise TMStudioError(f"A circuit has 1 to {MAX_LAPS} laps.", cause=f"{laps} were asked for")
    rng = np.random.default_rng(seed)
    points = round(length_m / SPACING_M)
    for attempt in range(_TRIES):
        # What does not fit at first fits when it is rounder.
        swell = _SWELL[difficulty - 1] * (1.0 - 0.9 * attempt / _TRIES)
        center = _closed_line(rng, swell, points)
        if _is_clear(center, width_m, _INNER_RADIUS_M[difficulty - 1]):
            return _build(center, width_m, laps, name, seed, difficulty)
    raise TMStudioError(
        "No layout was found for this circuit.",
        cause=f"{length_m:g} m are too short for a road {width_m:g} m wide with bends of this difficulty",
        hint="choose a longer lap, a narrower road or a higher difficulty",
    )


def _closed_line(rng: np.random.Generator, swell: float, points: int) -> Floats:
    """(points, 2) a closed line around the origin, to the left, its points `SPACING_M` apart and the first straightest."""
    around = np.linspace(0.0, 2 * np.pi, _FINE, endpoint=False)
    strength = rng.uniform(0.2, 1.0, len(_WAVES))
    strength *= swell / strength.sum()
    phase = rng.uniform(0.0, 2 * np.pi, len(_WAVES))
    radius = 1.0 + sum(
        share * np.cos(wave * around + shift)
        for share, wave, shift in zip(strength, _WAVES, phase, strict=True)
    )
    line = radius[:, None] * np.stack([np.sin(around), np.cos(around)], axis=1)
    closed = np.concatenate([line, line[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    places = np.arange(points) * along[-1] / points
    even = np.stack([np.interp(places, along, closed[:, axis]) for axis in (0, 1)], axis=1)
    even *= SPACING_M * points / along[-1]
    # The start is where the road is straightest around: a car needs room to get going.
    bend = np.abs(_bending(even))
    stretch = np.ones(max(points // 12, 1))
    over = np.convolve(np.concatenate([bend, bend]), stretch, mode="valid")[:points]
    return np.roll(even, -int(over.argmin()), axis=0)


def _bending(closed: Floats) -> Floats:
    """(points,) curvature in 1/m at each point of a closed line, positive to the left."""
    steps = np.roll(closed, -1, axis=0) - closed
    heading = np.arctan2(steps[:, 0], steps[:, 1])
    turn = heading - np.roll(heading, 1)
    wrapped: Floats = (turn + np.pi) % (2 * np.pi) - np.pi
    return wrapped / SPACING_M


def _is_clear(center: Floats, width_m: float, inner_radius_m: float) -> bool:
    """Whether no bend is too sharp, and no two stretches of the road are too near to each other."""
    if np.abs(_bending(center)).max() * (inner_radius_m + width_m / 2) > 1.0:
        return False
    some = center[::2]
    count, needed = len(some), width_m + GAP_M
    apart = np.abs(np.arange(count)[:, None] - np.arange(count)[None, :])
    along_m = np.minimum(apart, count - apart) * (2 * SPACING_M)
    away = some[:, None, :] - some[None, :, :]
    near = np.einsum("nmk,nmk->nm", away, away) < needed * needed
    return not bool((near & (along_m > NEIGHBOURS * needed)).any())


def _build(center: Floats, width_m: float, laps: int, name: str, seed: int, difficulty: int) -> Track:
    points = len(center)
    extension = round(EXTENSION_M / SPACING_M)
    tangent = np.roll(center, -1, axis=0) - np.roll(center, 1, axis=0)
    tangent /= np.hypot(*tangent.T)[:, None]
    to_left = np.stack([tangent[:, 1], -tangent[:, 0]], axis=1) * (width_m / 2)
    order = np.arange(-extension, laps * points + extension + 1) % points
    lap_m = points * SPACING_M
    origin = {"seed": seed, "difficulty": difficulty, "length_m": lap_m, "width_m": width_m, "laps": laps}
    heading_rad = float(np.arctan2(*tangent[0].tolist()))
    return as_track(name, center[order], to_left[order], lap_m, heading_rad, origin, laps)

"""Where attempts begin: varied starts on the line, and starts along the track for training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tmstudio.game.interface import Starts
from tmstudio.track.geometry import Track

SHIFT_M: Final = 1.0
"""A start on the line is up to this far from the spawn, along the track and across it."""

TURN_RAD: Final = float(np.deg2rad(3.0))
"""And turned by up to this much."""

ROLL_MPS: Final = 1.0
"""And rolling forward at up to this speed."""

CLOCK_TICK_S: Final = 0.01
CLOCK_TICKS: Final = 5
"""And the race clock is up to four ticks before zero when the policy takes over: the control clock of a game
that is not synchronised with the race meets the start at any moment of a step."""


@dataclass(frozen=True)
class DrawnStarts:
    """Starts of n attempts."""

    starts: Starts
    from_start: NDArray[np.bool_]
    """(n,) whether it is on the start line."""
    seeds: list[int | None]
    """The number each was drawn from, where it is a trial."""


class StartSource(Protocol):
    """Says where attempts begin."""

    def draw(self, cars: NDArray[np.intp]) -> DrawnStarts:
        """Starts for the cars at these indices (n,), in order."""
        ...


class AlongTrack(Protocol):
    """Draws starts somewhere along a track, at a speed and an angle that a car could have there."""

    def __call__(self, track: Track, count: int, rng: np.random.Generator) -> Starts:
        """``count`` starts."""
        ...


class TrainingStarts:
    """A share of the attempts starts somewhere along the track, the others on the line.

    Args:
        track: where.
        random_share: share of the starts along the track.
        rng: where chance comes from.
        along_track: draws the starts along the track.
    """

    def __init__(
        self, track: Track, random_share: float, rng: np.random.Generator, along_track: AlongTrack
    ) -> None:
        self._track = track
        self._random_share = random_share
        self._rng = rng
        self._along_track = along_track

    def draw(self, cars: NDArray[np.intp]) -> DrawnStarts:
        """Starts for the cars at these indices (n,)."""
        count = len(cars)
        along = self._rng.random(count) < self._random_share
        starts = joined(
            [
                line_starts(self._track, count - int(along.sum()), self._rng),
                self._along_track(self._track, int(along.sum()), self._rng),
            ]
        )
        order = np.argsort(np.argsort(along, kind="stable"), kind="stable")
        return DrawnStarts(taken(starts, order), ~along, [None] * count)


class TrialStarts:
    """One varied start on the line for each car, drawn from the car's own seed: the same seed, the same start."""

    def __init__(self, track: Track, seeds: Sequence[int]) -> None:
        self._seeds = list(seeds)
        self._starts = joined([line_starts(track, 1, np.random.default_rng(seed)) for seed in seeds])

    def draw(self, cars: NDArray[np.intp]) -> DrawnStarts:
        """Starts for the cars at these indices (n,)."""
        seeds: list[int | None] = [self._seeds[car] for car in cars.tolist()]
        return DrawnStarts(taken(self._starts, cars), np.ones(len(cars), dtype=np.bool_), seeds)


def line_starts(track: Track, count: int, rng: np.random.Generator) -> Starts:
    """``count`` starts at the spawn, each varied in place, direction, speed and timing."""
    along_m, left_m = rng.uniform(-SHIFT_M, SHIFT_M, (2, count))
    heading = track.spawn.heading_rad + rng.uniform(-TURN_RAD, TURN_RAD, count)
    speed = rng.uniform(0.0, ROLL_MPS, count)
    ticks = rng.integers(0, CLOCK_TICKS, count).astype(np.float64)
    sin, cos = np.sin(track.spawn.heading_rad), np.cos(track.spawn.heading_rad)
    position = np.tile(np.asarray(track.spawn.position_m, dtype=np.float64), (count, 1))
    position[:, 0] += along_m * sin + left_m * cos
    position[:, 2] += along_m * cos - left_m * sin
    return Starts(
        position_m=position,
        heading_rad=heading,
        speed_mps=speed,
        arc_m=np.full(count, track.start_arc_m),
        race_time_s=-CLOCK_TICK_S * ticks,
        lateral_mps=np.zeros(count),
    )


def joined(parts: Sequence[Starts]) -> Starts:
    """All starts of ``parts`` one after another."""
    return Starts(
        **{
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(Starts)
        }
    )


def taken(starts: Starts, order: NDArray[np.intp]) -> Starts:
    """The starts at these indices, in this order."""
    return Starts(**{field.name: getattr(starts, field.name)[order] for field in fields(Starts)})

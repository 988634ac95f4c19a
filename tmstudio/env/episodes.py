"""The account of each attempt: what it earned, how far it came, how it ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tmstudio.env.reward import REWARD_TERMS

FINISHED = "finished"
STUCK = "stuck"
WRONG_WAY = "wrong way"
OFF_TRACK = "off track"
MISSED_CHECKPOINT = "missed checkpoint"
TIME_LIMIT = "time limit"


@dataclass(frozen=True)
class EpisodeSummary:
    """One attempt that has ended."""

    car: int
    from_start: bool
    """Whether it began on the start line; only then is it a lap."""
    finished: bool
    lap_time_s: float | None
    """The race clock at the finish line; None unless it is a finished lap from the start line."""
    progress_m: float
    """Metres of track that it drove for the first time."""
    progress_fraction: float
    """The furthest place reached, as a part of the lap."""
    return_: float
    """Sum of its rewards."""
    steps: int
    end: str
    """``finished``, ``stuck``, ``wrong way``, ``off track``, ``missed checkpoint`` or ``time limit``."""
    terms: dict[str, float]
    """What each term of the reward brought, weighted, by name; they add up to the return."""
    sectors_s: tuple[float, ...]
    """The race clock at each checkpoint passed; empty unless it began on the start line."""
    start_seed: int | None
    """The number that its start was drawn from, where it is a trial."""


class EpisodeAccounts:
    """Running sums of N attempts.

    Args:
        cars: how many cars N.
        weights: (K,) weights of the reward's terms.
        length_m: length of the lap.
        checkpoints_m: places of the checkpoints, metres from the start line.
    """

    def __init__(
        self, cars: int, weights: NDArray[np.float64], length_m: float, checkpoints_m: tuple[float, ...]
    ) -> None:
        self.terms: NDArray[np.float64] = np.zeros((cars, len(REWARD_TERMS)))
        self.steps: NDArray[np.int64] = np.zeros(cars, dtype=np.int64)
        self.from_start: NDArray[np.bool_] = np.zeros(cars, dtype=np.bool_)
        self._seeds: list[int | None] = [None] * cars
        self._weights = weights
        self._length_m = length_m
        self._gates_m = np.array([*checkpoints_m, np.inf])
        self._next_gate = np.zeros(cars, dtype=np.intp)
        self._splits_s: list[list[float]] = [[] for _ in range(cars)]

    def restart(self, cars: NDArray[np.intp], from_start: NDArray[np.bool_], seeds: list[int | None]) -> None:
        """Open new accounts for the cars at the indices ``cars``."""
        self.terms[cars] = 0.0
        self.steps[cars] = 0
        self.from_start[cars] = from_start
        self._next_gate[cars] = np.where(from_start, 0, len(self._gates_m) - 1)
        for car, seed in zip(cars.tolist(), seeds, strict=True):
            self._seeds[car] = seed
            self._splits_s[car] = []

    def add(
        self, terms: NDArray[np.float32], furthest_m: NDArray[np.float64], clock_s: NDArray[np.float64]
    ) -> None:
        """Take in one step: its terms (N, K), the furthest places (N,) and the race clocks (N,) after it."""
        self.terms += terms
        self.steps += 1
        for car in np.nonzero(furthest_m >= self._gates_m[self._next_gate])[0].tolist():
            gain_m, elapsed_s = float(terms[car, 0]), float(terms[car, 1])
            since_m = float(furthest_m[car] - self._gates_m[self._next_gate[car]])
            since_s = elapsed_s * since_m / gain_m if since_m < gain_m else 0.0
            self._splits_s[car].append(float(clock_s[car]) - since_s)
            self._next_gate[car] += 1

    @property
    def returns(self) -> NDArray[np.float64]:
        """(N,) reward earned so far."""
        return self.terms @ self._weights

    def close(self, car: int, end: str, furthest_m: float, clock_s: float) -> EpisodeSummary:
        """The summary of the attempt that ``car`` has just ended."""
        finished = end == FINISHED
        from_start = bool(self.from_start[car])
        weighted = self.terms[car] * self._weights
        return EpisodeSummary(
            car=car,
            from_start=from_start,
            finished=finished,
            lap_time_s=clock_s if finished and from_start else None,
            progress_m=float(self.terms[car, 0]),
            progress_fraction=furthest_m / self._length_m,
            return_=float(weighted.sum()),
            steps=int(self.steps[car]),
            end=end,
            terms=dict(zip(REWARD_TERMS, weighted.tolist(), strict=True)),
            sectors_s=tuple(self._splits_s[car]),
            start_seed=self._seeds[car],
        )

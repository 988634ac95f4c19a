"""The search for a car's constants: those with which recorded controls lead where they led in the recording.

One constant after another is tried a little larger and a little smaller, and kept where the replays come nearer to
the recordings (coordinate search with growing and shrinking steps, after Hooke and Jeeves, 1961). It needs no
derivatives, so thresholds such as the speed at which a gear changes are found like everything else. Changing a
constant costs a little by itself: what the recordings say little about stays near what it was, and what they say
nothing about stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S, CarModel, Cars
from tmstudio.game.simulator.identification.laps import Laps
from tmstudio.game.simulator.identification.observer import jolted, observe
from tmstudio.game.simulator.identification.replay import Barriers, replay
from tmstudio.game.simulator.parameters import CarParameters
from tmstudio.game.state import BoolArray, IntArray
from tmstudio.track.geometry import Track

FIRST_STEP: Final = 0.02
LAST_STEP: Final = 0.0005
"""Steps of the search, as shares of a constant: the first, and those at which it is found."""

LEAST_PROGRESS: Final = 0.001
"""The search ends with a round that brings less than this share."""

CHANGE: Final = 0.05
CHANGE_WEIGHT: Final = 0.002
"""What it costs to change one constant by this share; it grows with the square of the change."""

RANGE: Final = 2.5
"""A constant stays between its first value over this and its first value times this."""

WALL_CONSTANTS: Final = frozenset(
    name for name in CarParameters.__dataclass_fields__ if name.startswith("wall_")
)

Report = Callable[[str, int, float], None]

AFTER_HIT_TICKS: Final = 150
"""So long after a hit a recorded car is not yet itself again."""

_KNOTS = frozenset({"drive_speed_mps", "yaw_speed_mps"})
_LEAST_GAIN = 1e-6


@dataclass(frozen=True)
class Scale:
    """The error after a window of ``ticks`` that counts as large."""

    ticks: int
    position_m: float
    speed_mps: float
    heading_rad: float


SCALES: Final = (
    Scale(50, 0.1, 0.1, 0.01),
    Scale(100, 0.3, 0.1, 0.012),
    Scale(300, 1.5, 0.15, 0.02),
)
RPM_SCALE: Final = 150.0
GEAR_WEIGHT: Final = 3.0
SLIDE_WEIGHT: Final = 2.0


class Objective:
    """How far replays are from the recordings; smaller is better.

    Errors count by log(1 + (error / scale)^2): halving a small error is worth as much as halving a large one, so
    that a few windows in which everything went another way do not decide.

    Args:
        laps: what is driven again.
        track: where, if walls are to be hit; without it windows in which something was hit are left out.
        first: the car from which the states that no recording has are observed, until the next `observe_with`.
    """

    def __init__(self, laps: Laps, track: Track | None, first: CarParameters) -> None:
        self._laps, self._track = laps, track
        ticks = SCALES[-1].ticks
        # From the very start on: nothing else shows the launch.
        starts = laps.windows(ticks * SUBSTEP_S, first_s=0.0)
        if track is None:
            after_hit = jolted(laps, np.maximum(starts - AFTER_HIT_TICKS, 0), AFTER_HIT_TICKS)
            self._starts: IntArray = starts[~after_hit]
        else:
            self._starts = _before_hits(laps, starts, jolted(laps, starts, ticks))
        self._counts: list[BoolArray] = [
            ~jolted(laps, self._starts, scale.ticks) | (track is not None) for scale in SCALES
        ]
        self.observe_with(first)

    def observe_with(self, parameters: CarParameters) -> None:
        """Take the unrecorded part of the first states from this car from now on."""
        self._observed: Cars = observe(CarModel(parameters), self._laps).take(self._starts)

    def __call__(self, parameters: CarParameters) -> float:
        """The badness of these constants."""
        model = CarModel(parameters)
        cars = self._observed.take(np.arange(len(self._starts)))
        barriers = None if self._track is None else Barriers(self._track, model)
        looks = {scale.ticks: place for place, scale in enumerate(SCALES)}
        badness = 0.0
        for tick in replay(model, cars, self._laps, self._starts, SCALES[-1].ticks, barriers):
            if tick in looks:
                place = looks[tick]
                badness += self._errors(cars, SCALES[place], self._counts[place])
        return badness

    def _errors(self, cars: Cars, scale: Scale, counted: BoolArray) -> float:
        laps, at = self._laps, self._starts + scale.ticks
        away = np.hypot(cars.x_m - laps.x_m[at], cars.z_m - laps.z_m[at]) / scale.position_m
        speed = (np.hypot(cars.forward_mps, cars.right_mps) - laps.speed_mps[at]) / scale.speed_mps
        heading = np.angle(np.exp(1j * (cars.heading_rad - laps.heading_rad[at]))) / scale.heading_rad
        rpm = (cars.rpm - laps.rpm[at]) / RPM_SCALE
        skids, skidded = cars.sliding | cars.front_slip, laps.skidding[at] > 0
        each = sum(np.log1p(error * error) for error in (away, speed, heading, 0.5 * rpm))
        each = each + GEAR_WEIGHT * (cars.gear != laps.gear[at]) + SLIDE_WEIGHT * (skids != skidded)
        return float(np.mean(each[counted]))


def _before_hits(laps: Laps, starts: IntArray, hit: BoolArray) -> IntArray:
    """Windows in which something is hit within a second, begun four times as often as others."""
    every = np.concatenate([starts[hit] + shift for shift in (0, 5, 10, 15)])
    every = every[laps.lap[np.minimum(every + 300, len(laps.lap) - 1)] == laps.lap[every]]
    near: IntArray = every[jolted(laps, every, 100) & ~jolted(laps, every, 5)]
    return near


def fit(
    laps: Laps,
    first: CarParameters,
    name: str,
    track: Track | None = None,
    sweeps: int = 30,
    report: Report | None = None,
) -> CarParameters:
    """Find the constants of the recorded car.

    Args:
        laps: recorded laps.
        first: where the search begins; what the recordings do not tell stays as it is there.
        name: of the car that is found.
        track: where the laps were driven; without it the walls stay as they are.
        sweeps: the most rounds through all constants.
        report: told the stage, each round in it and the badness reached; None for silence.

    Returns:
        The car, which knows the laps that it was fitted to.
    """
    driving = [place for place in _places(first) if place[0] not in WALL_CONSTANTS]
    found = _search("driving", Objective(laps, None, first), first, driving, sweeps, report)
    if track is not None:
        walls = [place for place in _places(first) if place[0] in WALL_CONSTANTS]
        found = _search("walls", Objective(laps, track, found), found, walls, sweeps, report)
    return replace(found, name=name, fitted_to=dict(zip(laps.names, laps.sha256, strict=True)))


def _search(
    stage: str,
    objective: Objective,
    first: CarParameters,
    places: list[tuple[str, int | None]],
    sweeps: int,
    report: Report | None,
) -> CarParameters:
    def cost(parameters: CarParameters) -> float:
        shares = np.log([_value(parameters, place) / _value(first, place) for place in places]) / CHANGE
        return objective(parameters) + CHANGE_WEIGHT * float(np.sum(shares * shares))

    best, steps, last = first, np.full(len(places), FIRST_STEP), np.inf
    for sweep in range(sweeps):
        objective.observe_with(best)
        badness = cost(best)
        for number, place in enumerate(places):
            if steps[number] < LAST_STEP:
                continue
            for trial in _trials(best, first, place, float(steps[number])):
                tried = cost(trial)
                if tried < badness - _LEAST_GAIN:
                    best, badness = trial, tried
                    steps[number] *= 1.5
                    break
            else:
                steps[number] *= 0.5
        if report is not None:
            report(stage, sweep + 1, badness)
        if badness > last * (1 - LEAST_PROGRESS):
            break
        last = badness
    return best


def _places(parameters: CarParameters) -> list[tuple[str, int | None]]:
    """All numbers that can be changed: the field, and the place in it where it is a list. A zero stays one."""
    found: list[tuple[str, int | None]] = []
    for name, value in asdict(parameters).items():
        if name in _KNOTS or name in {"name", "fitted_to"}:
            continue
        if isinstance(value, tuple):
            found += [(name, place) for place in range(len(value)) if value[place] > 0]
        elif value > 0:
            found.append((name, None))
    return found


def _trials(
    best: CarParameters, first: CarParameters, place: tuple[str, int | None], step: float
) -> Iterator[CarParameters]:
    """The car with one constant a step larger, then a step smaller."""
    now, begin = _value(best, place), _value(first, place)
    for factor in (1.0 + step, 1.0 / (1.0 + step)):
        # Four digits are more than the recordings tell.
        value = float(f"{now * factor:.4g}")
        if value != now and begin / RANGE <= value <= begin * RANGE:
            yield _changed(best, place, value)


def _value(parameters: CarParameters, place: tuple[str, int | None]) -> float:
    value = getattr(parameters, place[0])
    return float(value if place[1] is None else value[place[1]])


def _changed(parameters: CarParameters, place: tuple[str, int | None], value: float) -> CarParameters:
    name, number = place
    if number is None:
        return replace(parameters, **{name: value})  # type: ignore[arg-type]
    values = list(getattr(parameters, name))
    values[number] = value
    return replace(parameters, **{name: tuple(values)})  # type: ignore[arg-type]

"""Ways to tell where a recorded car will be: the simulated car, and two simple ones to compare it with.

All of them know the recording up to the moment a window begins; the simulated car also knows the controls of the
driver from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S, CarModel
from tmstudio.game.simulator.identification.laps import Laps
from tmstudio.game.simulator.identification.observer import observe
from tmstudio.game.simulator.identification.replay import Barriers, replay
from tmstudio.game.state import BoolArray, FloatArray, IntArray
from tmstudio.track.geometry import Track

PAST_TICKS = 10
"""Ticks of the past over which a turning rate and an acceleration are measured."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """Where N cars are and what they do; all arrays (N,), good until the next one is asked for."""

    x_m: FloatArray
    z_m: FloatArray
    speed_mps: FloatArray
    heading_rad: FloatArray
    gear: IntArray
    skids: BoolArray
    """Any wheel skids."""


Predictor = Callable[[IntArray, int], Iterator[Prediction]]
"""From the moments (N,) at which windows begin and a number of ticks to one prediction for each tick."""


def simulated_car(model: CarModel, laps: Laps, track: Track | None = None) -> Predictor:
    """The simulated car, driven by the recorded controls.

    Args:
        model: the car.
        laps: what was recorded.
        track: where, if it is to stop at walls.
    """
    observed = observe(model, laps)
    barriers = None if track is None else Barriers(track, model)

    def predict(starts: IntArray, ticks: int) -> Iterator[Prediction]:
        cars = observed.take(starts)
        for _ in replay(model, cars, laps, starts, ticks, barriers):
            yield Prediction(
                cars.x_m,
                cars.z_m,
                np.hypot(cars.forward_mps, cars.right_mps),
                cars.heading_rad,
                cars.gear,
                cars.sliding | cars.front_slip,
            )

    return predict


def constant_velocity(laps: Laps) -> Predictor:
    """A car that goes straight on as fast as it is."""
    still = np.zeros(len(laps.lap))
    return _point(laps, still, still)


def constant_turn_rate_and_acceleration(laps: Laps) -> Predictor:
    """A car that goes on turning and changing its speed as in the last 0.1 s."""
    past_s = PAST_TICKS * SUBSTEP_S
    turn, gain = np.zeros(len(laps.lap)), np.zeros(len(laps.lap))
    for begin, end in laps.bounds:
        direction = np.unwrap(laps.direction_rad[begin:end])
        speed = laps.speed_mps[begin:end]
        turn[begin + PAST_TICKS : end] = (direction[PAST_TICKS:] - direction[:-PAST_TICKS]) / past_s
        gain[begin + PAST_TICKS : end] = (speed[PAST_TICKS:] - speed[:-PAST_TICKS]) / past_s
    return _point(laps, turn, gain)


def _point(laps: Laps, turn_rps: FloatArray, gain_mps2: FloatArray) -> Predictor:
    """A point with a turning rate and an acceleration for each moment (T,); gear and slide stay as they are."""

    def predict(starts: IntArray, ticks: int) -> Iterator[Prediction]:
        x_m, z_m = laps.x_m[starts].copy(), laps.z_m[starts].copy()
        for tick in range(1, ticks + 1):
            # The middle of the tick: exact for turning, and for all but the tick in which the car stands still.
            middle_s = (tick - 0.5) * SUBSTEP_S
            speed = np.maximum(laps.speed_mps[starts] + gain_mps2[starts] * middle_s, 0.0)
            direction = laps.direction_rad[starts] + turn_rps[starts] * middle_s
            x_m += speed * np.sin(direction) * SUBSTEP_S
            z_m += speed * np.cos(direction) * SUBSTEP_S
            after_s = tick * SUBSTEP_S
            yield Prediction(
                x_m,
                z_m,
                np.maximum(laps.speed_mps[starts] + gain_mps2[starts] * after_s, 0.0),
                laps.heading_rad[starts] + turn_rps[starts] * after_s,
                laps.gear[starts],
                laps.skidding[starts] > 0,
            )

    return predict

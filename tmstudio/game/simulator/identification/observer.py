"""The full state of the recorded car at each moment, from what was recorded up to then.

A recording has no turning rate, no engine cut and no shift in progress, and its heading trembles by some
milliradians where the velocity does not. So the model is carried along each lap with the recorded controls: in each
tick what was recorded is put in, what was not is what the model says, drawn gently to what the heading shows. Nothing
later than the moment itself is used.
"""

from __future__ import annotations

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S, CarModel, Cars
from tmstudio.game.simulator.identification.laps import Laps
from tmstudio.game.state import FloatArray, IntArray

YAW_SPAN = 4
"""Ticks over which the heading shows a turning rate."""

YAW_GAIN = 0.02
"""Share of the difference between the turning rates of heading and model that is taken over in each tick."""

GRIPS_MPS = 10.0
"""Above this speed a car whose wheels do not all skid drives where its tyres pull it."""

JOLT_MPS2 = 75.0
"""A car that loses speed faster than this has hit something: brake and tyres together do not reach it."""


def observe(model: CarModel, laps: Laps) -> Cars:
    """The states of the recorded car at all moments of the laps."""
    observed = Cars(len(laps.lap))
    begins = np.array([begin for begin, _ in laps.bounds])
    lengths = np.array([end - begin for begin, end in laps.bounds])
    speed = laps.speed_mps
    grips = (speed > GRIPS_MPS) & (laps.skidding < 4)
    yaw, shifted_s, jolt = _yaw_rps(laps), since_shift_up_s(laps), _jolts(laps)
    direction = laps.direction_rad
    # Longest first, so that the laps that still go on are always the first ones.
    order = np.argsort(-lengths, kind="stable")
    cars = Cars(len(order))
    driven = np.zeros((YAW_SPAN, len(order)))  # the model's turning rates in the last ticks
    for tick in range(int(lengths.max())):
        running = int(np.count_nonzero(lengths > tick))
        if running < len(cars.x_m):
            cars, driven = cars.take(np.arange(running)), driven[:, :running]
        at = begins[order[:running]] + tick
        _put_in(model, cars, laps, at, grips, direction, shifted_s)
        difference = np.where(grips[at], YAW_GAIN * (yaw[at] - driven.mean(axis=0)), yaw[at] - cars.yaw_rps)
        cars.yaw_rps += difference
        driven += np.where(grips[at], difference, 0.0)
        driven[tick % YAW_SPAN] = cars.yaw_rps
        cars.engine_cut_s[jolt[at]] = model.parameters.wall_engine_cut_s
        cars.wall_drag_s[jolt[at]] = model.parameters.wall_drag_s
        observed.put(at, cars)
        moving = np.ones(running, dtype=np.bool_)
        model.step(cars, laps.gas[at], laps.brake[at], laps.steer[at], moving)
    return observed


def _put_in(
    model: CarModel,
    cars: Cars,
    laps: Laps,
    at: IntArray,
    grips: np.ndarray[tuple[int], np.dtype[np.bool_]],
    direction: FloatArray,
    shifted_s: FloatArray,
) -> None:
    """Put what was recorded at the moments ``at`` (N,) into the cars (N)."""
    vx, vz = laps.velocity_x_mps[at], laps.velocity_z_mps[at]
    # A car that grips faces where its velocity and the model's slip say; another one where it was seen to face.
    slip = np.arctan2(cars.right_mps, np.maximum(np.hypot(vx, vz), 1.0))
    cars.x_m[:], cars.z_m[:] = laps.x_m[at], laps.z_m[at]
    cars.heading_rad[:] = np.where(grips[at], direction[at] + slip, laps.heading_rad[at])
    sin, cos = np.sin(cars.heading_rad), np.cos(cars.heading_rad)
    cars.forward_mps[:] = vx * sin + vz * cos
    cars.right_mps[:] = vz * sin - vx * cos
    cars.rpm[:], cars.gear[:] = laps.rpm[at], laps.gear[at]
    cars.shift_left_s[:] = np.maximum(model.shift_into_s[cars.gear] - shifted_s[at], 0.0)
    cars.sliding[:] = (laps.skidding[at] == 4) & (np.abs(cars.right_mps) > model.parameters.slide_end_mps)
    cars.front_slip[:] = laps.skidding[at] > 0


def _yaw_rps(laps: Laps) -> FloatArray:
    """(T,) turning rate that the heading shows over the last ticks, + right."""
    yaw = np.zeros(len(laps.lap))
    for begin, end in laps.bounds:
        heading = laps.heading_rad[begin:end]
        yaw[begin + YAW_SPAN : end] = (heading[:-YAW_SPAN] - heading[YAW_SPAN:]) / (YAW_SPAN * SUBSTEP_S)
    return yaw


def since_shift_up_s(laps: Laps) -> FloatArray:
    """(T,) time since the last change to a higher gear, very long before the first."""
    since = np.empty(len(laps.lap))
    for begin, end in laps.bounds:
        gear, at = laps.gear[begin:end], np.arange(end - begin)
        up = np.where(np.diff(gear, prepend=gear[0]) > 0, at, -(10**6))
        since[begin:end] = (at - np.maximum.accumulate(up)) * SUBSTEP_S
    return since


def _jolts(laps: Laps) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(T,) moments at which the car has just hit something."""
    jolt = np.zeros(len(laps.lap), dtype=np.bool_)
    for begin, end in laps.bounds:
        lost = -np.diff(laps.speed_mps[begin:end]) / SUBSTEP_S
        jolt[begin + 1 : end] = lost > JOLT_MPS2
    return jolt


def jolted(laps: Laps, starts: IntArray, ticks: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(N,) windows from ``starts`` in which the recorded car hits something."""
    count = np.concatenate([[0], np.cumsum(_jolts(laps))])
    hit: np.ndarray[tuple[int], np.dtype[np.bool_]] = count[starts + ticks + 1] > count[starts + 1]
    return hit

"""Laps that the simulated car drives on an endless plane, written as recordings are."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S, CarModel, Cars
from tmstudio.game.simulator.parameters import CarParameters
from tmstudio.game.state import FloatArray
from tmstudio.track import lap_file

KEY_TICKS = 30
"""Keys change this often."""

LAUNCH_TICKS = 400
PEDALS = ((1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 1.0))
"""Gas and brake; the first are held during the launch."""


def drive(parameters: CarParameters, seconds: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """Frames (T, 33) and controls (T-1, 3) of a car whose driver presses keys at random."""
    model, cars, ticks = CarModel(parameters), Cars(1), round(seconds / SUBSTEP_S)
    keys = np.random.default_rng(seed)
    frames, controls = np.zeros((ticks, lap_file.FRAME_FIELDS)), np.zeros((ticks, 3))
    for tick in range(ticks):
        if tick % KEY_TICKS == 0:
            pedals = PEDALS[keys.integers(len(PEDALS)) if tick > LAUNCH_TICKS else 0]
            controls[tick] = *pedals, keys.integers(-1, 2)
        else:
            controls[tick] = controls[tick - 1]
        frames[tick] = _frame(cars, tick)
        gas, brake, steer = controls[tick, :, None]
        model.step(cars, gas, brake, steer, np.array([True]))
    return frames, controls[:-1]


def _frame(cars: Cars, tick: int) -> FloatArray:
    heading, forward, right = (float(v[0]) for v in (cars.heading_rad, cars.forward_mps, cars.right_mps))
    sin, cos = np.sin(heading), np.cos(heading)
    frame = np.zeros(lap_file.FRAME_FIELDS)
    frame[lap_file.RACE_TIME_MS] = tick * 10
    frame[lap_file.POSITION] = cars.x_m[0], 0.0, cars.z_m[0]
    frame[lap_file.VELOCITY] = forward * sin - right * cos, 0.0, forward * cos + right * sin
    frame[lap_file.FORWARD] = sin, 0.0, cos
    frame[lap_file.ENGINE_RPM], frame[lap_file.GEAR] = cars.rpm[0], cars.gear[0]
    frame[lap_file.SKIDDING] = 4 if cars.sliding[0] else 2 if cars.front_slip[0] else 0
    return frame


def write(path: Path, frames: FloatArray, controls: FloatArray) -> None:
    """Write a lap as recorders do."""
    np.savez(path, frames=frames, controls=controls)


def moved(frames: FloatArray, controls: FloatArray) -> dict[str, tuple[FloatArray, FloatArray]]:
    """The same lap elsewhere: by a quarter turn, somewhere far off, and in a mirror."""
    turned, shifted, mirrored, steered = frames.copy(), frames.copy(), frames.copy(), controls.copy()
    for columns in (lap_file.POSITION, lap_file.VELOCITY, lap_file.FORWARD):
        x, y, z = frames[:, columns].T
        turned[:, columns] = np.stack([z, y, -x], axis=1)
        mirrored[:, columns] = np.stack([-x, y, z], axis=1)
    shifted[:, lap_file.POSITION] += [1234.5, 10.0, -987.25]
    steered[:, 2] *= -1
    return {"turned": (turned, controls), "shifted": (shifted, controls), "mirrored": (mirrored, steered)}

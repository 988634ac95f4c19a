"""The simulator's car beside the recorded one: a table of what was recorded and what is simulated.

Run ``python tests/bench/report_car.py``; it needs the recordings (``TMSTUDIO_DATA``). Both columns are measured on
the same moments: the car is put into the recorded state, gets the recorded controls, and is looked at a little
later. Nothing is corrected on the way.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tmstudio.game.simulator.car import SUBSTEP_S, CarModel, Cars
from tmstudio.game.simulator.parameters import CarParameters, load_car

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

KMH = 1 / 3.6
SHORT_TICKS = 10
"""How much later an acceleration or a turning rate is looked at."""

WINDOW_EVERY_TICKS = 25
"""Replays of one and three seconds begin this often."""


@dataclass(frozen=True)
class Drive:
    """Laps one after another on the game's grid of 10 ms, all (T,). Frames came at 10 or 20 ms: between two
    frames values are interpolated, controls are those in force."""

    lap: Indices
    time_s: Floats
    x_m: Floats
    z_m: Floats
    heading_rad: Floats
    forward_mps: Floats
    right_mps: Floats
    velocity_x: Floats
    velocity_z: Floats
    rpm: Floats
    gear: Indices
    skidding: Indices
    gas: Floats
    brake: Floats
    steer: Floats
    shifted_s: Floats
    """Time since the last change to a higher gear."""
    yaw_rps: Floats
    """Turning rate of the car, + right."""

    @property
    def speed_mps(self) -> Floats:
        return np.hypot(self.velocity_x, self.velocity_z)

    @property
    def direction_rad(self) -> Floats:
        """Direction of the velocity: free of the noise that the recorded heading has."""
        return np.arctan2(self.velocity_x, self.velocity_z)

    def together(self, first: Indices, ticks: int) -> NDArray[np.bool_]:
        """Which of these places have `ticks` more of the same lap after them."""
        last = first + ticks
        return (last < len(self.lap)) & (self.lap[np.minimum(last, len(self.lap) - 1)] == self.lap[first])


def load_drive(folder: Path, pattern: str) -> Drive:
    """The laps whose file names match, from the folder of the recordings."""
    files = sorted((folder / "tmrl-test" / "laps").glob(pattern))
    if not files:
        raise FileNotFoundError(f"no laps {pattern} below {folder}")
    laps = [_lap(file, index) for index, file in enumerate(files)]
    return Drive(**{name: np.concatenate([lap[name] for lap in laps]) for name in laps[0]})


def _lap(file: Path, index: int) -> dict[str, NDArray[np.generic]]:
    with np.load(file) as archive:
        frames = archive["frames"].astype(np.float64)
        controls = archive["controls"].astype(np.float64)
    controls = np.concatenate([controls, controls[-1:]])
    new = np.r_[True, np.diff(frames[:, 3]) > 0]
    frames, controls = frames[new], controls[new]
    time_s = frames[:, 3] / 1000
    grid = np.arange(time_s[0], time_s[-1] + 1e-9, SUBSTEP_S)
    in_force = np.clip(np.searchsorted(time_s, grid + 1e-9, side="right") - 1, 0, len(time_s) - 1)

    def at(values: Floats) -> Floats:
        return np.interp(grid, time_s, values)

    heading = at(np.unwrap(np.arctan2(frames[:, 10], frames[:, 12])))
    velocity_x, velocity_z = at(frames[:, 7]), at(frames[:, 9])
    sin, cos = np.sin(heading), np.cos(heading)
    gear = frames[in_force, 18].astype(np.intp)
    up = np.flatnonzero(np.diff(gear, prepend=gear[0]) > 0)
    last_up = np.searchsorted(up, np.arange(len(grid)), side="right") - 1
    since = np.where(last_up >= 0, np.arange(len(grid)) - up[np.maximum(last_up, 0)], 10_000)
    yaw = np.zeros(len(grid))
    yaw[2:-2] = -(heading[4:] - heading[:-4]) / (4 * SUBSTEP_S)
    return {
        "lap": np.full(len(grid), index),
        "time_s": grid,
        "x_m": at(frames[:, 4]),
        "z_m": at(frames[:, 6]),
        "heading_rad": heading,
        "forward_mps": velocity_x * sin + velocity_z * cos,
        "right_mps": -velocity_x * cos + velocity_z * sin,
        "velocity_x": velocity_x,
        "velocity_z": velocity_z,
        "rpm": at(frames[:, 17]),
        "gear": gear,
        "skidding": frames[in_force, 27].astype(np.intp),
        "gas": controls[in_force, 0],
        "brake": controls[in_force, 1],
        "steer": controls[in_force, 2],
        "shifted_s": since * SUBSTEP_S,
        "yaw_rps": yaw,
    }


def placed(drive: Drive, first: Indices, parameters: CarParameters) -> Cars:
    """Cars in the recorded states at these places.

    The recorded heading trembles by some milliradians where the velocity does not: cars whose tyres grip get the
    heading that goes with their velocity.
    """
    cars = Cars(len(first))
    cars.x_m[:], cars.z_m[:] = drive.x_m[first], drive.z_m[first]
    forward, right = drive.forward_mps[first], drive.right_mps[first]
    yaw, heading = drive.yaw_rps[first], drive.heading_rad[first]
    grips = (drive.speed_mps[first] > 10.0) & (drive.skidding[first] < 4)
    settled = -yaw * forward / parameters.side_stiffness_per_s
    cars.heading_rad[:] = np.where(
        grips, drive.direction_rad[first] + np.arctan2(settled, np.maximum(forward, 1.0)), heading
    )
    cars.forward_mps[:], cars.right_mps[:] = forward, np.where(grips, settled, right)
    cars.yaw_rps[:], cars.rpm[:], cars.gear[:] = yaw, drive.rpm[first], drive.gear[first]
    shift_s = np.array([0.0, 0.0, *parameters.shift_s])[cars.gear]
    cars.shift_left_s[:] = np.maximum(shift_s - drive.shifted_s[first], 0.0)
    cars.sliding[:] = (drive.skidding[first] == 4) & (np.abs(right) > parameters.slide_end_mps)
    return cars


def replay(drive: Drive, first: Indices, ticks: int, parameters: CarParameters) -> Cars:
    """Cars from the recorded states at ``first``, driven by the recorded controls for ``ticks``."""
    model, cars = CarModel(parameters), placed(drive, first, parameters)
    moving = np.ones(len(first), dtype=np.bool_)
    for tick in range(ticks):
        at = first + tick
        model.step(cars, drive.gas[at], drive.brake[at], drive.steer[at], moving)
    return cars


def replay_errors(drive: Drive, seconds: float, parameters: CarParameters) -> Floats:
    """Distances from the recorded places after replays of this length, all over the laps."""
    ticks = round(seconds / SUBSTEP_S)
    first = np.arange(2, len(drive.lap), WINDOW_EVERY_TICKS)
    first = first[drive.together(first, ticks)]
    cars = replay(drive, first, ticks, parameters)
    return np.hypot(cars.x_m - drive.x_m[first + ticks], cars.z_m - drive.z_m[first + ticks])


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    recorded: float
    simulated: float
    unit: str
    moments: int

    @property
    def difference(self) -> float:
        """Simulated less recorded, as a share of the recorded."""
        return (self.simulated - self.recorded) / abs(self.recorded)


def table(drive: Drive, parameters: CarParameters) -> list[Row]:
    """What was recorded and what is simulated."""
    rows = [*_launch(drive, parameters), *_gears(drive, parameters)]
    straight = (drive.steer == 0) & (np.abs(drive.yaw_rps) < 0.05)
    full = _held(drive, np.abs(drive.steer) == 1, 60)
    gas = _held(drive, drive.gas == 1, 15) & (drive.shifted_s > 0.5)
    coast = _held(drive, (drive.gas == 0) & (drive.brake == 0), 10) & (drive.skidding < 4)
    brake = _held(drive, drive.brake == 1, 10) & (drive.skidding < 4)
    for speed in (15, 35, 50, 62, 70, 81):
        rows += _slope(drive, parameters, f"full gas straight at {speed} m/s", straight & gas, speed)
    for speed in (35, 62, 74, 83):
        rows += _slope(drive, parameters, f"full gas in a full-lock bend at {speed} m/s", full & gas, speed)
    for speed in (28, 35, 50, 66):
        rows += _slope(drive, parameters, f"coasting at {speed} m/s", coast, speed)
    for speed in (35, 46, 58, 70):
        rows += _slope(drive, parameters, f"braking at {speed} m/s", brake, speed)
    grips = full & (drive.skidding < 4)
    for speed in (31, 35, 42, 50, 58, 66, 74, 83):
        rows += _turning(drive, parameters, f"turning at full lock at {speed} m/s", grips, speed)
    rows += _sliding(drive, parameters)
    return rows


def _launch(drive: Drive, parameters: CarParameters) -> list[Row]:
    """Times to reach a speed, with the recorded controls from the recorded starts."""
    starts = np.flatnonzero(np.diff(drive.lap, prepend=-1) != 0)
    ticks = 700
    cars, model = placed(drive, starts, parameters), CarModel(parameters)
    moving = np.ones(len(starts), dtype=np.bool_)
    speeds = []
    for tick in range(ticks):
        at = starts + tick
        model.step(cars, drive.gas[at], drive.brake[at], drive.steer[at], moving)
        speeds.append(np.hypot(cars.forward_mps, cars.right_mps))
    simulated = np.array(speeds)
    recorded = np.array([drive.speed_mps[start + 1 : start + 1 + ticks] for start in starts]).T
    rows = []
    for goal in (50, 100, 200):
        times = [
            [
                (int(np.argmax(speed >= goal * KMH)) + 1) * SUBSTEP_S
                for speed in laps.T
                if speed.max() > goal * KMH
            ]
            for laps in (recorded, simulated)
        ]
        rows.append(
            Row(
                f"0 to {goal} km/h",
                float(np.median(times[0])),
                float(np.median(times[1])),
                "s",
                len(times[0]),
            )
        )
    return rows


def _gears(drive: Drive, parameters: CarParameters) -> list[Row]:
    rows = []
    change = np.diff(drive.gear, append=drive.gear[-1])
    model = CarModel(parameters)
    for gear, limit in enumerate(parameters.shift_up_mps[:3], start=1):
        at = np.flatnonzero((change == 1) & (drive.gear == gear) & (drive.gas == 1))
        speed = float(np.median(drive.forward_mps[at]))
        rows.append(Row(f"gear {gear} to {gear + 1}", speed, limit, "m/s", len(at)))
    for gear, limit in enumerate(parameters.shift_down_mps[1:3], start=2):
        # While slowing down evenly: a crash changes gears on its own terms.
        even = np.abs(np.gradient(drive.speed_mps, SUBSTEP_S)) < 60.0
        at = np.flatnonzero((change == -1) & (drive.gear == gear + 1) & even)
        speed = float(np.median(drive.forward_mps[at]))
        rows.append(Row(f"gear {gear + 1} to {gear}", speed, limit, "m/s", len(at)))
    for gear in (1, 2, 3, 4):
        at = np.flatnonzero(
            (drive.gear == gear) & (drive.shifted_s > 0.6) & (drive.gas == 1) & (drive.speed_mps > 12)
        )
        speed = float(np.median(drive.forward_mps[at]))
        simulated = model.rpm_at(np.array([speed]), np.array([gear]))[0]
        rows.append(
            Row(
                f"rpm in gear {gear} at {speed:.0f} m/s",
                float(np.median(drive.rpm[at])),
                simulated,
                "1/min",
                len(at),
            )
        )
    return rows


def _slope(
    drive: Drive, parameters: CarParameters, what: str, when: NDArray[np.bool_], speed: float
) -> list[Row]:
    """Change of speed over a short while, where ``when`` holds all the time."""
    first = _moments(drive, when, speed)
    if len(first) < 5:
        return []
    cars = replay(drive, first, SHORT_TICKS, parameters)
    before = drive.speed_mps[first]
    span_s = SHORT_TICKS * SUBSTEP_S
    recorded = np.median(drive.speed_mps[first + SHORT_TICKS] - before) / span_s
    simulated = np.median(np.hypot(cars.forward_mps, cars.right_mps) - before) / span_s
    return [Row(what, float(recorded), float(simulated), "m/s2", len(first))]


def _turning(
    drive: Drive, parameters: CarParameters, what: str, when: NDArray[np.bool_], speed: float
) -> list[Row]:
    """Turning rate of the velocity over a short while."""
    first = _moments(drive, when, speed)
    if len(first) < 5:
        return []
    cars = replay(drive, first, SHORT_TICKS, parameters)
    heading = cars.heading_rad - np.arctan2(cars.right_mps, cars.forward_mps)
    before, span_s = drive.direction_rad[first], SHORT_TICKS * SUBSTEP_S
    recorded = np.median(np.abs(_turn(drive.direction_rad[first + SHORT_TICKS] - before))) / span_s
    simulated = np.median(np.abs(_turn(heading - before))) / span_s
    return [Row(what, float(recorded), float(simulated), "rad/s", len(first))]


def _sliding(drive: Drive, parameters: CarParameters) -> list[Row]:
    """Braking in a fast bend: how much of the velocity points sideways 0.12 s later, and the speed lost."""
    ticks = 12
    pressed = np.diff(drive.brake, prepend=0.0) > 0
    first = np.flatnonzero(pressed & (np.abs(drive.yaw_rps * drive.forward_mps) > 66.0))
    first = first[drive.together(first, ticks)]
    if not len(first):
        return []
    cars = replay(drive, first, ticks, parameters)
    recorded, simulated = np.abs(drive.right_mps[first + ticks]), np.abs(cars.right_mps)
    return [
        Row(
            "sideways speed 0.12 s after braking in a fast bend",
            float(np.median(recorded)),
            float(np.median(simulated)),
            "m/s",
            len(first),
        )
    ]


def _held(drive: Drive, what: NDArray[np.bool_], ticks: int) -> NDArray[np.bool_]:
    """Where something has held for at least this many ticks."""
    broken = np.where(what, 0, np.arange(len(what)) + 1)
    since = np.arange(len(what)) + 1 - np.maximum.accumulate(broken)
    return since >= ticks


def _moments(drive: Drive, when: NDArray[np.bool_], speed: float) -> Indices:
    near = when & (np.abs(drive.speed_mps - speed) < 1.5)
    first = np.flatnonzero(near)
    first = first[drive.together(first, SHORT_TICKS)]
    windows = np.lib.stride_tricks.sliding_window_view(when, SHORT_TICKS + 1)
    held: NDArray[np.bool_] = np.all(windows, axis=1)
    return first[held[first]]


def _turn(angle: Floats) -> Floats:
    return np.angle(np.exp(1j * angle))


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table as Markdown."""
    root = Path(__file__).resolve().parents[2]
    folder = (
        Path(arguments[0])
        if arguments
        else Path(os.environ.get("TMSTUDIO_DATA") or root.parent / "shared" / "data")
    )
    parameters = load_car()
    human = load_drive(folder, "human-*.npz")
    everything = load_drive(folder, "*.npz")
    print("| what | recorded | simulated | unit | difference | moments |")
    print("| --- | ---: | ---: | --- | ---: | ---: |")
    for row in table(everything, parameters):
        digits = 0 if abs(row.recorded) > 1000 else 2
        print(
            f"| {row.what} | {row.recorded:.{digits}f} | {row.simulated:.{digits}f} | {row.unit} "
            f"| {row.difference:+.1%} | {row.moments} |"
        )
    print()
    print("| open-loop replay from recorded states | windows | median error | 90th percentile |")
    print("| --- | ---: | ---: | ---: |")
    for name, drive in (("human laps", human), ("all laps, no wall simulated", everything)):
        for seconds in (1.0, 3.0):
            errors = replay_errors(drive, seconds, parameters)
            print(
                f"| {name}, {seconds:.0f} s | {len(errors)} | {np.median(errors):.2f} m "
                f"| {np.percentile(errors, 90):.2f} m |"
            )


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

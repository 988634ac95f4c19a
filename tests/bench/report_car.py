"""The simulator's car beside the recorded one: a table of what was recorded and what is simulated.

Run ``python tests/bench/report_car.py``; it needs the recordings (``TMSTUDIO_DATA``). Both columns are measured on
the same moments: the car is put into the recorded state, gets the recorded controls, and is looked at a little
later. Nothing is corrected on the way. How far longer replays go astray tells ``tmstudio simulator fidelity``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S, CarModel, Cars
from tmstudio.game.simulator.identification.laps import Laps, load_laps
from tmstudio.game.simulator.identification.observer import observe, since_shift_up_s
from tmstudio.game.simulator.identification.replay import replay
from tmstudio.game.simulator.parameters import CarParameters, load_car
from tmstudio.game.state import BoolArray, FloatArray, IntArray

KMH = 1 / 3.6
SHORT_TICKS = 10
"""How much later an acceleration or a turning rate is looked at."""


@dataclass(frozen=True, eq=False)
class Drive:
    """Recorded laps and what the car is seen to do in them; arrays (T,)."""

    laps: Laps
    car: CarParameters
    observed: Cars
    """The whole state of the car at each moment (T)."""
    forward_mps: FloatArray
    right_mps: FloatArray
    shifted_s: FloatArray
    """Time since the last change to a higher gear."""
    yaw_rps: FloatArray
    """Turning rate of the heading around each moment, + right."""

    def together(self, first: IntArray, ticks: int) -> BoolArray:
        """Which of these places have `ticks` more of the same lap after them."""
        lap, last = self.laps.lap, first + ticks
        return (last < len(lap)) & (lap[np.minimum(last, len(lap) - 1)] == lap[first])

    def drive(self, first: IntArray, ticks: int) -> Cars:
        """Cars from the recorded states at ``first``, driven by the recorded controls for ``ticks``."""
        cars = self.observed.take(first)
        for _ in replay(CarModel(self.car), cars, self.laps, first, ticks):
            pass
        return cars


def load_drive(folder: Path, car: CarParameters) -> Drive:
    """All laps of the recordings, seen with this car."""
    laps = load_laps(folder / "tmrl-test" / "laps")
    sin, cos = np.sin(laps.heading_rad), np.cos(laps.heading_rad)
    yaw = np.zeros(len(laps.lap))
    for begin, end in laps.bounds:
        heading = laps.heading_rad[begin:end]
        yaw[begin + 2 : end - 2] = -(heading[4:] - heading[:-4]) / (4 * SUBSTEP_S)
    return Drive(
        laps=laps,
        car=car,
        observed=observe(CarModel(car), laps),
        forward_mps=laps.velocity_x_mps * sin + laps.velocity_z_mps * cos,
        right_mps=laps.velocity_z_mps * sin - laps.velocity_x_mps * cos,
        shifted_s=since_shift_up_s(laps),
        yaw_rps=yaw,
    )


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


def table(drive: Drive) -> list[Row]:
    """What was recorded and what is simulated."""
    rows = [*_launch(drive), *_gears(drive)]
    straight = (drive.laps.steer == 0) & (np.abs(drive.yaw_rps) < 0.05)
    full = _held(drive, np.abs(drive.laps.steer) == 1, 60)
    gas = _held(drive, drive.laps.gas == 1, 15) & (drive.shifted_s > 0.5)
    coast = _held(drive, (drive.laps.gas == 0) & (drive.laps.brake == 0), 10) & (drive.laps.skidding < 4)
    brake = _held(drive, drive.laps.brake == 1, 10) & (drive.laps.skidding < 4)
    for speed in (15, 35, 50, 62, 70, 81):
        rows += _slope(drive, f"full gas straight at {speed} m/s", straight & gas, speed)
    for speed in (35, 62, 74, 83):
        rows += _slope(drive, f"full gas in a full-lock bend at {speed} m/s", full & gas, speed)
    for speed in (28, 35, 50, 66):
        rows += _slope(drive, f"coasting at {speed} m/s", coast, speed)
    for speed in (35, 46, 58, 70):
        rows += _slope(drive, f"braking at {speed} m/s", brake, speed)
    grips = full & (drive.laps.skidding < 4)
    for speed in (31, 35, 42, 50, 58, 66, 74, 83):
        rows += _turning(drive, f"turning at full lock at {speed} m/s", grips, speed)
    rows += _sliding(drive)
    return rows


def _launch(drive: Drive) -> list[Row]:
    """Times to reach a speed, with the recorded controls from the recorded starts."""
    starts = np.flatnonzero(np.diff(drive.laps.lap, prepend=-1) != 0)
    ticks = 700
    cars, model = drive.observed.take(starts), CarModel(drive.car)
    moving = np.ones(len(starts), dtype=np.bool_)
    speeds = []
    for tick in range(ticks):
        at = starts + tick
        model.step(cars, drive.laps.gas[at], drive.laps.brake[at], drive.laps.steer[at], moving)
        speeds.append(np.hypot(cars.forward_mps, cars.right_mps))
    simulated = np.array(speeds)
    recorded = np.array([drive.laps.speed_mps[start + 1 : start + 1 + ticks] for start in starts]).T
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


def _gears(drive: Drive) -> list[Row]:
    rows = []
    change = np.diff(drive.laps.gear, append=drive.laps.gear[-1])
    model = CarModel(drive.car)
    for gear, limit in enumerate(drive.car.shift_up_mps[:3], start=1):
        at = np.flatnonzero((change == 1) & (drive.laps.gear == gear) & (drive.laps.gas == 1))
        speed = float(np.median(drive.forward_mps[at]))
        rows.append(Row(f"gear {gear} to {gear + 1}", speed, limit, "m/s", len(at)))
    for gear, limit in enumerate(drive.car.shift_down_mps[1:3], start=2):
        # While slowing down evenly: a crash changes gears on its own terms.
        even = np.abs(np.gradient(drive.laps.speed_mps, SUBSTEP_S)) < 60.0
        at = np.flatnonzero((change == -1) & (drive.laps.gear == gear + 1) & even)
        speed = float(np.median(drive.forward_mps[at]))
        rows.append(Row(f"gear {gear + 1} to {gear}", speed, limit, "m/s", len(at)))
    for gear in (1, 2, 3, 4):
        at = np.flatnonzero(
            (drive.laps.gear == gear)
            & (drive.shifted_s > 0.6)
            & (drive.laps.gas == 1)
            & (drive.laps.speed_mps > 12)
        )
        speed = float(np.median(drive.forward_mps[at]))
        simulated = model.rpm_at(np.array([speed]), np.array([gear]))[0]
        rows.append(
            Row(
                f"rpm in gear {gear} at {speed:.0f} m/s",
                float(np.median(drive.laps.rpm[at])),
                simulated,
                "1/min",
                len(at),
            )
        )
    return rows


def _slope(drive: Drive, what: str, when: BoolArray, speed: float) -> list[Row]:
    """Change of speed over a short while, where ``when`` holds all the time."""
    first = _moments(drive, when, speed)
    if len(first) < 5:
        return []
    cars = drive.drive(first, SHORT_TICKS)
    before = drive.laps.speed_mps[first]
    span_s = SHORT_TICKS * SUBSTEP_S
    recorded = np.median(drive.laps.speed_mps[first + SHORT_TICKS] - before) / span_s
    simulated = np.median(np.hypot(cars.forward_mps, cars.right_mps) - before) / span_s
    return [Row(what, float(recorded), float(simulated), "m/s2", len(first))]


def _turning(drive: Drive, what: str, when: BoolArray, speed: float) -> list[Row]:
    """Turning rate of the velocity over a short while."""
    first = _moments(drive, when, speed)
    if len(first) < 5:
        return []
    cars = drive.drive(first, SHORT_TICKS)
    heading = cars.heading_rad - np.arctan2(cars.right_mps, cars.forward_mps)
    before, span_s = drive.laps.direction_rad[first], SHORT_TICKS * SUBSTEP_S
    recorded = np.median(np.abs(_turn(drive.laps.direction_rad[first + SHORT_TICKS] - before))) / span_s
    simulated = np.median(np.abs(_turn(heading - before))) / span_s
    return [Row(what, float(recorded), float(simulated), "rad/s", len(first))]


def _sliding(drive: Drive) -> list[Row]:
    """Braking in a fast bend: how much of the velocity points sideways 0.12 s later, and the speed lost."""
    ticks = 12
    pressed = np.diff(drive.laps.brake, prepend=0.0) > 0
    first = np.flatnonzero(pressed & (np.abs(drive.yaw_rps * drive.forward_mps) > 66.0))
    first = first[drive.together(first, ticks)]
    if not len(first):
        return []
    cars = drive.drive(first, ticks)
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


def _held(drive: Drive, what: BoolArray, ticks: int) -> BoolArray:
    """Where something has held for at least this many ticks."""
    broken = np.where(what, 0, np.arange(len(what)) + 1)
    since = np.arange(len(what)) + 1 - np.maximum.accumulate(broken)
    return since >= ticks


def _moments(drive: Drive, when: BoolArray, speed: float) -> IntArray:
    near = when & (np.abs(drive.laps.speed_mps - speed) < 1.5)
    first = np.flatnonzero(near)
    first = first[drive.together(first, SHORT_TICKS)]
    windows = np.lib.stride_tricks.sliding_window_view(when, SHORT_TICKS + 1)
    held: BoolArray = np.all(windows, axis=1)
    return first[held[first]]


def _turn(angle: FloatArray) -> FloatArray:
    return np.angle(np.exp(1j * angle))


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table as Markdown."""
    root = Path(__file__).resolve().parents[2]
    folder = (
        Path(arguments[0])
        if arguments
        else Path(os.environ.get("TMSTUDIO_DATA") or root.parent / "shared" / "data")
    )
    drive = load_drive(folder, load_car())
    print("| what | recorded | simulated | unit | difference | moments |")
    print("| --- | ---: | ---: | --- | ---: | ---: |")
    for row in table(drive):
        digits = 0 if abs(row.recorded) > 1000 else 2
        print(
            f"| {row.what} | {row.recorded:.{digits}f} | {row.simulated:.{digits}f} | {row.unit} "
            f"| {row.difference:+.1%} | {row.moments} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])

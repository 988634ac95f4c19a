"""What the driver shows while it drives: one car's telemetry, and the view over its bonnet."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.env.task import DriveTask
from tmstudio.game.simulator.renderer import HoodRenderer
from tmstudio.runs.live_ring import LiveWriter, new_record
from tmstudio.runtime.collector import Pace
from tmstudio.track.geometry import Track

SOURCE_TRAINING: Final = 0
SOURCE_WATCH: Final = 1


_MOVING_FIELDS: Final = ("position_m", "velocity_mps", "speed_mps", "engine_rpm", "race_time_s", "lidar_m")
_STATE_FIELDS: Final = (
    "position_m",
    "velocity_mps",
    "heading_rad",
    "speed_mps",
    "engine_rpm",
    "gear",
    "skidding_wheels",
    "gas",
    "brake",
    "steer",
    "race_time_s",
)


@dataclass(frozen=True)
class Shown:
    """Which drive is shown, and what goes with it.

    Attributes:
        source: ``SOURCE_TRAINING`` or ``SOURCE_WATCH``.
        car: which of the task's cars.
        attempt: counts its attempts.
        policy_step: step of the policy that drives it.
        pace: how fast the driving goes.
        deadline_misses: steps that came too late for the clock.
    """

    source: int
    car: int
    attempt: int
    policy_step: int
    pace: Pace
    deadline_misses: int


class LiveShow:
    """Writes the live ring while somebody looks.

    Args:
        path: the ring.
        track: what is driven on.
    """

    def __init__(self, path: Path, track: Track) -> None:
        self._ring = LiveWriter(path)
        self._track = track
        self._renderer: HoodRenderer | None = None
        self._next_frame_s = 0.0

    @property
    def wanted(self) -> bool:
        """Whether somebody looks."""
        return self._ring.wanted()

    def show(self, record: NDArray[Any], frames_per_s: float) -> None:
        """Publish a record, with a picture when the next of so many a second is due."""
        now = time.monotonic()
        record["time_s"] = now
        frame = None
        if now >= self._next_frame_s:
            self._next_frame_s = now + 1.0 / frames_per_s
            frame = self._frame(record)
        self._ring.publish(record, frame)

    def close(self) -> None:
        """Close the ring."""
        self._ring.close()

    def _frame(self, record: NDArray[Any]) -> NDArray[np.uint8]:
        if self._renderer is None:  # made when first needed: a run that nobody looks at needs none
            self._renderer = HoodRenderer(self._track)
        return self._renderer.render(record["position_m"], float(record["heading_rad"]))


def record_of(task: DriveTask, shown: Shown) -> NDArray[Any]:
    """Where a car is and how its attempt stands, as a record without a time."""
    car, state, accounts = shown.car, task.state, task.accounts
    record = new_record()
    record["source"] = shown.source
    record["car"] = car
    record["episode"] = shown.attempt
    record["policy_step"] = shown.policy_step
    for name in _STATE_FIELDS:
        record[name] = getattr(state, name)[car]
    furthest_m = task.ratchet.furthest_m[car]
    terms = accounts.terms[car] * task.weights
    record["progress_m"] = furthest_m
    record["progress_fraction"] = furthest_m / task.track.length_m
    record["from_start"] = accounts.from_start[car]
    record["lidar_m"] = task.lidar_m[car]
    record["terms"] = terms
    record["return_"] = terms.sum()
    record["steps_per_s"] = shown.pace.steps_per_s
    record["speed_factor"] = shown.pace.speed_factor
    record["step_ms"] = shown.pace.step_ms
    record["deadline_misses"] = shown.deadline_misses
    return record


def halfway(before: NDArray[Any], after: NDArray[Any]) -> NDArray[Any]:
    """Where the car was between two records of the same attempt; the rest is that of ``after``."""
    record = after.copy()
    for name in _MOVING_FIELDS:
        record[name] = (before[name] + after[name]) / 2
    turn_rad = (float(after["heading_rad"]) - float(before["heading_rad"]) + np.pi) % (2 * np.pi) - np.pi
    record["heading_rad"] = float(before["heading_rad"]) + turn_rad / 2
    return record

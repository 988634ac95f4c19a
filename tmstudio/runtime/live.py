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


@dataclass(frozen=True)
class Shown:
    """Which drive is shown, and what goes with it.

    Attributes:
        source: ``SOURCE_TRAINING`` or ``SOURCE_WATCH``.
        car: which of the task's cars.
        attempt: counts its attempts.
        policy_step: step of the policy that drives it.
        frames_per_s: no more pictures than this.
        pace: how fast the driving goes.
        deadline_misses: steps that came too late for the clock.
    """

    source: int
    car: int
    attempt: int
    policy_step: int
    frames_per_s: float
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

    def show(self, task: DriveTask, shown: Shown) -> None:
        """Publish where one car of ``task`` is now; a picture too when the next is due."""
        if not self._ring.wanted():
            return
        now = time.monotonic()
        frame = None
        if now >= self._next_frame_s:
            self._next_frame_s = now + 1.0 / shown.frames_per_s
            frame = self._frame(task, shown.car)
        self._ring.publish(_record(task, shown, now), frame)

    def close(self) -> None:
        """Close the ring."""
        self._ring.close()

    def _frame(self, task: DriveTask, car: int) -> NDArray[np.uint8]:
        if self._renderer is None:  # made when first needed: a run that nobody looks at needs none
            self._renderer = HoodRenderer(self._track)
        state = task.state
        return self._renderer.render(state.position_m[car], float(state.heading_rad[car]))


def _record(task: DriveTask, shown: Shown, now_s: float) -> NDArray[Any]:
    car, state, accounts = shown.car, task.state, task.accounts
    record = new_record()
    record["time_s"] = now_s
    record["source"] = shown.source
    record["car"] = car
    record["episode"] = shown.attempt
    record["policy_step"] = shown.policy_step
    for name in (
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
    ):
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

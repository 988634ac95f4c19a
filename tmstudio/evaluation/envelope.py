"""Whether a policy moves as recorded cars did: a fast lap must not come from a hole in the simulated car.

Each moment of a drive is a point: speed, turning rate, acceleration. The envelope of the recordings is, at every speed,
the convex hull of the turning rates and accelerations that were recorded about that speed, widened by what a driver at
20 Hz and differences over two steps blur: the diagram of performance that racing engineers call g-g-v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tmstudio.env.task import DriveTask
from tmstudio.game.simulator.identification.laps import Laps

Floats = NDArray[np.float64]
Hull = NDArray[np.float32]

SAMPLE_S: Final = 0.05
"""Recordings are looked at this often, as a policy at 20 Hz is."""

SLICE_MPS: Final = 3.0
"""What was recorded at speeds this near counts for a speed, in m/s."""

MARGIN: Final = (0.05, 1.5)
"""How far beyond the hull still counts as inside: turning rate in rad/s, acceleration in m/s2."""


@dataclass(frozen=True)
class EnvelopeReport:
    """How much of a policy's driving lies inside the envelope of recordings.

    Attributes:
        inside: share of its points.
        points: how many they are.
        recorded_inside: the same share for recorded laps, each against the others: what to expect of a real car.
        laps: names of the recordings.
    """

    inside: float
    points: int
    recorded_inside: float
    laps: tuple[str, ...]


class MotionRecorder:
    """Notes what cars do in trials, step by step."""

    def __init__(self) -> None:
        self._task: DriveTask | None = None
        self._steps: list[tuple[Floats, Floats, NDArray[np.bool_]]] = []
        self._parts: list[Floats] = []

    def __call__(self, task: DriveTask, driving: NDArray[np.bool_]) -> None:
        """Note one step of all cars (N); those that are not ``driving`` no longer count."""
        if task is not self._task:
            self._close()
            self._task = task
        forward = task.state.forward
        heading = np.arctan2(forward[:, 0], forward[:, 2])
        self._steps.append((task.state.speed_mps, heading, driving))

    def points(self) -> Floats:
        """(P, 3) what `motion` says of all drives so far."""
        self._close()
        return np.concatenate([np.zeros((0, 3)), *self._parts])

    def _close(self) -> None:
        """Turn the steps of one task into points."""
        if self._task is None or not self._steps:
            return
        speed, heading, driving = (np.array(column) for column in zip(*self._steps, strict=True))
        for car, count in enumerate(driving.sum(axis=0).tolist()):
            turned = np.unwrap(heading[:count, car])
            self._parts.append(motion(speed[:count, car], turned, self._task.step_s))
        self._steps = []


def motion(speed_mps: Floats, heading_rad: Floats, step_s: float) -> Floats:
    """(T - 2, 3) speed, turning rate without sign, and acceleration in the middle of each two steps."""
    if len(speed_mps) < 3:
        return np.zeros((0, 3))
    turning = np.abs(heading_rad[2:] - heading_rad[:-2]) / (2 * step_s)
    gaining = (speed_mps[2:] - speed_mps[:-2]) / (2 * step_s)
    return np.stack([speed_mps[1:-1], turning, gaining], axis=1)


def recorded_motion(laps: Laps) -> list[Floats]:
    """The points of each recorded lap."""
    every = round(SAMPLE_S / 0.01)
    return [motion(lap.speed_mps[::every], lap.heading_rad[::every], SAMPLE_S) for lap in laps.single()]


class Envelope:
    """The envelope of recorded points.

    Args:
        recorded: (P, 3) points.
    """

    def __init__(self, recorded: Floats) -> None:
        self._recorded = recorded
        self._hulls: dict[int, Hull | None] = {}

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(Q,) which of these points (Q, 3) lie inside."""
        places = (points[:, 1:] / MARGIN).tolist()
        hulls = [self.hull(round(speed)) for speed in points[:, 0].tolist()]
        return np.array(
            [
                hull is not None and cv2.pointPolygonTest(hull, place, True) >= -1
                for hull, place in zip(hulls, places, strict=True)
            ],
            dtype=np.bool_,
        )

    def hull(self, speed_mps: int) -> Hull | None:
        """(C, 2) corners about this speed, in units of `MARGIN`; None where nothing was recorded."""
        if speed_mps not in self._hulls:
            about = self._recorded[np.abs(self._recorded[:, 0] - speed_mps) <= SLICE_MPS, 1:] / MARGIN
            corners = (
                cv2.convexHull(about.astype(np.float32))[:, 0].astype(np.float32) if len(about) else None
            )
            self._hulls[speed_mps] = corners
        return self._hulls[speed_mps]


def compare(driven: Floats, laps: Laps) -> EnvelopeReport:
    """How much of ``driven`` (P, 3) lies inside the envelope of recorded laps."""
    recorded = recorded_motion(laps)
    shares = [
        Envelope(np.concatenate([*recorded[:place], *recorded[place + 1 :]])).inside(points).mean()
        for place, points in enumerate(recorded)
        if len(recorded) > 1
    ]
    return EnvelopeReport(
        inside=float(Envelope(np.concatenate(recorded)).inside(driven).mean()),
        points=len(driven),
        recorded_inside=float(np.mean(shares)) if shares else 1.0,
        laps=laps.names,
    )

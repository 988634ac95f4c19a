"""Recorded laps on the game's own grid of 10 ms, ready to be driven again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from tmstudio.errors import TMStudioError
from tmstudio.game.simulator.car import SUBSTEP_S
from tmstudio.game.state import FloatArray, IntArray
from tmstudio.track import lap_file
from tmstudio.track.lap_file import LapFile, read_lap

FIRST_WINDOW_S: Final = 1.0
WINDOW_EVERY_S: Final = 0.2
"""Windows begin this far into a lap, and this often from then on; they end before the finish."""


@dataclass(frozen=True)
class Laps:
    """Laps one after another on a grid of 10 ms; all arrays (T,).

    Frames come every 10 or 20 ms: between two of them values are interpolated; controls, gear and slide are those
    of the last frame.
    """

    names: tuple[str, ...]
    sha256: tuple[str, ...]
    """Of the files, in the order of their names."""
    lap: IntArray
    """Which lap a moment belongs to."""
    time_s: FloatArray
    """The race clock."""
    x_m: FloatArray
    z_m: FloatArray
    velocity_x_mps: FloatArray
    velocity_z_mps: FloatArray
    heading_rad: FloatArray
    """h with forward = (sin h, cos h) in (x, z); grows to the left, and beyond half a turn."""
    rpm: FloatArray
    gear: IntArray
    skidding: IntArray
    """Wheels that skid, 0 to 4."""
    gas: FloatArray
    brake: FloatArray
    steer: FloatArray
    """-1 to 1, + right."""

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The first moment of each lap, and the one after its last."""
        edges = [*np.flatnonzero(np.diff(self.lap, prepend=-1)).tolist(), len(self.lap)]
        return list(pairwise(edges))

    @property
    def speed_mps(self) -> FloatArray:
        """Speed over ground, absolute."""
        speed: FloatArray = np.hypot(self.velocity_x_mps, self.velocity_z_mps)
        return speed

    @property
    def direction_rad(self) -> FloatArray:
        """Direction of the velocity, measured as the heading is."""
        direction: FloatArray = np.arctan2(self.velocity_x_mps, self.velocity_z_mps)
        return direction

    def windows(self, horizon_s: float, first_s: float = FIRST_WINDOW_S) -> IntArray:
        """Where windows of this length begin: each lies between ``first_s`` into a lap and its finish."""
        every, ticks = round(WINDOW_EVERY_S / SUBSTEP_S), round(horizon_s / SUBSTEP_S)
        return np.concatenate(
            [
                np.arange(
                    max(begin + round((first_s - self.time_s[begin]) / SUBSTEP_S), begin), end - ticks, every
                )
                for begin, end in self.bounds
            ]
        )

    def only(self, names: Sequence[str]) -> Laps:
        """Some of these laps."""
        return join([lap for lap in self.single() if lap.names[0] in names])

    def single(self) -> list[Laps]:
        """Each lap by itself."""
        return [
            Laps(
                names=(self.names[number],),
                sha256=(self.sha256[number],),
                **{name: getattr(self, name)[begin:end] for name in _COLUMNS},
                lap=np.zeros(end - begin, dtype=np.int64),
            )
            for number, (begin, end) in enumerate(self.bounds)
        ]


_COLUMNS = tuple(field.name for field in fields(Laps) if field.name not in {"names", "sha256", "lap"})


def join(laps: Sequence[Laps]) -> Laps:
    """Laps one after another."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(lap, name) for lap in laps]) for name in _COLUMNS
    }
    lengths = [end - begin for lap in laps for begin, end in lap.bounds]
    return Laps(
        names=tuple(name for lap in laps for name in lap.names),
        sha256=tuple(digest for lap in laps for digest in lap.sha256),
        lap=np.repeat(np.arange(len(lengths)), lengths),
        **columns,
    )


def load_laps(folder: Path) -> Laps:
    """All laps of a folder, by name.

    Raises:
        TMStudioError: there is no such folder, no lap in it, or a file that is no usable lap.
    """
    if not folder.is_dir():
        raise TMStudioError(f"There is no folder {folder}.", hint="name a folder with recorded laps (.npz)")
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        raise TMStudioError(f"There are no laps in {folder}.", hint="a lap is a file .npz with telemetry")
    return join(
        [on_the_grid(read_lap(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths]
    )


def on_the_grid(recorded: LapFile, sha256: str = "") -> Laps:
    """One lap on the grid of 10 ms.

    Raises:
        TMStudioError: it is too short to be driven again.
    """
    frames, controls = recorded.frames, recorded.controls
    # Frames of one tick of the race clock are the same moment: the first of them counts.
    new = np.diff(frames[:, lap_file.RACE_TIME_MS], prepend=-1.0) > 0
    frames, controls = frames[new], controls[new]
    time_s = frames[:, lap_file.RACE_TIME_MS] / 1000
    if len(time_s) < 2 or time_s[-1] < 2 * FIRST_WINDOW_S or time_s[0] > FIRST_WINDOW_S:
        raise TMStudioError(
            f"{recorded.name} cannot be driven again.",
            cause="it has to begin at the start and to last some seconds",
            hint="record a whole lap",
        )
    grid = np.arange(time_s[0], time_s[-1] + 1e-9, SUBSTEP_S)
    in_force = np.clip(np.searchsorted(time_s, grid + 1e-9, side="right") - 1, 0, len(time_s) - 1)

    def at(values: FloatArray) -> FloatArray:
        return np.interp(grid, time_s, values)

    position, velocity = frames[:, lap_file.POSITION], frames[:, lap_file.VELOCITY]
    forward = frames[:, lap_file.FORWARD]
    return Laps(
        names=(recorded.name,),
        sha256=(sha256,),
        lap=np.zeros(len(grid), dtype=np.int64),
        time_s=grid,
        x_m=at(position[:, 0]),
        z_m=at(position[:, 2]),
        velocity_x_mps=at(velocity[:, 0]),
        velocity_z_mps=at(velocity[:, 2]),
        heading_rad=at(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2]))),
        rpm=at(frames[:, lap_file.ENGINE_RPM]),
        gear=frames[in_force, lap_file.GEAR].astype(np.int64),
        skidding=frames[in_force, lap_file.SKIDDING].astype(np.int64),
        gas=controls[in_force, 0],
        brake=controls[in_force, 1],
        steer=controls[in_force, 2],
    )

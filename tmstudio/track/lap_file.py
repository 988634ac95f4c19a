"""Recorded laps: NumPy archives with the telemetry of one lap and the controls that drove it.

``frames`` (T, 33) are telemetry in the field order of the Connect plugin, ``controls`` (T-1, 3) gas, brake and
steer in force from one frame to the next.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError

Floats = NDArray[np.float64]

FRAME_FIELDS: Final = 33
FINISHED: Final = 2
RACE_TIME_MS: Final = 3
POSITION: Final = slice(4, 7)
VELOCITY: Final = slice(7, 10)
FORWARD: Final = slice(10, 13)
ENGINE_RPM: Final = 17
GEAR: Final = 18
MATERIALS: Final = slice(23, 27)
SKIDDING: Final = 27
FLYING_MS: Final = 28
"""Columns of a frame."""

_MAX_FRAMES = 1_000_000
_HINT = "a lap is a NumPy archive (.npz) with the arrays frames (T, 33) and controls (T-1, 3)"


@dataclass(frozen=True)
class LapFile:
    """One recorded lap.

    Attributes:
        name: of the file.
        frames: (T, 33) telemetry; race time never falls.
        controls: (T, 3) gas and brake 0 to 1, steer -1 to 1, + right; in force from each frame on.
        finish_time_s: the lap time, where the file has one.
        map_uid: identifier of the map, where the file has one.
    """

    name: str
    frames: Floats
    controls: Floats
    finish_time_s: float | None
    map_uid: str | None


def is_lap_file(path: Path) -> bool:
    """Whether a file looks like a recorded lap, by the names of what is in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"frames.npy", "controls.npy"} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def read_lap(path: Path) -> LapFile:
    """Read one lap.

    Raises:
        TMStudioError: the file is missing, damaged, or holds no lap.
    """
    if not path.is_file():
        raise TMStudioError(f"There is no lap {path}.", hint="check the path")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > _MAX_FRAMES * (FRAME_FIELDS + 3) * 8:
            raise _unusable(path, f"it unpacks to {size / 2**20:.0f} MiB")
        with np.load(path, allow_pickle=False) as archive:
            frames = archive["frames"].astype(np.float64)
            controls = archive["controls"].astype(np.float64)
            finish = float(archive["finish_time_s"]) if "finish_time_s" in archive else None
            uid = str(archive["map_uid"]) if "map_uid" in archive else None
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError) as error:
        raise _unusable(path, str(error)) from error
    if frames.ndim != 2 or frames.shape[1] != FRAME_FIELDS or len(frames) < 2:
        raise _unusable(path, f"its frames have the shape {frames.shape}")
    if controls.shape != (len(frames) - 1, 3):
        raise _unusable(path, f"its controls have the shape {controls.shape}, its frames {frames.shape}")
    if not (np.isfinite(frames).all() and np.isfinite(controls).all()):
        raise _unusable(path, "it has values that are not finite numbers")
    return LapFile(path.name, frames, np.concatenate([controls, controls[-1:]]), finish, uid)


def _unusable(path: Path, cause: str) -> TMStudioError:
    return TMStudioError(f"{path.name} is not a usable lap.", cause=cause, hint=_HINT)

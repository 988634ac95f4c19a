"""What the driver shows of itself, made ready for painting. Plain Python, no Qt."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tmstudio.game.simulator.camera import project_beams
from tmstudio.runs.live_ring import LiveReader

TRAINING, WATCH = 0, 1
"""What the car is shown for: `source` of a record."""

_LONGEST_GUESS_S = 0.1


@dataclass(frozen=True)
class Picture:
    """A frame of the driver's view.

    Attributes:
        pixels: (488, 958, 4) uint8, BGR and an unused byte.
        beam_ends_px: (19, 2) where the LIDAR beams end, or None where their record is gone.
        time_s: monotonic clock when it was drawn.
    """

    pixels: NDArray[np.uint8]
    beam_ends_px: NDArray[np.float64] | None
    time_s: float


@dataclass(frozen=True)
class LiveBatch:
    """What came since the last look: records, oldest first, and the newest picture if there is a new one."""

    records: NDArray[Any]
    picture: Picture | None

    def __bool__(self) -> bool:
        return bool(len(self.records)) or self.picture is not None


class LiveSource:
    """Looks into a driver's ring, and keeps it writing by looking."""

    def __init__(self, path: Path) -> None:
        self._reader = LiveReader(path)
        self._index = 0
        self._frame = 0
        self._started = False
        self._lidar: dict[int, NDArray[np.float32]] = {}
        # Loaded by the thread that looks, when it begins to: it would take a fifth of the window's start.
        import cv2

        self._with_fourth_byte = lambda image: cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)

    def read(self) -> LiveBatch:
        """What is new. The first look gives the newest record only, whatever the ring still holds."""
        self._reader.beat()
        if not self._started:
            self._index = max(self._reader.newest_index() - 1, 0)
            self._started = self._index > 0
        records = self._reader.records_since(self._index)
        for record in records:
            self._lidar[int(record["index"])] = record["lidar_m"]
        while len(self._lidar) > 256:
            del self._lidar[next(iter(self._lidar))]
        if len(records):
            self._started = True
            self._index = int(records["index"][-1])
        frame = self._reader.frame(self._frame)
        picture = None
        if frame is not None:
            self._frame = frame.number
            lidar = self._lidar.get(frame.index)
            pixels = self._with_fourth_byte(frame.image)
            picture = Picture(
                np.asarray(pixels, dtype=np.uint8),
                None if lidar is None else project_beams(lidar),
                frame.time_s,
            )
        return LiveBatch(records, picture)

    def close(self) -> None:
        """Stop looking."""
        self._reader.close()


class CarMotion:
    """Where the car is between two records: carried on along its velocity for a moment."""

    def __init__(self) -> None:
        self._record: Any | None = None

    def take(self, record: Any) -> None:
        """Go on from a new record."""
        self._record = record

    def clear(self) -> None:
        """Forget the car."""
        self._record = None

    def position_xz(self, now_s: float | None = None) -> tuple[float, float] | None:
        """(x, z) at a moment of the monotonic clock, now if None."""
        record = self._record
        if record is None:
            return None
        rate = float(record["speed_factor"])
        rate = rate if math.isfinite(rate) and rate > 0 else 1.0
        passed_s = (time.monotonic() if now_s is None else now_s) - float(record["time_s"])
        ahead_s = min(max(passed_s * rate, 0.0), _LONGEST_GUESS_S)
        position, velocity = record["position_m"], record["velocity_mps"]
        return float(position[0] + velocity[0] * ahead_s), float(position[2] + velocity[2] * ahead_s)

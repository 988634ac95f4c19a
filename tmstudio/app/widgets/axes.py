"""What charts share: round positions for a grid, and polygons made from arrays at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPolygonF
from shiboken6 import VoidPtr

from tmstudio.app import formatting

_TIME_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)


def round_steps(low: float, high: float, wanted: int) -> NDArray[np.float64]:
    """About ``wanted`` round values strictly inside ``low`` to ``high``."""
    rough = (high - low) / max(wanted, 1)
    if not math.isfinite(rough) or rough <= 0:
        return np.array([])
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    margin = 0.02 * (high - low)
    first, last = math.ceil((low + margin) / step), math.floor((high - margin) / step)
    return np.arange(first, last + 1, dtype=np.float64) * step


def axis_texts(values: NDArray[np.float64], unit: str) -> list[str]:
    """The values of a grid with as many decimals as tell them apart. The unit ``%`` is for shares of one."""
    scaled = values * 100 if unit == "%" else values
    step = float(scaled[1] - scaled[0]) if len(scaled) > 1 else float(abs(scaled[0])) if len(scaled) else 1.0
    digits = 0 if step >= 1 or step <= 0 else min(-math.floor(math.log10(step)), 6)
    if digits and abs(step * 10**digits - round(step * 10**digits)) > 1e-6:
        digits += 1  # steps of 0.25
    suffix = f" {unit}" if unit else ""
    return [f"{formatting.decimal(float(number), digits)}{suffix}" for number in scaled]


def time_steps(low_s: float, high_s: float, wanted: int) -> list[tuple[float, str]]:
    """About ``wanted`` round times inside ``low_s`` to ``high_s`` with their texts."""
    span = high_s - low_s
    step = next((step for step in _TIME_STEPS_S if span / step <= wanted), _TIME_STEPS_S[-1])
    first, last = math.ceil(max(low_s, 0) / step), math.floor(high_s / step)
    return [(float(index * step), _time_text(index * step, step)) for index in range(first, last + 1)][:200]


def _time_text(seconds: float, step: float) -> str:
    if seconds >= 3600 and seconds % 3600 == 0:
        return f"{seconds / 3600:.0f} h"
    if step >= 60 and seconds < 3600:
        return f"{seconds / 60:.0f} min" if seconds else "0"
    return f"{seconds:.0f} s" if seconds < 60 else formatting.clock(seconds)


def polygon(x: NDArray[np.float64], y: NDArray[np.float64]) -> QPolygonF:
    """A polygon of the points (x, y), filled as one block of memory instead of point by point."""
    made = QPolygonF()
    count = len(x)
    if count == 0:
        return made
    made.resize(count)
    block = VoidPtr(made.data(), 16 * count, True)  # type: ignore[call-arg, arg-type] # the stub lacks this form
    points = np.frombuffer(block, dtype=np.float64).reshape(-1, 2)
    points[:, 0] = x
    points[:, 1] = y
    return made

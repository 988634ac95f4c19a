"""Whether learning still makes sense, or has run away and must go back to a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Mapping

_MARGIN = 10.0


def value_limit(largest_reward: float, gamma: float) -> float:
    """Magnitude that no sound value estimate reaches: ten times the largest reward at every step for ever."""
    return _MARGIN * max(largest_reward, 1.0) / (1 - gamma)


def problem_of(metrics: Mapping[str, float], limit: float) -> str:
    """What is wrong with an algorithm's metrics, in words; empty where nothing is.

    Args:
        metrics: name -> number.
        limit: see :func:`value_limit`.
    """
    for name, value in metrics.items():
        if not math.isfinite(value):
            return f"{name} is {value}"
    value = metrics.get("value/q_mean", 0.0)
    if abs(value) > limit:
        return f"the value estimate is {value:.0f}, beyond anything that the rewards allow ({limit:.0f})"
    return ""


def is_healthy(metrics: Mapping[str, float], limit: float) -> bool:
    """Whether learning may go on from here; otherwise roll back to the last checkpoint."""
    return not problem_of(metrics, limit)

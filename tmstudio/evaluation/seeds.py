"""The published seeds that trial starts are drawn from.

Trials during training choose the best checkpoint; a lap that chose it says too much good about it. So what is
reported is driven from other starts.
"""

from __future__ import annotations

from typing import Final

from tmstudio.errors import TMStudioError

SELECTION_SEEDS: Final = range(1_000, 2_000)
"""Starts of the trials during training, which choose the best checkpoint."""

REPORT_SEEDS: Final = range(10_000, 11_000)
"""Starts of the trials that are reported."""


def first_seeds(seeds: range, count: int) -> tuple[int, ...]:
    """The first ``count`` of a published list."""
    if not 1 <= count <= len(seeds):
        raise TMStudioError(
            f"{count} trials cannot be driven.",
            hint=f"ask for 1 to {len(seeds)}: each has a start of its own",
        )
    return tuple(seeds[:count])

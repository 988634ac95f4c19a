"""How driving and learning keep step.

Both counts only matter from where this learner process began: a resumed run goes on at once with the ratios that it
is now configured with, whatever they were before.
"""

from __future__ import annotations

from typing import Final

from tmstudio.config.run_config import RunConfig

WINDOW_STEPS_PER_CAR: Final = 64
"""Steps that each car may be ahead, so that what is still on its way never stops the driving."""


class Pacer:
    """Says how many updates may be made and how many steps may be driven.

    Args:
        config: the run's configuration.
        steps: steps driven so far.
        updates: updates made so far.
    """

    def __init__(self, config: RunConfig, steps: int, updates: int) -> None:
        pacing = config.pacing
        self._updates_per_step_at_most = pacing.max_updates_per_step
        self._steps_per_update_at_most = (
            1.0 / pacing.min_updates_per_step if pacing.min_updates_per_step > 0.0 else None
        )
        if config.game.pace == "real time":
            self._steps_per_update_at_most = None  # a clock does not wait
        self._warmup = config.replay.warmup
        self._budget_steps = config.budget.steps
        self._window = WINDOW_STEPS_PER_CAR * config.game.cars
        self._first_step = max(steps, self._warmup)
        self._first_update = updates

    def may_update(self, steps: int, updates: int) -> bool:
        """Whether another update may be made after ``steps`` steps and ``updates`` updates."""
        if steps < self._warmup:
            return False
        # What was driven in the warm-up, or before this process, is there to be learned from.
        earned = (steps - self._first_step + self._window) * self._updates_per_step_at_most
        return updates - self._first_update < earned

    def step_limit(self, updates: int) -> int:
        """Steps that may be driven in all after ``updates`` updates."""
        if self._steps_per_update_at_most is None:
            return self._budget_steps
        earned = int((updates - self._first_update) * self._steps_per_update_at_most)
        return min(self._first_step + self._window + earned, self._budget_steps)

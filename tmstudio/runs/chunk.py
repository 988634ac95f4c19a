"""A stretch of driving by one car: what travels from the driver to the learner and into the replay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError


@dataclass(frozen=True)
class Chunk:
    """T transitions in a row of one car within one episode; T >= 1.

    An episode may only end at the last transition, so ``observations[T]`` is always the true next observation
    of the last transition: the final observation where the episode ended, never the first of the next one.

    Attributes:
        observations: (T + 1, D) float32, raw (not normalised).
        actions: (T, A) float32 in [-1, 1], as they were sent.
        reward_terms: (T, K) float32, unweighted, in the terms' natural units.
        terminated: (T,) bool, the attempt ended by itself (finish, stuck, wrong way).
        truncated: (T,) bool, the attempt was cut off from outside (time limit).
    """

    observations: NDArray[np.float32]
    actions: NDArray[np.float32]
    reward_terms: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]

    def __len__(self) -> int:
        """Number of transitions T."""
        return len(self.actions)

    @property
    def ends_episode(self) -> bool:
        """Whether the episode ended at the last transition."""
        return bool(self.terminated[-1] or self.truncated[-1])

    def check(self) -> Chunk:
        """Return this chunk, or raise where it cannot be real driving. For everything that comes from outside."""
        steps = len(self.actions)
        shapes_fit = (
            steps >= 1
            and self.observations.ndim == self.actions.ndim == self.reward_terms.ndim == 2
            and len(self.observations) == steps + 1
            and len(self.reward_terms) == steps
            and self.terminated.shape == self.truncated.shape == (steps,)
        )
        if not shapes_fit:
            raise _broken(
                f"shapes {self.observations.shape}, {self.actions.shape}, {self.reward_terms.shape}, "
                f"{self.terminated.shape} and {self.truncated.shape} do not belong together"
            )
        numbers = (self.observations, self.actions, self.reward_terms)
        if any(array.dtype != np.float32 for array in numbers) or any(
            array.dtype != np.bool_ for array in (self.terminated, self.truncated)
        ):
            raise _broken("numbers must be float32 and ends must be bool")
        if not all(np.isfinite(array).all() for array in numbers):
            raise _broken("it holds numbers that are not finite")
        if self.terminated[:-1].any() or self.truncated[:-1].any():
            raise _broken("an episode ends before the last transition")
        return self


def _broken(cause: str) -> TMStudioError:
    return TMStudioError(
        "A stretch of driving cannot be used",
        cause=cause,
        hint="driver and learner must be the same version of TMStudio; restart both",
    )

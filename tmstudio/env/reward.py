"""The reward's terms in their natural units, and the weights that turn them into one number.

Terms are kept raw, so that stored driving can be paid by other weights later. All that the terms of the default
weights depend on is part of the observation: place, speed, the wall beside the car, the time without progress.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tmstudio.config.run_config import Reward

REWARD_TERMS = ("progress", "time", "finish", "failure", "wall_contact", "steering")
"""progress: metres driven for the first time; time: seconds passed; finish, failure: 1 in the step it happens;
wall_contact: seconds against a wall or beside the road; steering: change of the wheel since the last step, 1 from lock to lock."""

WALL_CONTACT_M = 1.0
"""A car whose centre is further than this beyond a border leans on the wall, which stops it at 1.1 m, or is out on
the grass where there is no wall."""


def reward_weights(config: Reward) -> NDArray[np.float64]:
    """(K,) weights in the order of `REWARD_TERMS`."""
    return np.array([getattr(config, term) for term in REWARD_TERMS], dtype=np.float64)


def reward_terms(
    *,
    progress_m: NDArray[np.float64],
    elapsed_s: NDArray[np.float64],
    finished: NDArray[np.bool_],
    failed: NDArray[np.bool_],
    beyond_border_m: NDArray[np.float64],
    step_s: float,
    steer: NDArray[np.float32],
    last_steer: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The raw terms of one step.

    Args:
        progress_m: (N,) metres driven for the first time.
        elapsed_s: (N,) time passed: the step, or up to the finish line in the step that crosses it.
        finished: (N,) cars that crossed the finish line in this step.
        failed: (N,) cars that got stuck or drove the wrong way.
        beyond_border_m: (N,) how far the car's centre is beyond the nearer border, negative inside.
        step_s: length of the step.
        steer: (N,) steering that the policy now sends, -1 to 1.
        last_steer: (N,) steering that it sent one step before.

    Returns:
        (N, K) in the order of `REWARD_TERMS`.
    """
    terms = np.empty((len(progress_m), len(REWARD_TERMS)), dtype=np.float32)
    terms[:, 0] = progress_m
    terms[:, 1] = elapsed_s
    terms[:, 2] = finished
    terms[:, 3] = failed
    terms[:, 4] = np.where(beyond_border_m > WALL_CONTACT_M, step_s, 0.0)
    terms[:, 5] = np.abs(steer - last_steer) * 0.5
    return terms

"""n-step labels: what a critic regresses on, computed from rewards and from where each stretch of driving ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Labels:
    """The n-step view of M transitions.

    Attributes:
        returns: (M,) float32, discounted sum of the next ``steps`` rewards.
        discounts: (M,) float32, γ^steps, or 0 where the attempt terminates within these steps.
        steps: (M,) uint8, rows from the transition to the observation that is bootstrapped from.
    """

    returns: NDArray[np.float32]
    discounts: NDArray[np.float32]
    steps: NDArray[np.uint8]


def n_step_labels(
    rewards: NDArray[np.float32],
    steps_left: NDArray[np.int32],
    terminates: NDArray[np.bool_],
    *,
    n_step: int,
    gamma: float,
) -> Labels:
    """Label M transitions that follow one another.

    A termination does not bootstrap. A truncation, and a stretch that merely ends here and goes on in another
    one, bootstraps from its last observation after as many steps as there are.

    Args:
        rewards: (M + n_step - 1,) rewards of these transitions and of what follows them.
        steps_left: (M,) transitions up to the end of the stretch, this one included; 0 for an end marker.
        terminates: (M,) whether the stretch ends by termination.
        n_step: most steps of real reward.
        gamma: discount of one step.
    """
    count = len(steps_left)
    steps = np.minimum(steps_left, n_step)
    returns = np.zeros(count, np.float32)
    for ahead in range(n_step):
        returns += np.where(
            ahead < steps, np.float32(gamma**ahead) * rewards[ahead : ahead + count], np.float32(0)
        )
    powers = (gamma ** np.arange(n_step + 1)).astype(np.float32)
    reaches_the_end = terminates & (steps_left <= n_step)
    discounts = np.where(reaches_the_end, np.float32(0), powers[steps])
    return Labels(returns, discounts, steps.astype(np.uint8))

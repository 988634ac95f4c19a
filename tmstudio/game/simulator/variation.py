"""Cars that differ from the identified one, so that a policy does not rely on constants known only so well."""

from __future__ import annotations

import numpy as np

from tmstudio.game.simulator.car import Cars
from tmstudio.game.state import IntArray


class CarVariation:
    """Draws how each car differs: the randomised dynamics of Peng et al. (arXiv 1710.06537).

    Args:
        share: the largest difference of each factor, as a share of the constant.
        rng: where the differences are drawn from.
    """

    def __init__(self, share: float, rng: np.random.Generator) -> None:
        self._share = share
        self._rng = rng

    def draw(self, cars: Cars, places: IntArray) -> None:
        """Make other cars of those at these places (n,)."""
        for factor in (cars.drive_factor, cars.slowing_factor, cars.turning_factor, cars.grip_factor):
            factor[places] = 1.0 + self._rng.uniform(-self._share, self._share, len(places))

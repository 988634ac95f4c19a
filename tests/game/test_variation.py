"""Cars that differ from the identified one: how far, and that nothing changes where nothing is varied."""

from __future__ import annotations

import numpy as np
import pytest

from tmstudio.game.simulator.car import Cars
from tmstudio.game.simulator.starts import spawn_starts
from tmstudio.game.simulator.variation import CarVariation
from tmstudio.game.simulator.world import Simulator
from tmstudio.game.state import Controls
from tmstudio.track.library import TrackLibrary

CARS = 200
FACTORS = ("drive_factor", "slowing_factor", "turning_factor", "grip_factor")


@pytest.mark.parametrize("name", FACTORS)
def test_the_factors_fill_the_share_and_do_not_leave_it(name: str) -> None:
    cars = Cars(CARS)
    CarVariation(0.2, np.random.default_rng(1)).draw(cars, np.arange(CARS))
    factor = getattr(cars, name)
    assert 0.8 <= factor.min() < 0.82
    assert 1.18 < factor.max() <= 1.2


def test_only_the_cars_at_the_places_become_others() -> None:
    cars = Cars(4)
    CarVariation(0.2, np.random.default_rng(1)).draw(cars, np.array([1, 3]))
    for name in FACTORS:
        assert (getattr(cars, name) == 1.0).tolist() == [True, False, True, False]


def driven_m(variation: CarVariation | None) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How far cars come in three seconds of full gas from the start line."""
    track = TrackLibrary().load("summit")
    simulator = Simulator(track, 16, variation=variation)
    starts = spawn_starts(track, 16)
    simulator.reset(np.ones(16, dtype=np.bool_), starts)
    full = Controls(np.ones(16), np.zeros(16), np.zeros(16))
    for _ in range(60):
        simulator.advance(full, 0.05)
    return np.linalg.norm(simulator.observe().position_m - starts.position_m, axis=1)


def test_a_share_of_nothing_is_the_car_as_it_is() -> None:
    plain = driven_m(None)
    assert driven_m(CarVariation(0.0, np.random.default_rng(1))).tolist() == plain.tolist()
    assert len(set(plain.tolist())) == 1


def test_varied_cars_drive_differently_but_not_absurdly() -> None:
    plain, varied = driven_m(None)[0], driven_m(CarVariation(0.1, np.random.default_rng(1)))
    assert len(set(varied.tolist())) == 16
    assert np.all(np.abs(varied / plain - 1.0) < 0.15)

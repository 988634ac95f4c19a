"""The car: what any car does, and what the recorded one did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.bench.report_car import load_drive, table
from tmstudio.game.simulator.car import CarModel, Cars
from tmstudio.game.simulator.parameters import load_car


def driven(
    ticks: int, *, gas: float = 0.0, brake: float = 0.0, steer: float = 0.0, speed_mps: float = 0.0
) -> Cars:
    """One car after some ticks of the same controls."""
    model, cars = CarModel(load_car()), Cars(1)
    cars.forward_mps[:] = speed_mps
    cars.gear[:] = model.gear_at(cars.forward_mps)
    for _ in range(ticks):
        model.step(cars, np.array([gas]), np.array([brake]), np.array([steer]), np.array([True]))
    return cars


def test_full_gas_ends_at_a_top_speed() -> None:
    almost, later = (driven(ticks, gas=1.0, speed_mps=100.0) for ticks in (2000, 3000))
    assert 100.0 < later.forward_mps[0] < 145.0
    assert 0.0 <= later.forward_mps[0] - almost.forward_mps[0] < 2.0
    assert later.gear[0] == 5


def test_a_car_left_alone_rolls_out_and_stands() -> None:
    cars = driven(1500, speed_mps=60.0)
    assert cars.forward_mps[0] == 0.0
    assert cars.z_m[0] > 100.0


def test_the_brake_stops_the_car_and_then_drives_it_backwards() -> None:
    cars = driven(400, brake=1.0, speed_mps=30.0)
    assert cars.forward_mps[0] < -3.0
    assert cars.gear[0] == 0
    assert driven(60, brake=1.0, speed_mps=30.0).forward_mps[0] < 30.0 - 12.0


def test_gas_in_reverse_slows_down_and_drives_off() -> None:
    cars = driven(120, gas=1.0, speed_mps=-8.0)
    assert 3.0 < cars.forward_mps[0] < 20.0
    assert cars.gear[0] == 1


@pytest.mark.parametrize("speed_mps", [8.0, 30.0, 70.0])
def test_positive_steering_turns_right(speed_mps: float) -> None:
    cars = driven(30, gas=1.0, steer=1.0, speed_mps=speed_mps)
    # Facing +z the right side is -x, and the heading falls.
    assert cars.heading_rad[0] < -0.05
    assert cars.x_m[0] < 0.0


def test_in_reverse_the_same_steering_turns_the_other_way() -> None:
    cars = driven(50, brake=1.0, steer=1.0, speed_mps=-6.0)
    assert cars.heading_rad[0] > 0.05


def test_left_and_right_are_mirror_images() -> None:
    left = driven(150, gas=1.0, steer=-0.7, speed_mps=50.0)
    right = driven(150, gas=1.0, steer=0.7, speed_mps=50.0)
    assert left.x_m[0] == pytest.approx(-right.x_m[0])
    assert left.z_m[0] == pytest.approx(right.z_m[0])


def test_less_steering_turns_less() -> None:
    turned = [-driven(100, gas=1.0, steer=steer, speed_mps=50.0).heading_rad[0] for steer in (0.2, 0.5, 1.0)]
    assert 0.0 < turned[0] < turned[1] < turned[2]


def test_braking_in_a_fast_bend_slides_and_the_slide_ends() -> None:
    model, cars = CarModel(load_car()), Cars(1)
    cars.forward_mps[:] = 72.0
    yes, one, none = np.array([True]), np.ones(1), np.zeros(1)
    for _ in range(100):
        model.step(cars, one, none, one, yes)
    assert not cars.sliding[0]
    for _ in range(15):
        model.step(cars, none, one, one, yes)
    assert cars.sliding[0]
    assert abs(cars.right_mps[0]) > 3.0
    for _ in range(100):
        model.step(cars, one, none, none, yes)
    assert not cars.sliding[0]
    assert abs(cars.right_mps[0]) < 0.5


def test_a_car_out_of_time_stays_exactly_as_it_is() -> None:
    model, cars = CarModel(load_car()), Cars(2)
    cars.forward_mps[:], cars.right_mps[:], cars.yaw_rps[:] = 46.0, 3.0, 0.5
    before = {name: value.copy() for name, value in vars(cars).items()}
    for _ in range(20):
        model.step(cars, np.ones(2), np.ones(2), np.ones(2), np.array([False, True]))
    for name, value in vars(cars).items():
        assert np.array_equal(value[0], before[name][0]), name
    assert cars.z_m[1] > 5.0


def test_the_car_drives_as_the_recorded_one(data_dir: Path) -> None:
    rows = table(load_drive(data_dir, load_car()))
    assert len(rows) > 30
    off = {row.what: f"{row.difference:+.1%}" for row in rows if abs(row.difference) > 0.04}
    off = {what: by for what, by in off.items() if "sideways" not in what}
    assert not off
    (sideways,) = [row for row in rows if "sideways" in row.what]
    assert abs(sideways.difference) < 0.15

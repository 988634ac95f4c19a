"""Races in the simulator: time, gates, walls, and that a car drives the same in any company."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmstudio.errors import TMStudioError
from tmstudio.game.interface import Starts
from tmstudio.game.simulator.starts import random_starts, spawn_starts
from tmstudio.game.simulator.walls import WALL_M
from tmstudio.game.simulator.world import Simulator
from tmstudio.game.state import GRASS_MATERIAL, ROAD_MATERIAL, Controls, VehicleState
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary

STEP_S = 0.05


def controls(cars: int, gas: float = 0.0, brake: float = 0.0, steer: float = 0.0) -> Controls:
    return Controls(np.full(cars, gas), np.full(cars, brake), np.full(cars, steer))


def some_controls(rng: np.random.Generator, cars: int) -> Controls:
    return Controls(
        rng.uniform(0.0, 1.0, cars),
        (rng.uniform(size=cars) < 0.1).astype(np.float64),
        rng.uniform(-1.0, 1.0, cars),
    )


def rolling(track: Track, along_m: float, speed_mps: float, count: int = 1) -> Starts:
    """Cars in the middle of the road at a progress, rolling along it."""
    position, heading = track.place(np.full(count, track.start_arc_m + along_m))
    return Starts(
        position_m=position,
        heading_rad=heading,
        speed_mps=np.full(count, speed_mps),
        arc_m=np.full(count, track.start_arc_m + along_m),
        race_time_s=np.zeros(count),
        lateral_mps=np.zeros(count),
    )


def everyone(simulator: Simulator) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.ones(simulator.cars, dtype=np.bool_)


def assert_same(one: VehicleState, other: VehicleState, cars: list[int] | slice = slice(None)) -> None:
    for field in fields(VehicleState):
        np.testing.assert_array_equal(
            getattr(one, field.name)[cars], getattr(other, field.name)[cars], err_msg=field.name
        )


def drive(track: Track, starts: Starts, commands: list[Controls], step_s: float = STEP_S) -> VehicleState:
    simulator = Simulator(track, starts.count)
    simulator.reset(everyone(simulator), starts)
    for command in commands:
        simulator.advance(command, step_s)
    return simulator.observe()


@pytest.fixture(scope="module")
def valley() -> Track:
    return TrackLibrary().load("valley")


def test_the_same_controls_give_the_same_drive(valley: Track) -> None:
    starts = random_starts(valley, 8, np.random.default_rng(3))
    rng = np.random.default_rng(4)
    commands = [some_controls(rng, 8) for _ in range(60)]
    assert_same(drive(valley, starts, commands), drive(valley, starts, commands))


def test_the_same_seed_gives_the_same_starts(valley: Track) -> None:
    one, other = (random_starts(valley, 20, np.random.default_rng(5)) for _ in range(2))
    for field in fields(Starts):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name))


def test_a_car_drives_in_a_batch_as_it_does_alone(valley: Track) -> None:
    starts = random_starts(valley, 6, np.random.default_rng(6))
    rng = np.random.default_rng(7)
    commands = [some_controls(rng, 6) for _ in range(60)]
    together = drive(valley, starts, commands)
    for car in range(6):
        alone = drive(
            valley,
            Starts(**{field.name: getattr(starts, field.name)[[car]] for field in fields(Starts)}),
            [Controls(c.gas[[car]], c.brake[[car]], c.steer[[car]]) for c in commands],
        )
        for field in fields(VehicleState):
            np.testing.assert_array_equal(
                getattr(alone, field.name)[0], getattr(together, field.name)[car], err_msg=field.name
            )


def test_how_time_is_cut_up_does_not_matter(valley: Track) -> None:
    starts = random_starts(valley, 5, np.random.default_rng(8))
    command = controls(5, gas=1.0, steer=0.3)
    long, short = Simulator(valley, 5), Simulator(valley, 5)
    for simulator in (long, short):
        simulator.reset(everyone(simulator), starts)
    for _ in range(20):
        long.advance(command, 0.05)
        short.advance(command, 0.01)
        short.advance(command, 0.04)
    np.testing.assert_array_equal(long.observe().position_m, short.observe().position_m)


@pytest.mark.parametrize("duration_s", [0.0, 0.005, 0.013, -0.01])
def test_only_whole_ticks_can_be_simulated(straight: Track, duration_s: float) -> None:
    with pytest.raises(ValueError, match="whole number"):
        Simulator(straight, 1).advance(controls(1), duration_s)


def test_a_simulator_without_cars_is_refused(straight: Track) -> None:
    with pytest.raises(TMStudioError, match="at least one car"):
        Simulator(straight, 0)


def test_controls_of_the_wrong_shape_are_refused(straight: Track) -> None:
    with pytest.raises(ValueError, match="2 cars"):
        Simulator(straight, 2).advance(controls(1), 0.01)


def test_a_reset_leaves_the_other_cars_alone(straight: Track) -> None:
    simulator = Simulator(straight, 3)
    simulator.reset(everyone(simulator), rolling(straight, 20.0, 30.0, 3))
    simulator.advance(controls(3, gas=1.0), 0.5)
    before = simulator.observe()
    simulator.reset(np.array([False, True, False]), spawn_starts(straight, 1))
    after = simulator.observe()
    assert_same(before, after, [0, 2])
    assert after.position_m[1, 2] == 0.0
    assert after.speed_mps[1] == 0.0
    assert after.race_time_s[1] == 0.0
    assert after.gas[1] == 0.0


def test_an_observation_never_changes_afterwards(straight: Track) -> None:
    simulator = Simulator(straight, 1)
    before = simulator.observe()
    kept = before.position_m.copy()
    projection = simulator.projection
    arc_m = projection.arc_m.copy()
    simulator.advance(controls(1, gas=1.0), 1.0)
    np.testing.assert_array_equal(before.position_m, kept)
    np.testing.assert_array_equal(projection.arc_m, arc_m)


def test_a_car_is_held_through_the_countdown_with_its_engine_free(straight: Track) -> None:
    simulator = Simulator(straight, 1)
    simulator.reset(everyone(simulator), spawn_starts(straight, 1, countdown_s=1.5))
    assert simulator.countdown_s[0] == pytest.approx(1.5)
    simulator.advance(controls(1, gas=1.0), 1.5)
    state = simulator.observe()
    assert state.race_time_s[0] == pytest.approx(0.0)
    assert state.position_m[0, 2] == 0.0
    assert state.engine_rpm[0] > 5000.0
    simulator.advance(controls(1, gas=1.0), 1.0)
    state = simulator.observe()
    assert state.race_time_s[0] == pytest.approx(1.0)
    assert state.position_m[0, 2] > 5.0
    assert simulator.countdown_s[0] == 0.0


def test_the_finish_time_is_the_clock_at_the_line(straight: Track) -> None:
    simulator = Simulator(straight, 1)
    simulator.reset(everyone(simulator), rolling(straight, 210.0, 60.0))
    places = [(0.0, 210.0)]
    for tick in range(1, 400):
        simulator.advance(controls(1, gas=1.0), 0.01)
        state = simulator.observe()
        if state.finished[0]:
            break
        places.append((tick * 0.01, float(state.position_m[0, 2])))
    (time_s, place_m), last_m = places[-1], float(state.position_m[0, 2])
    at_line_s = time_s + 0.01 * (400.0 - place_m) / (last_m - place_m)
    assert state.race_time_s[0] == pytest.approx(at_line_s, abs=0.0006)
    # To the millisecond, and not to the tick.
    assert state.race_time_s[0] == round(float(state.race_time_s[0]), 3)


def test_a_finished_car_stays_where_it_is(straight: Track) -> None:
    simulator = Simulator(straight, 2)
    starts = rolling(straight, 390.0, 50.0, 2)
    starts.position_m[1, 2] = 250.0
    starts.arc_m[1] -= 140.0
    simulator.reset(everyone(simulator), starts)
    simulator.advance(controls(2, gas=1.0), 0.5)
    before = simulator.observe()
    assert before.finished.tolist() == [True, False]
    assert before.lap.tolist() == [1, 0]
    simulator.advance(controls(2, gas=1.0, steer=0.4, brake=1.0), 0.5)
    after = simulator.observe()
    for name in (
        "position_m",
        "velocity_mps",
        "forward",
        "engine_rpm",
        "gear",
        "race_time_s",
        "skidding_wheels",
    ):
        np.testing.assert_array_equal(getattr(before, name)[0], getattr(after, name)[0], err_msg=name)
    assert after.position_m[1, 2] > before.position_m[1, 2]


def test_checkpoints_are_counted_once_and_in_order(straight: Track) -> None:
    simulator = Simulator(straight, 1)
    simulator.reset(everyone(simulator), rolling(straight, 80.0, 30.0))
    passed = []
    for command in ({"gas": 1.0}, {"brake": 1.0}, {"gas": 1.0}, {"gas": 1.0}):
        for _ in range(60):
            simulator.advance(controls(1, **command), STEP_S)
            passed.append(
                (float(simulator.observe().position_m[0, 2]), int(simulator.observe().checkpoint[0]))
            )
    counts = [count for _, count in passed]
    assert counts == sorted(counts)
    assert counts[-1] == 2
    assert all(count >= 1 for place_m, count in passed if place_m > 100.0)
    assert all(count <= 1 for place_m, count in passed[:60] if place_m < 200.0)


def test_a_start_along_the_track_has_the_gates_behind_it(straight: Track) -> None:
    simulator = Simulator(straight, 3)
    starts = rolling(straight, 50.0, 10.0, 3)
    starts.position_m[:, 2] = [50.0, 150.0, 250.0]
    starts.arc_m[:] = straight.start_arc_m + starts.position_m[:, 2]
    simulator.reset(everyone(simulator), starts)
    assert simulator.observe().checkpoint.tolist() == [0, 1, 2]


def test_a_lap_without_its_checkpoints_does_not_count(straight: Track) -> None:
    simulator = Simulator(straight, 1)
    starts = rolling(straight, 90.0, 60.0)
    # The telemetry says that the car is beyond the finish; it was set down before the first checkpoint.
    simulator.reset(everyone(simulator), starts)
    simulator._place.arc_m[:] = straight.start_arc_m + 395.0
    simulator._cars.z_m[:] = 395.0
    simulator.advance(controls(1, gas=1.0), 0.5)
    state = simulator.observe()
    assert state.position_m[0, 2] > 400.0
    assert not state.finished[0]


def test_walls_stop_a_car_and_slow_it_down(straight: Track) -> None:
    simulator = Simulator(straight, 2)
    starts = rolling(straight, 50.0, 40.0, 2)
    starts.heading_rad[:] = [0.4, -0.4]
    simulator.reset(everyone(simulator), starts)
    touched = np.zeros(2, dtype=np.bool_)
    free = drive(straight, rolling(straight, 50.0, 40.0), [controls(1, gas=1.0)] * 24)
    for _ in range(24):
        simulator.advance(controls(2, gas=1.0), STEP_S)
        touched |= simulator.wall_contact
    state = simulator.observe()
    assert touched.all()
    assert (state.speed_mps < free.speed_mps - 5.0).all()
    # Turned along the wall, and the two sides are mirror images.
    assert np.abs(state.heading_rad).max() < 0.3
    np.testing.assert_allclose(
        state.position_m[0, [0, 2]], state.position_m[1, [0, 2]] * [-1.0, 1.0], atol=1e-9
    )


def test_a_head_on_hit_stops_the_car(straight: Track) -> None:
    simulator = Simulator(straight, 1)
    starts = rolling(straight, 50.0, 36.0)
    starts.heading_rad[:] = np.pi / 2
    simulator.reset(everyone(simulator), starts)
    simulator.advance(controls(1, gas=1.0), 0.5)
    assert simulator.observe().speed_mps[0] < 5.0


def test_grass_slows_a_car_down_where_a_track_has_it(straight: Track) -> None:
    with_grass = replace(straight, origin={"edges": "grass"})
    starts = rolling(straight, 50.0, 40.0)
    starts.heading_rad[:] = 0.3
    simulator = Simulator(with_grass, 1)
    simulator.reset(everyone(simulator), starts)
    on_road: list[float] = []
    on_grass: list[float] = []
    for _ in range(24):
        simulator.advance(controls(1, gas=1.0), STEP_S)
        state = simulator.observe()
        beyond = abs(state.position_m[0, 0]) > 10.0
        assert (state.ground_material[0] == (GRASS_MATERIAL if beyond else ROAD_MATERIAL)).all()
        (on_grass if beyond else on_road).append(float(state.speed_mps[0]))
    assert on_road[-1] > 40.0
    assert on_grass[-1] < 32.0


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**31 - 1),
    commands=st.lists(
        st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(-1.0, 1.0), st.integers(1, 25)),
        min_size=1,
        max_size=8,
    ),
)
def test_however_it_is_driven_no_car_leaves_the_road(
    seed: int, commands: list[tuple[float, float, float, int]]
) -> None:
    track = TrackLibrary().load("summit")
    simulator = Simulator(track, 4)
    simulator.reset(everyone(simulator), random_starts(track, 4, np.random.default_rng(seed)))
    for gas, brake, steer, steps in commands:
        for _ in range(steps):
            simulator.advance(controls(4, gas, brake, steer), STEP_S)
            place, state = simulator.projection, simulator.observe()
            assert (np.abs(place.lateral_m) <= place.half_width_m + WALL_M + 1e-9).all()
            assert np.isfinite(state.position_m).all()
            assert np.isfinite(state.velocity_mps).all()
            assert (state.speed_mps < 145.0).all()


def test_the_projection_is_that_of_the_position(valley: Track) -> None:
    simulator = Simulator(valley, 16)
    simulator.reset(everyone(simulator), random_starts(valley, 16, np.random.default_rng(9)))
    rng = np.random.default_rng(10)
    for _ in range(40):
        simulator.advance(some_controls(rng, 16), STEP_S)
    place = simulator.projection
    position, _ = valley.place(place.arc_m, place.lateral_m)
    np.testing.assert_allclose(position[:, [0, 2]], simulator.observe().position_m[:, [0, 2]], atol=0.02)


def test_starts_along_the_track_are_on_it_and_can_be_driven(valley: Track) -> None:
    starts = random_starts(valley, 300, np.random.default_rng(11))
    simulator = Simulator(valley, 300)
    simulator.reset(everyone(simulator), starts)
    place = simulator.projection
    progress = place.arc_m - valley.start_arc_m
    assert (np.abs(place.lateral_m) < place.half_width_m).all()
    assert progress.min() >= 0.0
    assert progress.max() < valley.length_m
    # All over the track, from slow to fast, mostly along the road.
    assert np.histogram(progress, bins=6)[0].min() > 25
    assert starts.speed_mps.min() < 5.0
    assert starts.speed_mps.max() > 30.0
    direction = np.arctan2(place.tangent[:, 0], place.tangent[:, 1])
    assert np.abs(np.angle(np.exp(1j * (starts.heading_rad - direction)))).max() < 0.35
    assert 0.05 < (starts.lateral_mps != 0.0).mean() < 0.3


def test_no_starts_are_a_valid_request(valley: Track) -> None:
    assert random_starts(valley, 0, np.random.default_rng(1)).count == 0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_controls_that_are_no_numbers_are_refused(straight: Track, value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        Simulator(straight, 1).advance(controls(1, steer=value), 0.01)


def test_a_checkpoint_passed_on_the_grass_is_missed(straight: Track) -> None:
    (gate_m,) = straight.checkpoints_m[:1]
    with_grass = replace(straight, origin={"edges": "grass"})
    for beside_m, passed in ((0.0, 1), (14.0, 0)):
        starts = rolling(straight, gate_m - 5.0, 30.0)
        starts.position_m[:, 0] += beside_m
        simulator = Simulator(with_grass, 1)
        simulator.reset(everyone(simulator), starts)
        simulator.advance(controls(1, gas=1.0), 0.5)
        assert simulator.observe().position_m[0, 2] > starts.position_m[0, 2] + 6.0
        assert simulator.observe().checkpoint[0] == passed

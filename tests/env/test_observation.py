"""What the columns of an observation say, and that their history belongs to one attempt of one car."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tmstudio.config.run_config import GeometryObservation, RunConfig
from tmstudio.env.observation import BEAMS, ObservationBuilder, observation_names
from tmstudio.env.starts import TrialStarts
from tmstudio.env.task import DriveTask
from tmstudio.game.state import STATE_FIELDS
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projector


class Look:
    """Looks at a scripted game through an observation builder and reads columns by name."""

    def __init__(self, track: Track, game: Any, config: GeometryObservation | None = None) -> None:
        self.game = game
        self.projector = Projector(track)
        self.builder = ObservationBuilder(
            config or GeometryObservation(), track, game.cars, 0.05, STATE_FIELDS
        )
        self.row: NDArray[np.float32] = np.zeros((game.cars, self.builder.size), dtype=np.float32)

    def _given(self) -> tuple[Any, ...]:
        state = self.game.observe()
        arc = self.projector.locate(state.position_m[:, ::2])
        cars = self.game.cars
        actions = np.zeros((cars, 2, 3), dtype=np.float32)
        return (
            state,
            self.projector.advance(state.position_m[:, ::2], arc),
            actions,
            np.zeros(cars),
            np.zeros(cars),
        )

    def begin(self) -> None:
        self.row = self.builder.restart(np.arange(self.game.cars), *self._given())

    def step(self) -> None:
        self.row = self.builder.build(*self._given())

    def __getitem__(self, name: str) -> float:
        return float(self.row[0, self.builder.names.index(name)])

    def lidar(self, age: int, car: int = 0) -> NDArray[np.float32]:
        first = self.builder.names.index(f"lidar.{age}.00")
        return self.row[car, first : first + BEAMS] * 50.0


def test_every_column_has_a_name_of_its_own() -> None:
    names = observation_names(GeometryObservation())
    assert len(set(names)) == len(names) == 13 + 6 + 4 * 19 + 80
    bare = observation_names(GeometryObservation(lidar=False, track_points=0))
    assert len(bare) == 13 + 6


def test_the_size_follows_the_parts(straight: Track, scripted_game: Any) -> None:
    for config in (
        GeometryObservation(),
        GeometryObservation(lidar=False),
        GeometryObservation(track_points=0),
        GeometryObservation(lidar=False, track_points=0),
        GeometryObservation(lidar_history=1, track_points=7),
    ):
        look = Look(straight, scripted_game(3), config)
        look.begin()
        assert look.row.shape == (3, look.builder.size)
        look.step()
        assert look.row.shape == (3, look.builder.size)
        assert look.row.dtype == np.float32
        assert np.isfinite(look.row).all()


def test_motion_in_the_frame_of_the_car(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    look = Look(straight, game)
    game.heading_rad[0] = np.pi / 2  # faces +x, which is left of the road's direction
    game.velocity_mps[0] = [10.0, 0.0, 20.0]  # +z is then to the car's right
    look.begin()
    assert look["speed"] == pytest.approx(np.hypot(10, 20) / 50)
    assert look["velocity.forward"] == pytest.approx(10 / 50)
    assert look["velocity.left"] == pytest.approx(-20 / 20)
    assert look["side_slip"] == pytest.approx(-20 / np.hypot(10, 20))
    assert look["heading_error.sin"] == pytest.approx(1.0)
    assert look["heading_error.cos"] == pytest.approx(0.0, abs=1e-6)
    assert look["gear"] == pytest.approx(0.6)
    assert look["engine_rpm"] == pytest.approx(0.8)
    assert look["skidding_wheels"] == pytest.approx(0.5)


def test_yaw_rate_knows_that_angles_wrap_and_is_zero_at_the_beginning(
    straight: Track, scripted_game: Any
) -> None:
    game = scripted_game(1)
    look = Look(straight, game)
    game.heading_rad[0] = np.pi - 0.02
    look.begin()
    assert look["yaw_rate"] == 0.0
    game.heading_rad[0] = -np.pi + 0.03
    look.step()
    assert look["yaw_rate"] == pytest.approx(0.05 / 0.05 / 2.0, rel=1e-4)
    look.step()
    assert look["yaw_rate"] == 0.0


def test_borders_are_seen_where_they_are(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    look = Look(straight, game)
    game.position_m[0] = [4.0, 0.0, 50.0]  # 4 m left of the middle of a road 20 m wide
    look.begin()
    assert look["lateral"] == pytest.approx(0.4)
    reading = look.lidar(0)
    assert reading[0] == pytest.approx(14.0, abs=1e-3)
    assert reading[18] == pytest.approx(6.0, abs=1e-3)
    assert reading[9] == pytest.approx(120.0)
    np.testing.assert_allclose(
        [look["track.left.00.forward"], look["track.left.00.left"]], np.array([8.0, 6.0]) / 50, atol=1e-6
    )
    np.testing.assert_allclose(
        [look["track.right.19.forward"], look["track.right.19.left"]],
        np.array([160.0, -14.0]) / 50,
        atol=1e-6,
    )


def test_lidar_history_is_newest_first_and_four_copies_at_the_beginning(
    straight: Track, scripted_game: Any
) -> None:
    game = scripted_game(2)
    look = Look(straight, game)
    look.begin()
    for age in range(4):
        assert look.lidar(age)[0] == pytest.approx(10.0, abs=1e-3)
    for x in (1.0, 2.0, 3.0):
        game.position_m[0, 0] = x
        look.step()
    assert [round(float(look.lidar(age)[0]), 2) for age in range(4)] == [13.0, 12.0, 11.0, 10.0]
    np.testing.assert_allclose(look.builder.lidar_m[:, 0], [13.0, 10.0], atol=1e-3)


def test_the_history_of_a_car_ends_with_its_attempt(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(2)
    task = DriveTask(RunConfig(), straight, game, TrialStarts(straight, [1, 2]))
    task.reset()
    for x in (3.0, 5.0):
        game.position_m[:, 0] = x
        task.step(np.zeros((2, 3)))
    game.finished[1] = True
    transition = task.step(np.zeros((2, 3)))
    first = task.observations.names.index("lidar.0.00")
    lidar = transition.observation[:, first : first + 4 * BEAMS].reshape(2, 4, BEAMS)
    assert (lidar[1] == lidar[1, :1]).all()
    assert (lidar[0, 2] != lidar[0, 0]).any()
    final = transition.final_observation[1, first : first + 4 * BEAMS].reshape(4, BEAMS)
    assert final[0, 0] == pytest.approx(15.0 / 50, abs=1e-3)


def test_one_car_sees_the_same_as_one_of_many(straight: Track, scripted_game: Any) -> None:
    one, many = Look(straight, scripted_game(1)), Look(straight, scripted_game(5))
    for look in (one, many):
        look.begin()
        look.game.position_m[0] = [2.0, 0.0, 33.0]
        look.game.velocity_mps[0, 2] = 12.0
        look.step()
    np.testing.assert_allclose(one.row[0], many.row[0], rtol=1e-6)

"""A small track and a game that does nothing but what a test tells it."""

from __future__ import annotations

import numpy as np
import pytest

from tmstudio.game.interface import Origin, Starts
from tmstudio.game.state import STATE_FIELDS, BoolArray, Controls, VehicleState
from tmstudio.track.geometry import Pose, Track

EXTENSION_POINTS = 60


@pytest.fixture(scope="session")
def straight() -> Track:
    """A straight road of 400 m towards +z, 20 m wide, with a checkpoint half-way."""
    z = np.arange(EXTENSION_POINTS * 2 + 201) * 2.0 - 2.0 * EXTENSION_POINTS
    left = np.stack([np.full_like(z, 10.0), np.zeros_like(z), z], axis=1)
    right = left * [-1.0, 1.0, 1.0]
    start_m = 2.0 * EXTENSION_POINTS
    return Track(
        name="straight",
        left_m=left,
        right_m=right,
        start_arc_m=start_m,
        finish_arc_m=start_m + 400.0,
        spawn=Pose((0.0, 0.0, 0.0), 0.0),
        checkpoints_m=(200.0,),
    )


class ScriptedGame:
    """A game whose cars are where a test puts them. Writes down all controls and durations."""

    origin: Origin = "simulator"

    def __init__(self, cars: int, capabilities: frozenset[str] = STATE_FIELDS) -> None:
        self.cars = cars
        self.capabilities = capabilities
        self.held: list[tuple[Controls, float]] = []
        self.resets: list[list[int]] = []
        self.position_m = np.zeros((cars, 3))
        self.velocity_mps = np.zeros((cars, 3))
        self.heading_rad = np.zeros(cars)
        self.finished = np.zeros(cars, dtype=np.bool_)
        self.race_time_s = np.zeros(cars)
        self.gates_z_m = [200.0]
        """Where a car that is here counts a checkpoint."""

    def reset(self, cars: BoolArray, starts: Starts) -> None:
        self.resets.append(np.nonzero(cars)[0].tolist())
        self.position_m[cars] = starts.position_m
        self.heading_rad[cars] = starts.heading_rad
        self.velocity_mps[cars] = 0.0
        self.finished[cars] = False
        self.race_time_s[cars] = starts.race_time_s

    def advance(self, controls: Controls, duration_s: float) -> None:
        self.held.append((controls, duration_s))
        self.position_m += self.velocity_mps * duration_s
        self.race_time_s += np.where(self.finished, 0.0, duration_s)

    def observe(self) -> VehicleState:
        cars, zeros = self.cars, np.zeros(self.cars)
        forward = np.stack([np.sin(self.heading_rad), zeros, np.cos(self.heading_rad)], axis=1)
        return VehicleState(
            position_m=self.position_m.copy(),
            velocity_mps=self.velocity_mps.copy(),
            forward=forward,
            up=np.tile([0.0, 1.0, 0.0], (cars, 1)),
            speed_mps=np.linalg.norm(self.velocity_mps, axis=1),
            engine_rpm=np.full(cars, 8000.0),
            gear=np.full(cars, 3),
            slip=np.zeros((cars, 4)),
            ground_material=np.full((cars, 4), 16),
            skidding_wheels=np.full(cars, 2),
            flying_s=zeros,
            adherence=np.ones(cars),
            gas=zeros,
            brake=zeros,
            steer=zeros,
            checkpoint=np.searchsorted(self.gates_z_m, self.position_m[:, 2], side="right"),
            lap=np.zeros(cars, dtype=np.int64),
            finished=self.finished.copy(),
            race_time_s=self.race_time_s.copy(),
            received_s=zeros,
        )


@pytest.fixture
def scripted_game() -> type[ScriptedGame]:
    return ScriptedGame

"""The built-in game: N cars on one track, each in a race of its own, stepped at 100 Hz."""

from __future__ import annotations

from typing import Final

import numpy as np

from tmstudio.errors import TMStudioError
from tmstudio.game.interface import Origin, Starts
from tmstudio.game.simulator.car import SUBSTEP_S, CarModel, Cars
from tmstudio.game.simulator.parameters import CarParameters, load_car
from tmstudio.game.simulator.variation import CarVariation
from tmstudio.game.simulator.walls import WALL_M, Walls
from tmstudio.game.state import (
    GRASS_MATERIAL,
    ROAD_MATERIAL,
    STATE_FIELDS,
    BoolArray,
    Controls,
    FloatArray,
    IntArray,
    VehicleState,
)
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projection, Projector

_GATE_REACH_M: Final = WALL_M + 0.1
"""How far a gate reaches beyond the borders: a car that leans on a wall passes it, whatever the rounding."""


class Simulator:
    """N cars that do not touch each other. The same controls give the same drive, unless cars are varied.

    Args:
        track: where they drive.
        cars: how many, N.
        car_parameters: how they drive.
        variation: makes another car of one that is put on a start.
    """

    def __init__(
        self,
        track: Track,
        cars: int,
        car_parameters: CarParameters | None = None,
        variation: CarVariation | None = None,
    ) -> None:
        if cars < 1:
            raise TMStudioError(f"A simulator needs at least one car, not {cars}.")
        self.track = track
        self.model = CarModel(car_parameters or load_car())
        self._variation = variation
        self._walls = Walls(track, self.model.parameters)
        self._projector = Projector(track)
        self._gates_m = np.array([*track.checkpoints_m, track.length_m]) + track.start_arc_m
        self._now_s = 0.0
        self._cars = Cars(cars)
        self._height_m = np.full(cars, float(track.spawn.position_m[1]))
        self._race_s = np.zeros(cars)
        self._checkpoint: IntArray = np.zeros(cars, dtype=np.int64)
        self._finished: BoolArray = np.zeros(cars, dtype=np.bool_)
        self._at_wall: BoolArray = np.zeros(cars, dtype=np.bool_)
        self._controls = Controls.released(cars)
        self._cars.x_m += track.spawn.position_m[0]
        self._cars.z_m += track.spawn.position_m[2]
        self._cars.heading_rad += track.spawn.heading_rad
        self._place = self._projector.advance(self._cars.position_xz, np.full(cars, track.start_arc_m))

    @property
    def origin(self) -> Origin:
        """Laps of this game come from the simulator."""
        return "simulator"

    @property
    def cars(self) -> int:
        """Number of cars N."""
        return len(self._cars.x_m)

    @property
    def capabilities(self) -> frozenset[str]:
        """All fields of `VehicleState`."""
        return STATE_FIELDS

    @property
    def projection(self) -> Projection:
        """Where on the track the cars are now. The arrays belong to the caller."""
        return Projection(*(array.copy() for array in self._place))

    @property
    def countdown_s(self) -> FloatArray:
        """(N,) time until the race starts, 0 from then on."""
        return np.maximum(-self._race_s, 0.0)

    @property
    def wall_contact(self) -> BoolArray:
        """(N,) whether a car touched a wall during the last `advance`."""
        return self._at_wall.copy()

    def reset(self, cars: BoolArray, starts: Starts) -> None:
        """Put the cars selected by the mask ``cars`` (N,) on ``starts``, in order."""
        chosen = np.flatnonzero(cars)
        if len(chosen) != starts.count:
            raise ValueError(f"{len(chosen)} cars are selected, {starts.count} starts are given")
        state = self._cars
        state.x_m[chosen] = starts.position_m[:, 0]
        state.z_m[chosen] = starts.position_m[:, 2]
        self._height_m[chosen] = starts.position_m[:, 1]
        state.heading_rad[chosen] = starts.heading_rad
        state.forward_mps[chosen] = starts.speed_mps
        state.right_mps[chosen] = starts.lateral_mps
        gear = self.model.gear_at(starts.speed_mps)
        state.gear[chosen] = gear
        state.rpm[chosen] = self.model.rpm_at(starts.speed_mps, gear)
        for still in (state.yaw_rps, state.shift_left_s, state.engine_cut_s, state.wall_drag_s):
            still[chosen] = 0.0
        for flag in (state.sliding, state.front_slip, self._finished, self._at_wall):
            flag[chosen] = False
        if self._variation is not None:
            self._variation.draw(state, chosen)
        self._race_s[chosen] = starts.race_time_s
        for pressed in (self._controls.gas, self._controls.brake, self._controls.steer):
            pressed[chosen] = 0.0
        last = self._place.arc_m.copy()
        last[chosen] = starts.arc_m
        self._place = self._projector.advance(self._cars.position_xz, last)
        # Gates behind a start along the track count as passed.
        passed = np.searchsorted(self._gates_m[:-1], self._place.arc_m[chosen], side="right")
        self._checkpoint[chosen] = passed

    def advance(self, controls: Controls, duration_s: float) -> None:
        """Hold ``controls`` for ``duration_s``, a whole number of 10 ms ticks."""
        ticks = round(duration_s / SUBSTEP_S)
        if ticks < 1 or abs(ticks * SUBSTEP_S - duration_s) > 1e-6:
            raise ValueError(f"{duration_s} s is not a whole number of {SUBSTEP_S:g} s ticks")
        gas = _clipped(controls.gas, 0.0, self.cars)
        brake = _clipped(controls.brake, 0.0, self.cars)
        steer = _clipped(controls.steer, -1.0, self.cars)
        self._controls = Controls(gas, brake, steer)
        self._at_wall[:] = False
        for _ in range(ticks):
            self._tick(gas, brake, steer)
        self._now_s += ticks * SUBSTEP_S

    def observe(self) -> VehicleState:
        """The state of all cars now."""
        state, count = self._cars, self.cars
        sin, cos = np.sin(state.heading_rad), np.cos(state.heading_rad)
        forward = np.zeros((count, 3))
        forward[:, 0], forward[:, 2] = sin, cos
        velocity = np.zeros((count, 3))
        velocity[:, 0] = state.forward_mps * sin - state.right_mps * cos
        velocity[:, 2] = state.forward_mps * cos + state.right_mps * sin
        up = np.zeros((count, 3))
        up[:, 1] = 1.0
        position = np.empty((count, 3))
        position[:, 0], position[:, 1], position[:, 2] = state.x_m, self._height_m, state.z_m
        ground = np.full((count, 4), ROAD_MATERIAL)
        ground[self._walls.on_grass(self._place)] = GRASS_MATERIAL
        slip = np.zeros((count, 4))
        slip[:, :2] = state.front_slip[:, None]
        slip[:, 2:] = state.sliding[:, None]
        return VehicleState(
            position_m=position,
            velocity_mps=velocity,
            forward=forward,
            up=up,
            speed_mps=np.hypot(state.forward_mps, state.right_mps),
            engine_rpm=state.rpm.copy(),
            gear=state.gear.copy(),
            slip=slip,
            ground_material=ground,
            skidding_wheels=2 * state.front_slip.astype(np.int64) + 2 * state.sliding,
            flying_s=np.zeros(count),
            adherence=np.ones(count),
            gas=self._controls.gas.copy(),
            brake=self._controls.brake.copy(),
            steer=self._controls.steer.copy(),
            checkpoint=self._checkpoint.copy(),
            lap=self._finished.astype(np.int64),
            finished=self._finished.copy(),
            race_time_s=np.maximum(self._race_s, 0.0),
            received_s=np.full(count, self._now_s),
        )

    def _tick(self, gas: FloatArray, brake: FloatArray, steer: FloatArray) -> None:
        running = ~self._finished
        held = running & (self._race_s < -0.5 * SUBSTEP_S)
        moving = running & ~held
        self.model.step(self._cars, gas, brake, steer, moving)
        if held.any():
            self.model.rev(self._cars, gas, held)
        before_m = self._place.arc_m
        self._place = self._projector.advance(self._cars.position_xz, before_m)
        if self._walls.grass:
            self._walls.drag(self._cars, self._place)
        touched = self._walls.stop(self._cars, self._place)
        if touched is not None:
            self._at_wall |= touched
        self._race_s += running * SUBSTEP_S
        self._pass_gates(before_m, self._place)

    def _pass_gates(self, before_m: FloatArray, place: Projection) -> None:
        """Count checkpoints in order, and stop the clock of cars that cross the finish after all of them.

        Gates reach from wall to wall: a car that passes one on the road passes it, one beside the road misses it.
        """
        next_m = self._gates_m[np.minimum(self._checkpoint, len(self._gates_m) - 1)]
        crossed = (place.arc_m >= next_m) & (before_m < next_m) & ~self._finished
        if not crossed.any():
            return
        crossed &= np.abs(place.lateral_m) <= place.half_width_m + _GATE_REACH_M
        last = self._checkpoint >= len(self._gates_m) - 1
        finished = (crossed & last).nonzero()[0]
        self._checkpoint += crossed & ~last
        if len(finished):
            part = (place.arc_m[finished] - next_m[finished]) / (place.arc_m - before_m)[finished]
            self._race_s[finished] = np.round(self._race_s[finished] - part * SUBSTEP_S, 3)
            self._finished[finished] = True


def _clipped(values: FloatArray, low: float, cars: int) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (cars,):
        raise ValueError(f"controls have shape {array.shape}, there are {cars} cars")
    if not np.isfinite(array).all():
        raise ValueError("controls must be finite numbers")
    clipped: FloatArray = np.minimum(np.maximum(array, low), 1.0)
    return clipped

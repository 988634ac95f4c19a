"""What is beside the road: walls along the borders, or grass where a track says so and a wall beyond it.

A track says so by ``origin["edges"] = "grass"``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S, Cars
from tmstudio.game.simulator.parameters import CarParameters
from tmstudio.game.state import BoolArray, FloatArray, IntArray
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projection

WALL_M: Final = 1.1
"""Borders are lines of a car's centre along the walls; the walls stop the centre this far beyond them."""

GRASS_M: Final = 12.0
"""Width of the grass between a border and the wall behind it."""

BEHIND_START_M: Final = 30.0
BEYOND_FINISH_M: Final = 100.0
"""Where walls across the road end the drivable part of the track."""

PRESSED_MPS: Final = 0.3
"""Speed into a wall, in one tick, from which a car leans on it."""


class Walls:
    """The walls of one track.

    Args:
        track: whose borders.
        parameters: how the car takes a hit.
    """

    def __init__(self, track: Track, parameters: CarParameters) -> None:
        self._parameters = parameters
        self.grass = track.origin.get("edges") == "grass"
        """Whether the borders are open to grass."""
        self._reach_m = GRASS_M if self.grass else WALL_M
        self._first_arc_m = max(track.start_arc_m - BEHIND_START_M, 2.0)
        self._last_arc_m = min(track.finish_arc_m + BEYOND_FINISH_M, float(track.arc_m[-1]) - 2.0)

    def stop(self, cars: Cars, place: Projection) -> BoolArray | None:
        """Push cars back that are beyond a wall, and change their motion as the wall does.

        Args:
            cars: changed in place.
            place: where they are; ``arc_m`` and ``lateral_m`` are changed in place with them.

        Returns:
            (N,) cars that touched a wall, or None where none did.
        """
        limit = place.half_width_m + self._reach_m
        beyond_side = np.abs(place.lateral_m) - limit
        beyond_end = np.maximum(self._first_arc_m - place.arc_m, place.arc_m - self._last_arc_m)
        at_side, at_end = beyond_side > 0.0, beyond_end > 0.0
        touched: BoolArray = at_side | at_end
        if not touched.any():
            return None
        hit = at_side.nonzero()[0]
        if len(hit):
            side = np.sign(place.lateral_m[hit])
            tangent = place.tangent[hit]
            self._push(cars, hit, tangent[:, 1] * side, -tangent[:, 0] * side, beyond_side[hit])
            place.lateral_m[hit] = limit[hit] * side
        hit = at_end.nonzero()[0]
        if len(hit):
            ahead = np.where(place.arc_m[hit] > self._last_arc_m, 1.0, -1.0)
            tangent = place.tangent[hit]
            self._push(cars, hit, tangent[:, 0] * ahead, tangent[:, 1] * ahead, beyond_end[hit])
            place.arc_m[hit] = np.clip(place.arc_m[hit], self._first_arc_m, self._last_arc_m)
        return touched

    def on_grass(self, place: Projection) -> BoolArray:
        """(N,) which cars drive on grass."""
        beyond: BoolArray = np.abs(place.lateral_m) > place.half_width_m
        return beyond if self.grass else np.zeros_like(beyond)

    def drag(self, cars: Cars, place: Projection) -> None:
        """Slow down cars on grass for one tick."""
        slowed = 1.0 - self.on_grass(place) * (self._parameters.grass_drag_per_s * SUBSTEP_S)
        cars.forward_mps *= slowed
        cars.right_mps *= slowed

    def _push(
        self, cars: Cars, hit: IntArray, out_x: FloatArray, out_z: FloatArray, beyond_m: FloatArray
    ) -> None:
        """Contact of the cars ``hit`` with walls that lie in the unit direction ``out``."""
        p = self._parameters
        cars.x_m[hit] -= beyond_m * out_x
        cars.z_m[hit] -= beyond_m * out_z
        sin, cos = np.sin(cars.heading_rad[hit]), np.cos(cars.heading_rad[hit])
        forward, right = cars.forward_mps[hit], cars.right_mps[hit]
        # Into the wall and along it; along is to the left of out, seen from above.
        facing_out, facing_along = sin * out_x + cos * out_z, sin * out_z - cos * out_x
        into = forward * facing_out + right * facing_along
        along = forward * facing_along - right * facing_out
        closing = np.maximum(into, 0.0)
        hard = closing > p.wall_hard_mps
        into -= closing * (1.0 + p.wall_restitution)
        along = np.copysign(np.maximum(np.abs(along) - p.wall_friction * closing, 0.0), along)
        cars.forward_mps[hit] = into * facing_out + along * facing_along
        cars.right_mps[hit] = into * facing_along - along * facing_out
        # A hit turns a car along the wall that it faces, the more the flatter it came; leaning on it does not.
        turn = np.arcsin(np.clip(facing_out, 0.0, 1.0)) * np.abs(facing_along) / p.wall_turn_s
        yaw = cars.yaw_rps[hit]
        away = -np.copysign(1.0, facing_along)
        cars.yaw_rps[hit] = np.where(hard, away * np.maximum(turn, yaw * away), yaw)
        # A hit cuts the engine, and leaning on the wall after it keeps it cut.
        cut_s = cars.engine_cut_s[hit]
        slowed = hard | ((closing > PRESSED_MPS) & (cut_s > 0.0))
        cars.engine_cut_s[hit] = np.where(slowed, p.wall_engine_cut_s, cut_s)
        cars.wall_drag_s[hit] = np.where(slowed, p.wall_drag_s, cars.wall_drag_s[hit])

"""What the policy sees, for N cars at once: one row a car, one name a column, all about unit size.

Numbers are divided by what is large for a car in TrackMania, so that every column carries signal before any
normaliser has run: speeds by 50 m/s (sideways 20), yaw by 2 rad/s, revolutions by 10,000 a minute, gears by 5,
distances by 50 m. Positions are in the car's frame as (forward, left); right is negative.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.config.run_config import GeometryObservation
from tmstudio.env.actions import ACTION_NAMES
from tmstudio.errors import TMStudioError
from tmstudio.game.state import VehicleState
from tmstudio.track.ahead import PointsAhead
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projection
from tmstudio.track.raycast import RayCaster

SPEED_MPS: Final = 50.0
SIDE_SPEED_MPS: Final = 20.0
YAW_RATE_RADPS: Final = 2.0
ENGINE_RPM: Final = 10_000.0
GEARS: Final = 5.0
WHEELS: Final = 4.0
DISTANCE_M: Final = 50.0
BEHIND_M: Final = 20.0
"""What each kind of number is divided by."""

OBSERVATION_LIMIT: Final = 50.0
"""No column goes beyond this; only telemetry that makes no sense would."""

SLIP_SPEED_MPS: Final = 5.0
"""Below this speed the direction of motion is noise: the side slip fades to zero."""

BEAMS: Final = 19
PAST_ACTIONS: Final = 2

CAR_COLUMNS: Final = (
    "speed", "velocity.forward", "velocity.left", "yaw_rate", "side_slip", "gear", "engine_rpm", "skidding_wheels",
    "lateral", "heading_error.sin", "heading_error.cos", "behind_furthest", "without_progress",
)  # fmt: skip
"""side_slip: velocity to the left over the speed; lateral: place between the borders, -1 right to +1 left;
heading_error: the car's direction against the track's, + is left; behind_furthest: how far back from the furthest
place; without_progress: how much of the time is used up after which an attempt ends as stuck."""

NEEDS: Final = {
    "position_m": "place on the track", "forward": "LIDAR and track points", "velocity_mps": "velocity",
    "speed_mps": "speed", "gear": "gear", "engine_rpm": "engine speed", "skidding_wheels": "skidding wheels",
}  # fmt: skip
"""Fields of the vehicle's state that the observation is made from, with what each is for."""

Rows = NDArray[np.intp] | slice
ALL: Final = slice(None)


class ObservationBuilder:
    """Builds observations of N cars and remembers what their history needs.

    Args:
        config: which parts there are.
        track: where the cars drive.
        cars: how many cars N.
        step_s: time between two observations of a car.
        capabilities: the fields of `VehicleState` that the game has; a part whose field is missing is refused.
    """

    def __init__(
        self,
        config: GeometryObservation,
        track: Track,
        cars: int,
        step_s: float,
        capabilities: frozenset[str],
    ) -> None:
        _check_needs(capabilities)
        self._config = config
        self._rays = RayCaster(track, config.lidar_range_m)
        self._ahead = PointsAhead(track, config.track_points, config.track_point_spacing_m)
        self._step_s = step_s
        self._history_m = np.zeros((cars, config.lidar_history, BEAMS), dtype=np.float32)
        self._heading_rad = np.zeros(cars)
        self.names: tuple[str, ...] = observation_names(config)
        self.size = len(self.names)

    @property
    def lidar_m(self) -> NDArray[np.float32]:
        """(N, 19) the newest LIDAR reading of each car in metres, beam 0 right, 9 ahead, 18 left."""
        return self._history_m[:, 0]

    def build(
        self,
        state: VehicleState,
        projection: Projection,
        actions: NDArray[np.float32],
        behind_m: NDArray[np.float64],
        without_progress: NDArray[np.float64],
    ) -> NDArray[np.float32]:
        """The observations (N, size) one step after the last ones.

        Args:
            state: the cars.
            projection: where they are on the track.
            actions: (N, 2, 3) the last two actions as they reach the car, the newer one first.
            behind_m: (N,) how far behind their furthest place they are.
            without_progress: (N,) time without progress over the time after which that ends the attempt.
        """
        heading = state.heading_rad
        turned = heading - self._heading_rad
        yaw_rate = (turned - 2.0 * np.pi * np.round(turned / (2.0 * np.pi))) / self._step_s
        self._heading_rad = heading
        if self._config.lidar:
            self._history_m[:, 1:] = self._history_m[:, :-1]
            self._history_m[:, 0] = self._lidar(state, projection, heading, ALL)
        return self._rows(state, projection, actions, behind_m, without_progress, heading, yaw_rate, ALL)

    def restart(
        self,
        cars: NDArray[np.intp],
        state: VehicleState,
        projection: Projection,
        actions: NDArray[np.float32],
        behind_m: NDArray[np.float64],
        without_progress: NDArray[np.float64],
    ) -> NDArray[np.float32]:
        """The first observations (n, size) of the cars at the indices ``cars`` (n,), without any past.

        The other arguments are those of `build`, for all N cars.
        """
        heading = state.heading_rad
        self._heading_rad[cars] = heading[cars]
        if self._config.lidar:
            self._history_m[cars] = self._lidar(state, projection, heading, cars)[:, None]
        yaw_rate = np.zeros(len(heading))
        return self._rows(state, projection, actions, behind_m, without_progress, heading, yaw_rate, cars)

    def _lidar(
        self, state: VehicleState, projection: Projection, heading: NDArray[np.float64], rows: Rows
    ) -> NDArray[np.float32]:
        xz = state.position_m[rows, ::2]
        return self._rays.cast(xz, heading[rows], projection.arc_m[rows])

    def _rows(
        self,
        state: VehicleState,
        projection: Projection,
        actions: NDArray[np.float32],
        behind_m: NDArray[np.float64],
        without_progress: NDArray[np.float64],
        all_headings: NDArray[np.float64],
        yaw_rate: NDArray[np.float64],
        rows: Rows,
    ) -> NDArray[np.float32]:
        heading = all_headings[rows]
        count = len(heading)
        sin, cos = np.sin(heading), np.cos(heading)
        velocity_x, velocity_z = state.velocity_mps[rows, 0], state.velocity_mps[rows, 2]
        velocity_left = velocity_x * cos - velocity_z * sin
        speed = state.speed_mps[rows]
        tangent_x, tangent_z = projection.tangent[rows, 0], projection.tangent[rows, 1]

        table = np.empty((count, self.size), dtype=np.float32)
        table[:, 0] = speed / SPEED_MPS
        table[:, 1] = (velocity_x * sin + velocity_z * cos) / SPEED_MPS
        table[:, 2] = velocity_left / SIDE_SPEED_MPS
        table[:, 3] = yaw_rate[rows] / YAW_RATE_RADPS
        table[:, 4] = velocity_left / np.maximum(speed, SLIP_SPEED_MPS)
        table[:, 5] = state.gear[rows] / GEARS
        table[:, 6] = state.engine_rpm[rows] / ENGINE_RPM
        table[:, 7] = state.skidding_wheels[rows] / WHEELS
        table[:, 8] = projection.lateral_m[rows] / projection.half_width_m[rows]
        table[:, 9] = sin * tangent_z - cos * tangent_x
        table[:, 10] = sin * tangent_x + cos * tangent_z
        table[:, 11] = behind_m[rows] / BEHIND_M
        table[:, 12] = without_progress[rows]
        column = len(CAR_COLUMNS)
        past = PAST_ACTIONS * len(ACTION_NAMES)
        table[:, column : column + past] = actions[rows].reshape(count, past)
        column += past
        if self._config.lidar:
            beams = self._config.lidar_history * BEAMS
            np.divide(
                self._history_m[rows].reshape(count, beams), DISTANCE_M, out=table[:, column : column + beams]
            )
            column += beams
        if self._config.track_points:
            xz = state.position_m[rows, ::2]
            ahead = self._ahead.find(xz, heading, projection.arc_m[rows])
            np.divide(ahead.reshape(count, -1), DISTANCE_M, out=table[:, column:])
        return np.clip(table, -OBSERVATION_LIMIT, OBSERVATION_LIMIT, out=table)


def observation_names(config: GeometryObservation) -> tuple[str, ...]:
    """One name for each column, in order."""
    names = list(CAR_COLUMNS)
    names += [f"action.{age}.{name}" for age in range(1, PAST_ACTIONS + 1) for name in ACTION_NAMES]
    if config.lidar:
        names += [f"lidar.{age}.{beam:02d}" for age in range(config.lidar_history) for beam in range(BEAMS)]
    names += [
        f"track.{side}.{point:02d}.{axis}"
        for side in ("left", "right")
        for point in range(config.track_points)
        for axis in ("forward", "left")
    ]
    return tuple(names)


def _check_needs(capabilities: frozenset[str]) -> None:
    missing = [f"{part} ({field})" for field, part in NEEDS.items() if field not in capabilities]
    if missing:
        raise TMStudioError(
            f"This game link cannot give what the observation needs: {', '.join(missing)}.",
            cause="its telemetry does not have these fields",
            hint="use a link with orientation and velocity: the game's own shared memory, or the Connect plugin",
        )

"""What a game says about its cars and what it is told: structs of arrays with a leading axis of N cars.

Axes are TrackMania's: x, y up, z, right-handed, right = forward x up. Facing +z the right side is -x, and
steering +1 turns right. All values are in SI units. A game is N = 1, the simulator up to N = 256.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

ROAD_MATERIAL = 16
"""Ground material id under a wheel on plain road, as the game's telemetry numbers it."""

GRASS_MATERIAL = 2
"""Ground material id under a wheel on grass."""


@dataclass(frozen=True)
class VehicleState:
    """A snapshot of N cars. The arrays belong to the snapshot and never change afterwards.

    Wheels are ordered front left, front right, rear left, rear right.
    """

    position_m: FloatArray
    """(N, 3) world position of the car's reference point."""
    velocity_mps: FloatArray
    """(N, 3) world velocity."""
    forward: FloatArray
    """(N, 3) unit vector out of the bonnet."""
    up: FloatArray
    """(N, 3) unit vector out of the roof."""
    speed_mps: FloatArray
    """(N,) absolute speed, positive in reverse too."""
    engine_rpm: FloatArray
    """(N,) engine speed, 1/min."""
    gear: IntArray
    """(N,) 0 in reverse, else 1 to 5."""
    slip: FloatArray
    """(N, 4) slip coefficient of each wheel, 0 to 1."""
    ground_material: IntArray
    """(N, 4) ground material id under each wheel."""
    skidding_wheels: IntArray
    """(N,) wheels that skid, 0 to 4."""
    flying_s: FloatArray
    """(N,) time since the last ground contact."""
    adherence: FloatArray
    """(N,) grip of the ground, 1 on the road."""
    gas: FloatArray
    """(N,) input echo, 0 to 1."""
    brake: FloatArray
    """(N,) input echo, 0 to 1."""
    steer: FloatArray
    """(N,) input echo, -1 to 1, + right."""
    checkpoint: IntArray
    """(N,) checkpoints passed, the finish not included."""
    lap: IntArray
    """(N,) laps completed."""
    finished: BoolArray
    """(N,) whether the finish was crossed with every checkpoint passed."""
    race_time_s: FloatArray
    """(N,) race clock, 0 before the start; of a finished car the time at the line. NaN where unknown."""
    received_s: FloatArray
    """(N,) monotonic time at which this state was current; simulated time in the simulator."""

    @property
    def cars(self) -> int:
        """Number of cars N."""
        return int(self.position_m.shape[0])

    @property
    def heading_rad(self) -> FloatArray:
        """(N,) heading h with forward = (sin h, 0, cos h); grows to the left."""
        heading: FloatArray = np.arctan2(self.forward[:, 0], self.forward[:, 2])
        return heading


STATE_FIELDS = frozenset(field.name for field in fields(VehicleState))
"""Names that a game can list as its capabilities."""


@dataclass(frozen=True)
class Controls:
    """What N drivers do with their cars: gas and brake in [0, 1], steer in [-1, 1], + right; each (N,)."""

    gas: FloatArray
    brake: FloatArray
    steer: FloatArray

    @classmethod
    def released(cls, cars: int) -> Controls:
        """Nothing pressed on any of ``cars`` cars."""
        return cls(np.zeros(cars), np.zeros(cars), np.zeros(cars))

"""How N cars move in one substep of 10 ms: a batch of one formula, no loop over cars.

A car is a body that turns as fast as the speed and the steering let it, and whose tyres pull its velocity into
the direction that it faces. ``README.md`` beside this file tells how the constants were measured.
"""

from __future__ import annotations

import numpy as np

from tmstudio.game.simulator.parameters import CarParameters
from tmstudio.game.state import BoolArray, FloatArray, IntArray

SUBSTEP_S = 0.01
"""The game's own tick: its race clock counts in these."""

CELLS_PER_MPS = 4
TOP_MPS = 160.0
"""Tables over speed are read from cells of 0.25 m/s up to this speed."""

STANDING_MPS = 0.05
"""A car slower than this stands: the brake is then the gas backwards."""


class Cars:
    """The state of N cars in the plane. Arrays (N,) that `CarModel.step` changes in place.

    Attributes:
        position_xz: (N, 2) world position; ``x_m`` and ``z_m`` are views of it.
        heading_rad: h with forward = (sin h, cos h) in (x, z); grows to the left.
        forward_mps, right_mps: velocity in the car's own directions.
        yaw_rps: turning rate, positive to the right.
        gear: 0 in reverse, else 1 to 5.
        rpm: engine speed.
        shift_left_s: time until a new gear drives.
        engine_cut_s, wall_drag_s: time left of what a hit does.
        sliding: whether all wheels slide.
        front_slip: whether the front wheels slip, from braking until the car drives straight again.
        drive_factor, slowing_factor, turning_factor, grip_factor: by how much each car differs from the constants in
            drive, in everything that slows it down, in turning rate, and in grip sideways.
    """

    def __init__(self, cars: int) -> None:
        self.position_xz = np.zeros((cars, 2))
        self.x_m = self.position_xz[:, 0]
        self.z_m = self.position_xz[:, 1]
        self.heading_rad = np.zeros(cars)
        self.forward_mps = np.zeros(cars)
        self.right_mps = np.zeros(cars)
        self.yaw_rps = np.zeros(cars)
        self.gear: IntArray = np.ones(cars, dtype=np.int64)
        self.rpm = np.zeros(cars)
        self.shift_left_s = np.zeros(cars)
        self.engine_cut_s = np.zeros(cars)
        self.wall_drag_s = np.zeros(cars)
        self.sliding: BoolArray = np.zeros(cars, dtype=np.bool_)
        self.front_slip: BoolArray = np.zeros(cars, dtype=np.bool_)
        self.drive_factor = np.ones(cars)
        self.slowing_factor = np.ones(cars)
        self.turning_factor = np.ones(cars)
        self.grip_factor = np.ones(cars)

    def take(self, places: IntArray) -> Cars:
        """A copy of the cars at these places (n,)."""
        taken = Cars(len(places))
        taken.put(np.arange(len(places)), self, places)
        return taken

    def put(self, places: IntArray, cars: Cars, those: IntArray | slice = slice(None)) -> None:
        """Put copies of ``cars``, all or those at some places, at these places (n,)."""
        for name, values in vars(cars).items():
            getattr(self, name)[places] = values[those]


class CarModel:
    """Moves cars by their parameters.

    Args:
        parameters: the car's constants.
    """

    def __init__(self, parameters: CarParameters) -> None:
        p = self.parameters = parameters
        speed = np.arange(int(TOP_MPS * CELLS_PER_MPS) + 1) / CELLS_PER_MPS + 0.5 / CELLS_PER_MPS
        coast = p.coast_base_mps2 + p.coast_per_s * speed
        brake = np.maximum(p.brake_base_mps2 + p.brake_per_s * speed, p.brake_floor_mps2)
        self._drive = p.drive_table(speed)
        self._coast = coast
        self._brake = brake
        self._yaw = p.yaw_table(speed)
        self._last = len(speed) - 1
        self._yaw_follow = 1.0 - np.exp(-SUBSTEP_S / p.yaw_lag_s)
        self._rpm_per_mps = np.array(p.rpm_per_mps)
        # By gear, reverse first; reverse shifts by its own rule.
        self._up = np.array([np.inf, *p.shift_up_mps, np.inf])
        self._down = np.array([-np.inf, -np.inf, *p.shift_down_mps])
        self._shift_s = np.array([0.0, *p.shift_s, 0.0])
        self.shift_into_s = np.array([0.0, 0.0, *p.shift_s])
        """Time without drive after shifting up into each gear."""

    def gear_at(self, speed_mps: FloatArray) -> IntArray:
        """Gear of a car that has accelerated up to a speed; 0 backwards."""
        up: IntArray = 1 + np.searchsorted(self.parameters.shift_up_mps, speed_mps, side="right")
        return np.where(speed_mps < -STANDING_MPS, 0, up)

    def rpm_at(self, speed_mps: FloatArray, gear: IntArray) -> FloatArray:
        """Engine speed in a gear at a speed."""
        return self._rpm_per_mps[gear] * np.abs(speed_mps)

    def step(
        self, cars: Cars, gas: FloatArray, brake: FloatArray, steer: FloatArray, moving: BoolArray
    ) -> None:
        """Move all cars by one substep.

        Args:
            cars: what is changed.
            gas: (N,) 0 to 1.
            brake: (N,) 0 to 1.
            steer: (N,) -1 to 1, + right.
            moving: (N,) whether time passes for a car; the others stay as they are.
        """
        p = self.parameters
        dt = np.multiply(moving, SUBSTEP_S, dtype=np.float64)
        # As in the recordings, a tick moves a car by the velocity that it had before the tick.
        sin, cos = np.sin(cars.heading_rad), np.cos(cars.heading_rad)
        cars.x_m += (cars.forward_mps * sin - cars.right_mps * cos) * dt
        cars.z_m += (cars.forward_mps * cos + cars.right_mps * sin) * dt
        cars.heading_rad -= cars.yaw_rps * dt
        speed = np.abs(cars.forward_mps)
        cell = np.minimum(speed * CELLS_PER_MPS, self._last).astype(np.intp)
        braking = brake > 0.5
        self._turn(cars, cell, steer, moving)
        demand = cars.yaw_rps * cars.forward_mps
        onset = braking & (np.abs(demand) > p.slide_onset_mps2 * cars.grip_factor)
        sliding = cars.sliding & (np.abs(cars.right_mps) > p.slide_end_mps)
        np.logical_or(sliding, onset, out=cars.sliding, where=moving)
        self._accelerate(cars, cell, gas, brake, dt)
        self._hold(cars, demand, brake, braking, dt)
        front_slip = cars.front_slip & (np.abs(steer) > 0.05)
        front_slip |= braking & (speed > 1.0)
        np.logical_or(front_slip, cars.sliding, out=cars.front_slip, where=moving)
        self._shift(cars, gas, brake, moving)

    def rev(self, cars: Cars, gas: FloatArray, held: BoolArray) -> None:
        """Let the engines of the cars ``held`` (N,) on the line turn freely for one substep."""
        p = self.parameters
        change = gas * p.idle_gas_rpm - cars.rpm
        np.clip(change, -p.rpm_fall_per_s * SUBSTEP_S, p.rpm_rise_per_s * SUBSTEP_S, out=change)
        cars.rpm += change * held

    def _turn(self, cars: Cars, cell: IntArray, steer: FloatArray, moving: BoolArray) -> None:
        target = self._yaw[cell] * steer * cars.turning_factor
        np.copysign(target, steer * cars.forward_mps, out=target)
        cars.yaw_rps += (target - cars.yaw_rps) * (moving * self._yaw_follow)

    def _accelerate(
        self, cars: Cars, cell: IntArray, gas: FloatArray, brake: FloatArray, dt: FloatArray
    ) -> None:
        p = self.parameters
        pull = gas * (cars.engine_cut_s <= 0.0)
        rolling = cars.forward_mps > STANDING_MPS
        slowing = self._brake[cell]
        np.copyto(slowing, p.slide_brake_mps2, where=cars.sliding)
        slowing *= brake * rolling
        against = (1.0 - pull) * self._coast[cell]
        against += slowing
        against += p.turning_loss_mps * np.abs(cars.yaw_rps)
        against += p.wall_drag_mps2 * (cars.wall_drag_s > 0.0)
        against *= cars.slowing_factor
        push = pull * self._drive[cell]
        push *= cars.drive_factor
        push *= cars.shift_left_s <= 0.0
        # Standing or rolling backwards, the brake is the gas backwards.
        backwards = np.minimum(cars.forward_mps, 0.0)
        backwards *= p.reverse_per_s
        backwards += p.reverse_mps2
        backwards *= brake * ~rolling
        push -= backwards
        push += cars.yaw_rps * cars.right_mps
        push *= dt
        push += cars.forward_mps
        against *= dt
        np.maximum(np.abs(push) - against, 0.0, out=cars.forward_mps)
        np.copysign(cars.forward_mps, push, out=cars.forward_mps)
        cars.engine_cut_s -= dt
        cars.wall_drag_s -= dt
        cars.shift_left_s -= dt

    def _hold(
        self, cars: Cars, demand: FloatArray, brake: FloatArray, braking: BoolArray, dt: FloatArray
    ) -> None:
        """The tyres pull the velocity into the car's direction, as far as they can."""
        p = self.parameters
        free = cars.right_mps - demand * dt
        stiffness = p.side_stiffness_per_s + brake * (p.side_stiffness_braking_per_s - p.side_stiffness_per_s)
        size = np.abs(free)
        grip = np.full(len(size), p.side_grip_mps2)
        np.copyto(grip, p.slide_base_mps2 + p.slide_per_s * size, where=cars.sliding & braking)
        grip *= cars.grip_factor
        np.maximum(size / (1.0 + stiffness * dt), size - grip * dt, out=size)
        np.copysign(size, free, out=cars.right_mps)

    def _shift(self, cars: Cars, gas: FloatArray, brake: FloatArray, moving: BoolArray) -> None:
        p = self.parameters
        forward = cars.forward_mps
        ready = moving & (cars.shift_left_s <= 0.0)
        up = ready & (forward > self._up[cars.gear])
        down = ready & (forward < self._down[cars.gear])
        np.copyto(cars.shift_left_s, self._shift_s[cars.gear], where=up)
        cars.gear += up
        cars.gear -= down
        into_reverse = moving & (forward < -STANDING_MPS) & (brake > 0.0) & (gas < 0.5)
        out_of_reverse = moving & (cars.gear == 0) & ((forward >= 0.0) | (gas >= 0.5))
        np.copyto(cars.gear, 0, where=into_reverse)
        np.copyto(cars.gear, 1, where=out_of_reverse)
        change = self.rpm_at(forward, cars.gear) - cars.rpm
        np.minimum(change, p.rpm_rise_per_s * SUBSTEP_S, out=change)
        np.maximum(change, -p.rpm_fall_per_s * SUBSTEP_S, out=change)
        cars.rpm += change * moving

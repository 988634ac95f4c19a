"""The constants of a car, read from a file in ``assets/cars``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tmstudio.config.assets import asset
from tmstudio.errors import TMStudioError
from tmstudio.game.state import FloatArray
from tmstudio.runs.atomic import write_bytes

LIST_LENGTHS = {"rpm_per_mps": 6, "shift_up_mps": 4, "shift_down_mps": 4, "shift_s": 4}
"""Lists with a value for each gear (reverse first) or for each pair of neighbouring gears."""

TABLES = {"drive_speed_mps": "drive_mps2", "yaw_speed_mps": "yaw_rate_rps"}
"""Tables over speed: the speeds of the knots and the values at them."""


@dataclass(frozen=True)
class CarParameters:
    """How a car drives. Accelerations are per unit of mass; tables are linear between their knots."""

    name: str
    drive_speed_mps: tuple[float, ...]
    drive_mps2: tuple[float, ...]
    """Acceleration at full gas straight ahead, all resistance included."""
    coast_base_mps2: float
    coast_per_s: float
    """Deceleration with the gas released: base + speed times this."""
    brake_base_mps2: float
    brake_per_s: float
    brake_floor_mps2: float
    """What the brake adds to it: base + speed times this, at least the floor."""
    slide_brake_mps2: float
    """What the brake adds while all wheels slide."""
    reverse_mps2: float
    reverse_per_s: float
    """Acceleration backwards: this less speed times that."""
    turning_loss_mps: float
    """Deceleration for each rad/s of turning."""
    yaw_speed_mps: tuple[float, ...]
    yaw_rate_rps: tuple[float, ...]
    """Turning rate at full lock."""
    yaw_lag_s: float
    """Time constant with which the turning rate follows the steering."""
    side_stiffness_per_s: float
    side_stiffness_braking_per_s: float
    """Sideways acceleration for each m/s of sideways speed while the tyres grip."""
    side_grip_mps2: float
    """The most sideways acceleration that the tyres give."""
    slide_onset_mps2: float
    """Braking in a turn harder than this makes all wheels slide."""
    slide_end_mps: float
    """The slide ends below this sideways speed."""
    slide_base_mps2: float
    slide_per_s: float
    """Sideways acceleration while all wheels slide and brake: base + sideways speed times this."""
    rpm_per_mps: tuple[float, ...]
    """Engine speed for each m/s by gear, reverse first."""
    shift_up_mps: tuple[float, ...]
    shift_down_mps: tuple[float, ...]
    shift_s: tuple[float, ...]
    """Speeds of gear changes between gears 1-2, 2-3, 3-4, 4-5, and the time without drive when shifting up."""
    rpm_rise_per_s: float
    rpm_fall_per_s: float
    idle_gas_rpm: float
    """Engine speed at full gas while the car is held in the countdown."""
    grass_drag_per_s: float
    """Deceleration on grass: speed times this."""
    wall_restitution: float
    wall_friction: float
    """Share of the speed into a wall that comes back, and that is lost along it."""
    wall_turn_s: float
    """Time in which a wall turns the car along itself."""
    wall_engine_cut_s: float
    wall_drag_s: float
    wall_drag_mps2: float
    """After a hit: time without drive, and time and size of an extra deceleration."""
    wall_hard_mps: float
    """Speed into the wall from which a contact is a hit."""
    fitted_to: Mapping[str, str]
    """The recorded laps that the constants were fitted to: SHA-256 of each file by its name."""

    def drive_table(self, speed_mps: FloatArray) -> FloatArray:
        """Acceleration at full gas for each speed."""
        return np.interp(speed_mps, self.drive_speed_mps, self.drive_mps2)

    def yaw_table(self, speed_mps: FloatArray) -> FloatArray:
        """Turning rate at full lock for each speed."""
        return np.interp(speed_mps, self.yaw_speed_mps, self.yaw_rate_rps)


@lru_cache(maxsize=8)
def load_car(name: str = "stadium") -> CarParameters:
    """The car of this name that ships with the program."""
    path = asset("cars", f"{name}.json")
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.json")))
        raise TMStudioError(f"There is no car {name!r}.", hint=f"choose one of: {known}")
    return read_car(path)


def read_car(path: Path) -> CarParameters:
    """A car from a JSON file. Every field must be there, and nothing else."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TMStudioError(f"The car file {path.name} cannot be read.", cause=str(error)) from error
    faults = _faults(values)
    if faults:
        raise TMStudioError(f"The car file {path.name} is not usable.", cause="; ".join(faults))
    frozen: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return CarParameters(**frozen)


def write_car(parameters: CarParameters, path: Path) -> None:
    """Write a car as `read_car` reads it, whole or not at all."""
    lines = (f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in asdict(parameters).items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    try:
        write_bytes(path, text.encode())
    except OSError as error:
        raise TMStudioError(f"The car could not be written to {path}.", cause=str(error)) from error


def _faults(values: object) -> list[str]:
    if not isinstance(values, dict):
        return ["it is not a JSON object"]
    names = {field.name for field in fields(CarParameters)}
    faults = [f"{name} is missing" for name in sorted(names - values.keys())]
    faults += [f"{name} is unknown" for name in sorted(values.keys() - names)]
    if faults:
        return faults
    if not isinstance(values["name"], str):
        faults.append("name must be a text")
    fitted_to = values["fitted_to"]
    if not (isinstance(fitted_to, dict) and all(isinstance(text, str) for text in fitted_to.values())):
        faults.append("fitted_to must be texts by name")
    faults += _number_faults({name: values[name] for name in sorted(names - {"name", "fitted_to"})})
    return faults or _table_faults(values)


def _number_faults(values: Mapping[str, Any]) -> list[str]:
    faults = []
    lists = {*LIST_LENGTHS, *TABLES, *TABLES.values()}
    for name, value in values.items():
        numbers = value if isinstance(value, list) else [value]
        if isinstance(value, list) != (name in lists):
            faults.append(f"{name} must be {'a list' if name in lists else 'one number'}")
        elif not all(isinstance(n, int | float) and np.isfinite(n) and n >= 0 for n in numbers):
            faults.append(f"{name} must be of finite numbers, 0 or more")
        elif len(numbers) != LIST_LENGTHS.get(name, len(numbers)):
            faults.append(f"{name} must have {LIST_LENGTHS[name]} values")
    return faults


def _table_faults(values: Mapping[str, Any]) -> list[str]:
    faults = []
    for speeds, table in TABLES.items():
        if len(values[speeds]) != len(values[table]) or len(values[speeds]) < 2:
            faults.append(f"{speeds} and {table} must have the same number of values, at least two")
        elif any(b <= a for a, b in zip(values[speeds], values[speeds][1:], strict=False)):
            faults.append(f"{speeds} must rise")
    return faults

"""From what a policy says to what the car's controls do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tmstudio.config.run_config import AnalogAction, KeyboardAction
from tmstudio.errors import TMStudioError
from tmstudio.game.state import Controls

ACTION_NAMES = ("gas", "brake", "steer")
"""The three numbers of an action, each in [-1, 1]; a pedal at 0 or below is released, steer +1 is right."""


class ActionError(TMStudioError, ValueError):
    """An action that is no action: wrong shape, or not a number."""


def checked_actions(actions: NDArray[np.floating], cars: int) -> NDArray[np.float32]:
    """A copy of the actions as float32 (cars, 3), clipped to [-1, 1]; refuses anything that is not one."""
    array = np.asarray(actions)
    if array.shape != (cars, len(ACTION_NAMES)):
        raise ActionError(
            f"The action has the shape {array.shape}.",
            cause=f"{(cars, len(ACTION_NAMES))} was expected: {', '.join(ACTION_NAMES)} for each car",
            hint="pass one row a car, each number in [-1, 1]",
        )
    if array.dtype.kind not in "fiu":
        raise ActionError(
            f"The action is not made of numbers but of {array.dtype}.", hint="pass float32 numbers"
        )
    if not np.isfinite(array).all():
        raise ActionError(
            f"The action has a value that is not a number: {array[~np.isfinite(array).all(axis=1)][0].tolist()}.",
            cause="the policy that made it has probably diverged",
            hint="go back to an earlier checkpoint, or lower the learning rate",
        )
    clipped: NDArray[np.float32] = np.clip(array, -1.0, 1.0).astype(np.float32)
    return clipped


def as_sent(actions: NDArray[np.float32], config: AnalogAction | KeyboardAction) -> NDArray[np.float32]:
    """What reaches the car of the actions (N, 3): themselves, or keys that are pressed or not.

    Keys for both pedals are never pressed together: the brake's wins.
    """
    if isinstance(config, AnalogAction):
        return actions
    pressed = np.where(np.abs(actions) > config.dead_zone, np.sign(actions), np.float32(0.0))
    gas, brake = pressed[:, 0], pressed[:, 1]
    gas[(gas > 0) & (brake > 0)] = 0.0
    return pressed.astype(np.float32)


def controls_of(actions: NDArray[np.float32]) -> Controls:
    """The pedals and the wheel that the actions (N, 3) stand for."""
    gas, brake, steer = actions.T.astype(np.float64)
    return Controls(gas=np.maximum(gas, 0.0), brake=np.maximum(brake, 0.0), steer=steer)

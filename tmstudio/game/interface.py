"""The one interface to a drivable game: place cars, drive them for a while, look at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from tmstudio.game.state import BoolArray, Controls, FloatArray, VehicleState

Origin = Literal["simulator", "game"]


@dataclass(frozen=True)
class Starts:
    """Where and how n cars begin an attempt.

    ``race_time_s`` is the race clock at that moment. Below zero the car stands in the countdown, held on the
    line with its engine free, until the clock reaches zero.
    """

    position_m: FloatArray
    """(n, 3) world position."""
    heading_rad: FloatArray
    """(n,) heading h with forward = (sin h, 0, cos h)."""
    speed_mps: FloatArray
    """(n,) speed along the heading; negative rolls backwards."""
    arc_m: FloatArray
    """(n,) arc length of the nearest place on the track's centre line, in the track's own coordinate."""
    race_time_s: FloatArray
    """(n,) race clock; negative during the countdown."""
    lateral_mps: FloatArray
    """(n,) speed to the car's right: a car that starts in a slide."""

    @property
    def count(self) -> int:
        """Number of starts n."""
        return int(self.heading_rad.shape[0])


class Game(Protocol):
    """A game with N cars. The real game has one, the simulator many."""

    @property
    def origin(self) -> Origin:
        """Whether laps come from the built-in simulator or from the real game."""
        ...

    @property
    def cars(self) -> int:
        """Number of cars N."""
        ...

    @property
    def capabilities(self) -> frozenset[str]:
        """Fields of ``VehicleState`` that this game really has; the others are neutral or NaN."""
        ...

    def reset(self, cars: BoolArray, starts: Starts) -> None:
        """Put the cars selected by the mask ``cars`` (N,) on ``starts``, in order; the others go on."""
        ...

    def advance(self, controls: Controls, duration_s: float) -> None:
        """Hold ``controls`` for ``duration_s``: simulated at once, or waited for in the real game."""
        ...

    def observe(self) -> VehicleState:
        """The newest state of all cars."""
        ...

"""Driving recorded controls again from recorded moments."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tmstudio.game.simulator.car import CarModel, Cars
from tmstudio.game.simulator.identification.laps import Laps
from tmstudio.game.simulator.walls import Walls
from tmstudio.game.state import IntArray
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projector


class Barriers:
    """The walls of a track for cars that are driven again.

    Args:
        track: where the laps were recorded.
        model: the car that hits them.
    """

    def __init__(self, track: Track, model: CarModel) -> None:
        self._projector = Projector(track)
        self._walls = Walls(track, model.parameters)

    def around(self, cars: Cars) -> Iterator[None]:
        """Begin with cars where they are; each further step stops them at the walls."""
        arc_m = self._projector.locate(cars.position_xz)
        while True:
            place = self._projector.advance(cars.position_xz, arc_m)
            self._walls.stop(cars, place)
            arc_m = place.arc_m
            yield


def replay(
    model: CarModel, cars: Cars, laps: Laps, starts: IntArray, ticks: int, barriers: Barriers | None = None
) -> Iterator[int]:
    """Drive ``cars`` (N), which are in the recorded states at ``starts`` (N,), by the recorded controls.

    Beyond the end of a lap its last controls stay in force.

    Yields:
        The number of ticks driven, 1 to ``ticks``; the cars are changed in place.
    """
    moving = np.ones(len(starts), dtype=np.bool_)
    walls = None if barriers is None else barriers.around(cars)
    last = np.array([end - 1 for _, end in laps.bounds])[laps.lap[starts]]
    for tick in range(ticks):
        at = np.minimum(starts + tick, last)
        model.step(cars, laps.gas[at], laps.brake[at], laps.steer[at], moving)
        if walls is not None:
            next(walls)
        yield tick + 1

"""How fast the simulator is: cars alone, cars with what a policy sees of the track, and the hood view."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from tmstudio.game.simulator.renderer import HoodRenderer
from tmstudio.game.simulator.starts import random_starts
from tmstudio.game.simulator.world import Simulator
from tmstudio.game.state import Controls
from tmstudio.track.ahead import points_ahead
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary
from tmstudio.track.raycast import cast

CARS = 64
STEP_S = 0.05
ROUNDS = 15
ROUND_S = 0.2
LIDAR_RANGE_M = 120.0
POINTS = 20
POINT_SPACING_M = 8.0


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked): the median round, in one thread."""
    track = TrackLibrary().load("valley")
    rows = []
    alone = _median_s(_Traffic(track).step)
    rows.append(
        (
            f"simulator alone, {CARS} cars",
            f"{CARS / alone:,.0f} steps/s ({alone / 5 * 1e3:.2f} ms a tick)",
            "<= 0.25 ms a tick",
        )
    )
    seen = _median_s(_Traffic(track, look=True).step)
    rows.append(
        (
            f"simulator with LIDAR and {POINTS} + {POINTS} track points, {CARS} cars",
            f"{CARS / seen:,.0f} steps/s",
            ">= 20,000 steps/s",
        )
    )
    for name in ("valley", "summit"):
        drawn = _median_s(_Drawing(TrackLibrary().load(name)).step)
        rows.append((f"hood view of {name}", f"{drawn * 1e3:.2f} ms", "<= 4 ms"))
    return rows


class _Traffic:
    """Cars that follow the road at a brisk speed and start anew now and then, as in training."""

    def __init__(self, track: Track, *, look: bool = False) -> None:
        self._track = track
        self._look = look
        self._rng = np.random.default_rng(1)
        self._simulator = Simulator(track, CARS)
        self._simulator.reset(np.ones(CARS, dtype=np.bool_), random_starts(track, CARS, self._rng))
        self._gas, self._brake, self._steer = np.full(CARS, 0.7), np.zeros(CARS), np.zeros(CARS)
        self._steps = 0

    def step(self) -> None:
        simulator, steps = self._simulator, self._steps
        if steps % 4 == 0:
            anew = np.zeros(CARS, dtype=np.bool_)
            anew[steps // 4 % CARS] = True
            simulator.reset(anew, random_starts(self._track, 1, self._rng))
        simulator.advance(Controls(self._gas, self._brake, self._steer), STEP_S)
        state, place = simulator.observe(), simulator.projection
        heading = state.heading_rad
        road = np.arctan2(place.tangent[:, 0], place.tangent[:, 1])
        off = np.remainder(heading - road + np.pi, 2 * np.pi) - np.pi
        self._steer = np.clip(3.0 * off + 0.08 * place.lateral_m, -1.0, 1.0)
        if self._look:
            position_xz = state.position_m[:, [0, 2]]
            cast(self._track, position_xz, heading, place.arc_m, LIDAR_RANGE_M)
            points_ahead(self._track, position_xz, heading, place.arc_m, POINTS, POINT_SPACING_M)
        self._steps += 1


class _Drawing:
    """The hood view from places all along a lap."""

    def __init__(self, track: Track) -> None:
        arc_m = np.linspace(track.start_arc_m, track.finish_arc_m, 97)
        self._positions, self._headings = track.place(arc_m)
        self._view = HoodRenderer(track)
        self._steps = 0

    def step(self) -> None:
        at = self._steps % len(self._headings)
        self._view.render(self._positions[at], float(self._headings[at]))
        self._steps += 1


def _median_s(step: Callable[[], None]) -> float:
    """Time of one step: the median of some rounds."""
    for _ in range(20):
        step()
    rounds = []
    for _ in range(ROUNDS):
        steps, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < ROUND_S:
            step()
            steps += 1
        rounds.append((time.perf_counter() - begun) / steps)
    return float(np.median(rounds))


if __name__ == "__main__":
    for what, measured, asked in main():
        print(f"{what:72s} {measured:36s} {asked}")

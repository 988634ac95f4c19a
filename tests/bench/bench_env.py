"""How fast the whole driving step is: simulator, LIDAR, track points, observation, reward, attempts."""

from __future__ import annotations

import time

import numpy as np

from tmstudio.config.run_config import RunConfig
from tmstudio.env.build import load_track, training_task
from tmstudio.env.task import DriveTask

CARS = ((1, None), (16, None), (64, 20_000))
"""How many cars, and how many steps a second are asked of them."""

WARM_UP_STEPS = 40
ROUNDS = 9
ROUND_S = 0.3
HELD_STEPS = 8
"""How long a steering is held, so that the cars get around and into walls as explorers do."""


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked): the median round, in one thread."""
    config = RunConfig()
    track = load_track(config)
    rows = []
    for cars, asked in CARS:
        traffic = _Traffic(training_task(config, track, seed=1, cars=cars))
        for _ in range(WARM_UP_STEPS):
            traffic.step()
        rates = []
        for _ in range(ROUNDS):
            steps, begun = 0, time.perf_counter()
            while time.perf_counter() - begun < ROUND_S:
                traffic.step()
                steps += cars
            rates.append(steps / (time.perf_counter() - begun))
        rate = float(np.median(rates))
        rows.append(
            (
                f"whole environment step, {cars} cars",
                f"{rate:,.0f} steps/s ({cars / rate * 1e3:.2f} ms a step)",
                f">= {asked:,} steps/s" if asked else "",
            )
        )
    return rows


class _Traffic:
    """Cars at full gas that now and then steer somewhere else."""

    def __init__(self, task: DriveTask) -> None:
        self._task = task
        self._rng = np.random.default_rng(1)
        self._actions = np.tile(np.array([1.0, -1.0, 0.0], dtype=np.float32), (task.cars, 1))
        self._steps = 0
        task.reset()

    def step(self) -> None:
        if self._steps % HELD_STEPS == 0:
            self._actions[:, 2] = self._rng.uniform(-1.0, 1.0, self._task.cars)
        self._steps += 1
        self._task.step(self._actions)


if __name__ == "__main__":
    for what, measured, asked in main():
        print(f"{what:<36} {measured:<36} {asked}")

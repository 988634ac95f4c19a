"""How fast the whole driving step is: simulator, LIDAR, track points, observation, reward, attempts."""

from __future__ import annotations

import time

import numpy as np

from tmstudio.config.run_config import RunConfig
from tmstudio.env.build import load_track, training_task
from tmstudio.env.loop import RandomDriver

CARS = ((1, None), (16, None), (64, 20_000))
"""How many cars, and how many steps a second are asked of them."""

WARM_UP_STEPS = 40
ROUNDS = 9
ROUND_S = 0.3


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked): the median round, in one thread."""
    config = RunConfig()
    track = load_track(config)
    rows = []
    for cars, asked in CARS:
        task = training_task(config, track, seed=1, cars=cars)
        drive = RandomDriver(seed=1)
        observation = task.reset()
        for _ in range(WARM_UP_STEPS):
            observation = task.step(drive(observation)).observation
        rates = []
        for _ in range(ROUNDS):
            steps, begun = 0, time.perf_counter()
            while time.perf_counter() - begun < ROUND_S:
                observation = task.step(drive(observation)).observation
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


if __name__ == "__main__":
    for what, measured, asked in main():
        print(f"{what:<36} {measured:<36} {asked}")

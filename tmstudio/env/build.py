"""From a run's configuration to a task that can be driven."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tmstudio.config.run_config import RunConfig
from tmstudio.env.clock import RealTimeGame
from tmstudio.env.starts import StartSource, TrainingStarts, TrialStarts
from tmstudio.env.task import DriveTask
from tmstudio.game.interface import Game
from tmstudio.game.simulator.parameters import load_car
from tmstudio.game.simulator.starts import random_starts
from tmstudio.game.simulator.variation import CarVariation
from tmstudio.game.simulator.world import Simulator
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary


def training_task(config: RunConfig, track: Track, seed: int, cars: int | None = None) -> DriveTask:
    """The task of a run's training: as many cars and at the pace that the configuration says.

    Args:
        config: the run's configuration.
        track: the run's track.
        seed: start of the random numbers that the starts, and what is randomised, are drawn from.
        cars: how many cars instead of the configured number.
    """
    starts = training_starts(config, track, np.random.default_rng(seed))
    varied = np.random.default_rng([seed, 1])
    game = simulated_game(config, track, config.game.cars if cars is None else cars, varied)
    if config.game.pace == "real time":
        game = RealTimeGame(game, config.timing.step_ms / 1000.0)
    return DriveTask(config, track, game, starts, varied)


def training_starts(config: RunConfig, track: Track, rng: np.random.Generator) -> StartSource:
    """Starts as training wants them: some on the line, the others along the track."""
    return TrainingStarts(track, config.episode.random_starts, rng, random_starts)


def trial_task(config: RunConfig, track: Track, seeds: Sequence[int]) -> DriveTask:
    """A task for trials: one car for each seed, on the start line, as fast as it goes."""
    return DriveTask(config, track, simulated_game(config, track, len(seeds)), TrialStarts(track, seeds))


def simulated_game(
    config: RunConfig, track: Track, cars: int, varied: np.random.Generator | None = None
) -> Game:
    """The built-in simulator with the car that the configuration names.

    Args:
        config: the run's configuration.
        track: where the cars drive.
        cars: how many.
        varied: draws how cars differ, as far as the configuration randomises them; None leaves them as they are.
    """
    share = config.randomisation.car
    variation = CarVariation(share, varied) if varied is not None and share else None
    return Simulator(track, cars, load_car(config.game.car), variation)


def load_track(config: RunConfig) -> Track:
    """The run's track from the library."""
    return TrackLibrary().load(config.track)

"""Trials in the real simulator: repeatable, honest about who finishes, and worth what the track is long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tmstudio.config.run_config import Episode, RunConfig, SimulatorGame
from tmstudio.env.build import load_track, training_task, trial_task
from tmstudio.env.clock import RealTimeGame
from tmstudio.env.loop import RandomDriver, TrialRound, drive_trials, straight_ahead
from tmstudio.env.task import DriveTask
from tmstudio.track.library import TrackLibrary

BUNDLED = ("meadow", "valley", "ridge", "coast", "canyon", "summit")


def trials_on(track: str, **episode: float):
    config = RunConfig(track=track, episode=Episode(**episode))
    loaded = load_track(config)

    def make_task(seeds: Sequence[int]) -> DriveTask:
        return trial_task(config, loaded, seeds)

    return make_task


class Steersman:
    """Drives towards the middle between the borders some way ahead, as fast as bends allow. Learned nothing."""

    def __init__(self, task: DriveTask) -> None:
        names = task.observations.names
        self._ahead = [
            [names.index(f"track.{side}.{point:02d}.{axis}") for side in ("left", "right")]
            for point in (1, 5)
            for axis in ("forward", "left")
        ]
        self._speed = names.index("speed")

    def __call__(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        near_x, near_y, far_x, far_y = (observations[:, pair].mean(axis=1) for pair in self._ahead)
        near, far = np.arctan2(near_y, near_x), np.arctan2(far_y, far_x)
        target = 0.7 - 0.5 * np.minimum(np.abs(far), 1.0)
        gas = np.where(observations[:, self._speed] < target, 1.0, -1.0)
        brake = np.where(observations[:, self._speed] > target + 0.1, 1.0, -1.0)
        return np.stack([gas, brake, np.clip(-2.5 * near, -1.0, 1.0)], axis=1).astype(np.float32)


def test_the_names_are_those_of_the_library() -> None:
    assert set(BUNDLED) <= set(TrackLibrary().names())


@pytest.mark.parametrize("track", BUNDLED)
def test_neither_chance_nor_full_gas_straight_ahead_finishes(track: str) -> None:
    for policy in (RandomDriver(seed=1), straight_ahead):
        trials = drive_trials(trials_on(track), policy, range(10_000, 10_010))
        assert len(trials.episodes) == 10
        assert sum(episode.finished for episode in trials.episodes) == 0


def test_a_driver_who_looks_where_the_road_goes_finishes_and_earns_the_length_of_the_track() -> None:
    make_task = trials_on("valley")
    driver = Steersman(make_task([0]))
    trials = drive_trials(make_task, driver, range(6))
    laps = [episode for episode in trials.episodes if episode.finished]
    assert len(laps) == 6
    length_m = make_task([0]).track.length_m
    for lap in laps:
        assert lap.progress_m == pytest.approx(length_m, rel=0.01)
        assert lap.progress_m <= length_m + 1e-3
        assert lap.lap_time_s is not None
        assert lap.steps * 0.05 == pytest.approx(lap.lap_time_s, abs=0.15)
        assert lap.terms["time"] == pytest.approx(RunConfig().reward.time * lap.lap_time_s, abs=0.1)
        assert len(lap.sectors_s) == len(make_task([0]).track.checkpoints_m)
        assert list(lap.sectors_s) == sorted(lap.sectors_s)
    assert len({lap.lap_time_s for lap in laps}) == 6
    assert [episode.start_seed for episode in trials.episodes] == list(range(6))


def test_however_a_car_is_driven_it_is_paid_no_more_than_the_track() -> None:
    rng = np.random.default_rng(4)

    def lurch(observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Mostly gas, now and then backwards, wild steering."""
        actions = rng.uniform(-1.0, 1.0, (len(observations), 3)).astype(np.float32)
        actions[:, :2] = np.where(rng.uniform(size=(len(observations), 1)) < 0.8, [1.0, -1.0], [-1.0, 1.0])
        return actions

    make_task = trials_on("meadow", stuck_s=20.0, time_limit_s=40.0)
    trials = drive_trials(make_task, lurch, range(8))
    length_m = make_task([0]).track.length_m
    for episode in trials.episodes:
        assert 0.0 <= episode.progress_m <= length_m + 1e-3
        assert episode.progress_m <= episode.progress_fraction * length_m + 1e-3


def test_trials_repeat() -> None:
    make_task = trials_on("meadow", time_limit_s=8.0)
    driver = Steersman(make_task([0]))
    first, again = (drive_trials(make_task, driver, range(5)).episodes for _ in range(2))
    assert first == again


def test_more_trials_than_cars_side_by_side() -> None:
    trials = drive_trials(trials_on("meadow", time_limit_s=5.0), straight_ahead, range(40))
    assert [episode.start_seed for episode in trials.episodes] == list(range(40))
    assert trials.simulated_s == pytest.approx(10.0)


def test_a_round_of_trials_can_be_driven_step_by_step() -> None:
    task = trials_on("meadow", time_limit_s=5.0)([1, 2])
    trial_round = TrialRound(task, straight_ahead, [1, 2])
    for _ in range(99):
        trial_round.step()
        assert not trial_round.done
    trial_round.step()
    assert trial_round.done
    assert [episode.end for episode in trial_round.results()] == ["time limit"] * 2


def test_real_time_is_a_matter_of_configuration() -> None:
    for game, paced in ((SimulatorGame(cars=3), False), (SimulatorGame(cars=3, pace="real time"), True)):
        config = RunConfig(track="meadow", game=game)
        task = training_task(config, load_track(config), seed=1)
        assert isinstance(task.game, RealTimeGame) == paced
        assert task.reset().shape == (3, task.observation_size)

"""The Gymnasium environments: the library's own checks, seeds, what a step says, and what is refused."""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from tmstudio.config.run_config import RunConfig
from tmstudio.env.actions import ActionError
from tmstudio.env.gymnasium_env import DriveEnv, DriveVectorEnv
from tmstudio.env.registration import DRIVE_ID, register
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.errors import ConfigError, TMStudioError

FULL_GAS = np.array([1.0, -1.0, 0.0], dtype=np.float32)


@pytest.fixture
def env() -> Iterator[DriveEnv]:
    made = DriveEnv("meadow", seed=1)
    yield made
    made.close()


def test_gymnasiums_own_checker_finds_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(DRIVE_ID, track="meadow", render_mode="rgb_array").unwrapped)


def test_the_installed_package_names_the_registration() -> None:
    found = [
        point
        for point in importlib.metadata.entry_points(group="gymnasium.envs")
        if point.module.startswith("tmstudio")
    ]
    if not found:
        pytest.skip("the package is not installed, only on the path")
    assert found[0].load() is register


def test_the_id_is_found_by_naming_the_module_and_registering_twice_is_fine() -> None:
    register()
    env = gymnasium.make(f"tmstudio.env.registration:{DRIVE_ID}", track="meadow")
    assert isinstance(env.unwrapped, DriveEnv)
    env.close()


def test_one_step_says_what_happened(env: DriveEnv) -> None:
    observation, info = env.reset(seed=3)
    assert env.observation_space.contains(observation)
    assert info == {}
    observation, reward, terminated, truncated, info = env.step(FULL_GAS)
    assert env.observation_space.contains(observation)
    assert not terminated
    assert not truncated
    assert set(info["reward_terms"]) == set(REWARD_TERMS)
    weights = RunConfig().reward.model_dump()
    assert reward == pytest.approx(sum(weights[name] * value for name, value in info["reward_terms"].items()))


def test_the_same_seed_drives_the_same_episodes() -> None:
    seen = []
    for seed in (7, 7, 8):
        env = DriveEnv("meadow", episode={"stuck_s": 0.5})
        rows = [env.reset(seed=seed)[0]]
        for _ in range(60):
            row, _, terminated, truncated, _ = env.step(np.zeros(3, dtype=np.float32))
            rows.append(row)
            if terminated or truncated:
                rows.append(env.reset()[0])
        seen.append(np.array(rows))
    assert (seen[0] == seen[1]).all()
    assert seen[0].shape != seen[2].shape or (seen[0] != seen[2]).any()


def test_an_episode_ends_once() -> None:
    env = DriveEnv("meadow", seed=1, episode={"stuck_s": 0.5, "random_starts": 0.0})
    with pytest.raises(TMStudioError, match="no episode"):
        env.step(FULL_GAS)
    env.reset(seed=1)
    terminated = False
    while not terminated:
        observation, _, terminated, _, info = env.step(np.array([-1.0, 1.0, 0.0]))
    assert info["attempt"]["end"] == "stuck"
    assert not info["attempt"]["finished"]
    assert np.isnan(info["attempt"]["lap_time_s"])
    with pytest.raises(TMStudioError, match="no episode"):
        env.step(FULL_GAS)
    first, _ = env.reset()
    assert (first != observation).any()
    env.step(FULL_GAS)


@pytest.mark.parametrize("bad", [np.zeros(2), np.zeros((1, 3)), np.array([0.0, np.nan, 0.0])])
def test_bad_actions_are_refused(env: DriveEnv, bad: np.ndarray) -> None:
    env.reset(seed=1)
    with pytest.raises(ActionError):
        env.step(bad)
    env.step(FULL_GAS)


def test_bad_arguments_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"reward\.progres"):
        DriveEnv("meadow", reward={"progres": 1.0})
    with pytest.raises(ConfigError, match="colour"):
        DriveEnv("meadow", colour={"body": "red"})
    with pytest.raises(TMStudioError, match="nowhere"):
        DriveEnv("nowhere")
    with pytest.raises(TMStudioError, match="render mode"):
        DriveEnv("meadow", render_mode="human")


def test_the_view_over_the_bonnet_is_a_picture_in_rgb() -> None:
    env = DriveEnv("meadow", render_mode="rgb_array", seed=1)
    env.reset()
    frame = env.render()
    assert frame is not None
    assert frame.shape == (488, 958, 3)
    assert frame.dtype == np.uint8
    assert frame.std() > 10
    assert DriveEnv("meadow").render() is None


def test_many_cars_in_one_environment() -> None:
    envs = gymnasium.make_vec(
        DRIVE_ID, num_envs=4, track="meadow", episode={"stuck_s": 1.0, "random_starts": 0.0}
    )
    assert isinstance(envs.unwrapped, DriveVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observation, infos = envs.reset(seed=5)
    assert envs.observation_space.contains(observation)
    actions = np.tile(FULL_GAS, (4, 1))
    actions[2] = [-1.0, 1.0, 0.0]
    terminated = np.zeros(4, dtype=np.bool_)
    steps = 0
    while not terminated.any():
        before = observation
        observation, rewards, terminated, truncated, infos = envs.step(actions)
        assert rewards.shape == terminated.shape == truncated.shape == (4,)
        assert infos["reward_terms"].shape == (4, len(REWARD_TERMS))
        steps += 1
    assert terminated.tolist() == [False, False, True, False]
    assert infos["_final_obs"].tolist() == [False, False, True, False]
    final = infos["final_obs"][2]
    assert infos["final_obs"][0] is None
    assert np.abs(final - before[2]).max() < 0.2
    assert (final != observation[2]).any()
    assert infos["final_info"]["attempt"]["end"][2] == "stuck"
    assert rewards[2] < RunConfig().reward.failure
    envs.close()


def test_many_cars_repeat_by_seed_and_differ_from_each_other() -> None:
    envs = DriveVectorEnv(3, "meadow")
    first, _ = envs.reset(seed=5)
    again, _ = envs.reset(seed=5)
    other, _ = envs.reset(seed=[1, 2, 3])
    assert (first == again).all()
    assert (first != other).any()
    assert (first[0] != first[1]).any()
    with pytest.raises(TMStudioError, match="chosen few"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})


def test_an_environment_needs_a_reset_and_whole_actions() -> None:
    envs = DriveVectorEnv(2, "meadow", seed=1)
    with pytest.raises(TMStudioError, match="no episode"):
        envs.step(np.zeros((2, 3), dtype=np.float32))
    envs.reset()
    with pytest.raises(ActionError, match="shape"):
        envs.step(np.zeros((3, 3), dtype=np.float32))

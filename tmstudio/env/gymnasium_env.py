"""The driving task as Gymnasium environments: one car, or N cars side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tmstudio.config.loading import parse_run_config
from tmstudio.env.actions import ACTION_NAMES, ActionError
from tmstudio.env.build import load_track, training_starts, training_task
from tmstudio.env.episodes import EpisodeSummary
from tmstudio.env.observation import OBSERVATION_LIMIT
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.env.task import DriveTask
from tmstudio.errors import TMStudioError

if TYPE_CHECKING:
    from tmstudio.game.simulator.renderer import HoodRenderer

Observation = NDArray[np.float32]
Frame = NDArray[np.uint8]
Numbers = gymnasium.Space[NDArray[np.float32]]

RENDER_FPS = 20


class DriveEnv(gymnasium.Env[Observation, NDArray[np.float32]]):
    """``TMStudio/Drive-v0``: one car learns to drive a track of the library.

    An action is gas, brake and steering, each in [-1, 1]; a pedal at 0 or below is released, steering +1 is right.
    It takes effect one to two steps after the observation that it was made of, as in the game. ``info`` has the raw
    ``reward_terms`` of the step, and in the last step of an episode its account as ``attempt``.

    Args:
        track: name of a track of the library.
        seed: start of the random numbers of the first episodes; that of `reset` goes before it.
        render_mode: None, or ``rgb_array`` for the view over the bonnet.
        sections: any other section of a run's configuration, as a mapping: ``reward={"time": -0.5}``.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        track: str = "valley",
        *,
        seed: int | None = None,
        render_mode: str | None = None,
        **sections: Mapping[str, Any],
    ) -> None:
        self.render_mode = render_mode
        self._task = _task(track, seed, 1, sections)
        self._view = _View(self._task, render_mode, self.metadata)
        self.observation_space, self.action_space = _spaces(self._task)
        self._observation: Observation | None = None
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; with a seed, the same one each time."""
        super().reset(seed=seed)
        if seed is not None:
            self._task.starts = training_starts(self._task.config, self._task.track, self.np_random)
            self._observation = None
        # The task has begun the next attempt already when one has ended.
        if self._observation is None or not self._over:
            self._observation = self._task.reset()
        self._over = False
        return self._observation[0], {}

    def step(self, action: NDArray[np.float32]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Drive one control step."""
        if self._over:
            raise TMStudioError("There is no episode to drive.", hint="call reset() first")
        if np.shape(action) != (3,):
            raise ActionError(
                f"The action has the shape {np.shape(action)}.", cause="(3,) was expected: gas, brake, steer"
            )
        transition = self._task.step(np.asarray(action)[None])
        self._observation = transition.observation
        terms = transition.reward_terms[0]
        info: dict[str, Any] = {"reward_terms": dict(zip(REWARD_TERMS, terms.tolist(), strict=True))}
        if transition.episodes:
            self._over = True
            info["attempt"] = _account(transition.episodes[0])
        return (
            transition.final_observation[0],
            float(terms @ self._task.weights),
            bool(transition.terminated[0]),
            bool(transition.truncated[0]),
            info,
        )

    def render(self) -> Frame | None:
        """The view over the bonnet (488, 958, 3) as RGB."""
        return self._view.frame(0)


class DriveVectorEnv(VectorEnv[Observation, NDArray[np.float32], NDArray[Any]]):
    """N cars of ``TMStudio/Drive-v0`` in one simulator, far faster than N environments.

    An episode that ends is followed by the next in the same step; ``infos["final_obs"]`` has what it ended in.
    The arguments are those of `DriveEnv`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        track: str = "valley",
        *,
        seed: int | None = None,
        render_mode: str | None = None,
        **sections: Mapping[str, Any],
    ) -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._task = _task(track, seed, num_envs, sections)
        self._view = _View(self._task, render_mode, self.metadata)
        self.single_observation_space, self.single_action_space = _spaces(self._task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._begun = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode with every car; with a seed (or a list of them), the same ones each time."""
        if options and "reset_mask" in options:
            raise TMStudioError(
                "A chosen few cars cannot be reset.",
                cause="an episode that ends is followed by the next in the same step",
                hint="call reset() without reset_mask",
            )
        if isinstance(seed, list):
            seed = None if None in seed else int(np.random.SeedSequence(seed).generate_state(1)[0])  # type: ignore[arg-type]
        super().reset(seed=seed)
        if seed is not None:
            self._task.starts = training_starts(self._task.config, self._task.track, self.np_random)
        self._begun = True
        return self._task.reset(), {}

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Drive one control step with every car."""
        if not self._begun:
            raise TMStudioError("There is no episode to drive.", hint="call reset() first")
        transition = self._task.step(actions)
        infos: dict[str, Any] = {}
        for episode in transition.episodes:
            final = {
                "final_obs": transition.final_observation[episode.car],
                "final_info": {"attempt": _account(episode)},
            }
            infos = self._add_info(infos, final, episode.car)
        infos["reward_terms"] = transition.reward_terms
        infos["_reward_terms"] = np.ones(self.num_envs, dtype=np.bool_)
        rewards = transition.reward_terms @ self._task.weights
        return transition.observation, rewards, transition.terminated, transition.truncated, infos

    def render(self) -> tuple[Frame | None, ...]:  # type: ignore[override]
        """The view over each car's bonnet (488, 958, 3) as RGB."""
        return tuple(self._view.frame(car) for car in range(self.num_envs))


class _View:
    """Draws what a driver sees, if anybody asked for it."""

    def __init__(self, task: DriveTask, render_mode: str | None, metadata: dict[str, Any]) -> None:
        if render_mode is not None and render_mode not in metadata["render_modes"]:
            raise TMStudioError(
                f"There is no render mode {render_mode!r}.",
                hint=f"use {', '.join(metadata['render_modes'])} or None",
            )
        self._task = task
        self._renderer: HoodRenderer | None = None
        if render_mode is not None:
            # Only who looks pays for loading the renderer.
            from tmstudio.game.simulator.renderer import HoodRenderer

            self._renderer = HoodRenderer(task.track)

    def frame(self, car: int) -> Frame | None:
        if self._renderer is None:
            return None
        state = self._task.state
        bgr = self._renderer.render(state.position_m[car], float(state.heading_rad[car]))
        return np.ascontiguousarray(bgr[:, :, ::-1])


def _task(track: str, seed: int | None, cars: int, sections: Mapping[str, Mapping[str, Any]]) -> DriveTask:
    config = parse_run_config({**sections, "track": track}, "the environment")
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    return training_task(config, load_track(config), seed, cars=cars)


def _spaces(task: DriveTask) -> tuple[Numbers, Numbers]:
    size = task.observation_size
    observations = gymnasium.spaces.Box(-OBSERVATION_LIMIT, OBSERVATION_LIMIT, (size,), np.float32)
    actions = gymnasium.spaces.Box(-1.0, 1.0, (len(ACTION_NAMES),), np.float32)
    # Box is typed by all the numbers that it can hold; these two hold float32.
    return cast("Numbers", observations), cast("Numbers", actions)


def _account(episode: EpisodeSummary) -> dict[str, Any]:
    """An attempt's account in the simple types that vector environments can stack."""
    return {
        "end": episode.end,
        "finished": episode.finished,
        "from_start": episode.from_start,
        "lap_time_s": np.nan if episode.lap_time_s is None else episode.lap_time_s,
        "progress_m": episode.progress_m,
        "progress_fraction": episode.progress_fraction,
    }

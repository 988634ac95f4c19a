"""The one that learns: an algorithm and the replay that it learns from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tmstudio.config.run_config import RunConfig
from tmstudio.env.reward import reward_weights
from tmstudio.learning.algorithms.base import AlgorithmState, Metrics, read_metrics
from tmstudio.learning.algorithms.build import build_algorithm
from tmstudio.learning.health import problem_of, value_limit
from tmstudio.learning.policy import PolicySpec, PolicyVersion, encode_policy
from tmstudio.learning.replay.storage import Shape
from tmstudio.learning.replay.uniform import ReplayStore
from tmstudio.runtime.ingest import Arrival, Widths

REPLAY_FILE: Final = "transitions.replay"


class Student:
    """Takes driving in and makes updates.

    Args:
        config: the run's configuration.
        widths: what the run's driving looks like.
        replay_folder: where the replay's file is, or is made.
        fingerprint: the run's identity, for its policies.

    Attributes:
        replay: what it learns from; counts as empty after opening until it is restored.
        steps: transitions taken in so far, over all processes.
    """

    def __init__(self, config: RunConfig, widths: Widths, replay_folder: Path, fingerprint: str) -> None:
        self.replay = _open_replay(config, widths, replay_folder / REPLAY_FILE)
        self.steps = 0
        self._algorithm = build_algorithm(
            config.algorithm, widths.observation_size, widths.action_size, seed=config.seed
        )
        self._gamma = config.algorithm.gamma
        self._batch_size = config.algorithm.batch_size
        self._spec = PolicySpec(config.algorithm.network, widths.observation_size, widths.action_size)
        self._fingerprint = fingerprint
        self._newest: Metrics = {}

    @property
    def updates(self) -> int:
        """Updates so far, over all processes."""
        return self._algorithm.updates

    @property
    def ready(self) -> bool:
        """Whether there is enough to draw a batch from."""
        return len(self.replay) >= self._batch_size

    def take_in(self, arrival: Arrival, time_s: float) -> None:
        """Remember driving. ``time_s`` is the time of training."""
        for rollout in arrival.batch.rollouts:
            self.replay.append(rollout.chunk, time_s)
            self._algorithm.observe(rollout.chunk.observations)
            self.steps += len(rollout.chunk)

    def update(self) -> None:
        """Learn from one batch."""
        self._newest = self._algorithm.update(self.replay.sample(self._batch_size))

    def metrics(self) -> dict[str, float]:
        """What the newest update said of itself."""
        return read_metrics(self._newest) if self._newest else {}

    def problem_of(self, metrics: Mapping[str, float]) -> str:
        """Why learning must not go on from here; empty if it may."""
        return problem_of(metrics, value_limit(self.replay.largest_reward, self._gamma))

    def policy_file(self) -> bytes:
        """The policy as it is now."""
        version = PolicyVersion(self.steps, self.updates, self._fingerprint)
        return encode_policy(self._spec, self._algorithm.policy_tensors(), version)

    def state(self) -> AlgorithmState:
        """A copy of the algorithm's state."""
        return self._algorithm.state()

    def load_state(self, state: AlgorithmState) -> None:
        """Go back to a state of the algorithm."""
        self._algorithm.load_state(state)


def _open_replay(config: RunConfig, widths: Widths, path: Path) -> ReplayStore:
    algorithm = config.algorithm
    weights = reward_weights(config.reward)
    if path.exists():
        return ReplayStore.open(
            path, n_step=algorithm.n_step, gamma=algorithm.gamma, weights=weights, seed=config.seed
        )
    return ReplayStore.create(
        path,
        Shape(config.replay.capacity, widths.observation_size, widths.action_size, widths.reward_terms),
        n_step=algorithm.n_step,
        gamma=algorithm.gamma,
        weights=weights,
        seed=config.seed,
    )

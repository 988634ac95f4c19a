"""The whole of learning on a small control problem, to a mark that nothing broken reaches.

Standing still returns -39.8, a good controller -5.2. With the actor's loss turned round, without normalisation,
with targets that bootstrap past a termination or leave the future out, what is learned stays below -9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tmstudio.config.run_config import Sac, SimbaNetwork, Tqc
from tmstudio.learning.algorithms.build import build_algorithm
from tmstudio.learning.policy import build_policy
from tmstudio.learning.replay.storage import Shape
from tmstudio.learning.replay.uniform import ReplayStore
from tmstudio.runs.chunk import Chunk

LANES, STEPS = 16, 40
EDGE, GOAL = 1.5, 0.2
COMMON: dict[str, Any] = {
    "batch_size": 64, "gamma": 0.95, "n_step": 1, "target_entropy": -1.0, "initial_temperature": 0.1,
    "actor_learning_rate": 2e-3, "critic_learning_rate": 2e-3, "target_rate": 0.02,
}  # fmt: skip


class PointMass:
    """A cart that is pushed along a line and is to stop at its middle: as driving, each step costs 1 until it does.

    Leaving the line at ± 1.5 m ends the attempt too, and costs 40. Observed in crude units, so that only
    normalisation makes it easy: position in millimetres around 5000.
    """

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.position = self.random.uniform(-1, 1, LANES)
        self.velocity = self.random.uniform(-0.3, 0.3, LANES)

    def observe(self):
        return np.stack([5000 + 1000 * self.position, self.velocity], axis=1).astype(np.float32)

    def step(self, actions):
        self.velocity += 0.15 * actions[:, 0]
        self.position += 0.3 * self.velocity
        left = np.abs(self.position) > EDGE
        stopped = (np.abs(self.position) < GOAL) & (np.abs(self.velocity) < GOAL)
        return -1 - 40.0 * left, left | stopped

    def episode(self, act):
        """Drive all lanes until they leave or time is up; the mean return and a chunk a lane."""
        self.reset()
        observations, actions, rewards, ends = [self.observe()], [], [], []
        for _ in range(STEPS):
            chosen = act(observations[-1])
            reward, ended = self.step(chosen)
            observations.append(self.observe())
            actions.append(chosen)
            rewards.append(reward)
            ends.append(ended)
        returns, chunks = [], []
        for lane in range(LANES):
            ended = np.array(ends)[:, lane]
            steps = int(ended.argmax()) + 1 if ended.any() else STEPS
            lane_rewards = np.array(rewards)[:steps, lane]
            returns.append(lane_rewards.sum())
            terminated, truncated = np.zeros((2, steps), np.bool_)
            terminated[-1], truncated[-1] = ended.any(), not ended.any()
            chunks.append(
                Chunk(
                    observations=np.array(observations)[: steps + 1, lane],
                    actions=np.array(actions)[:steps, lane],
                    reward_terms=lane_rewards[:, None].astype(np.float32),
                    terminated=terminated,
                    truncated=truncated,
                ).check()
            )
        return float(np.mean(returns)), chunks


def _controller(observations):
    """The best linear controller: push toward the goal, and back in time to stop there."""
    position, velocity = (observations[:, 0] - 5000) / 1000, observations[:, 1]
    return -np.clip(4 * position + 4 * velocity, -1, 1)[:, None].astype(np.float32)


def _mean_return(act):
    task = PointMass(seed=99)
    return np.mean([task.episode(act)[0] for _ in range(10)])


@pytest.mark.parametrize(
    "config",
    [
        Sac(network=SimbaNetwork(actor_width=32, critic_width=32), **COMMON),
        Tqc(network=SimbaNetwork(actor_width=32, critic_width=32), **COMMON),
    ],
    ids=lambda config: config.kind,
)
def test_a_cart_learns_to_stop_at_the_goal(config):
    algorithm = build_algorithm(config, 2, 1, seed=1)
    policy = build_policy(config.network, 2, 1, seed=1)
    replay = ReplayStore.create(
        None, Shape(20_000, 2, 1, 1), n_step=config.n_step, gamma=config.gamma, weights=[1.0], seed=1
    )
    task = PointMass(seed=1)
    for episode in range(30):
        _, chunks = task.episode(lambda observations: policy.act(observations, deterministic=False))
        for chunk in chunks:
            replay.append(chunk)
            algorithm.observe(chunk.observations)
        for _ in range(20 if episode >= 4 else 0):
            algorithm.update(replay.sample(config.batch_size))
        policy.load_tensors(algorithm.policy_tensors())

    learned = _mean_return(lambda observations: policy.act(observations, deterministic=True))
    standing = _mean_return(lambda observations: np.zeros((len(observations), 1), np.float32))
    best = _mean_return(_controller)
    assert standing == pytest.approx(-39.8, abs=0.2)
    assert best == pytest.approx(-5.2, abs=0.2)
    assert learned > -7

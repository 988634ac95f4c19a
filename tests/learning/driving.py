"""Stretches of made-up driving for tests of learning."""

from __future__ import annotations

import numpy as np

from tmstudio.runs.chunk import Chunk


def chunk_of(rewards, *, terminated=False, truncated=False, first=0.0, observation_size=2, action_size=1):
    """A chunk with these rewards in one term; its observations count up from ``first`` so that rows can be told."""
    steps = len(rewards)
    counts = first + np.arange(steps + 1, dtype=np.float32)
    ends = np.zeros(steps, np.bool_)
    terminated_steps, truncated_steps = ends.copy(), ends.copy()
    terminated_steps[-1], truncated_steps[-1] = terminated, truncated
    return Chunk(
        observations=np.repeat(counts[:, None], observation_size, axis=1),
        actions=(np.repeat(counts[:-1, None], action_size, axis=1) / 1000).astype(np.float32),
        reward_terms=np.asarray(rewards, np.float32)[:, None],
        terminated=terminated_steps,
        truncated=truncated_steps,
    ).check()


def random_chunk(random, steps, observation_size, action_size, reward_terms, *, terminated=False):
    """A chunk of random numbers."""
    ends = np.zeros(steps, np.bool_)
    terminated_steps = ends.copy()
    terminated_steps[-1] = terminated
    return Chunk(
        observations=random.normal(size=(steps + 1, observation_size)).astype(np.float32),
        actions=random.uniform(-1, 1, (steps, action_size)).astype(np.float32),
        reward_terms=random.normal(size=(steps, reward_terms)).astype(np.float32),
        terminated=terminated_steps,
        truncated=ends,
    ).check()

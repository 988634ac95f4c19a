"""A run with saved policies, none of which has learned anything."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tmstudio.config.run_config import Episode, RunConfig, SimbaNetwork
from tmstudio.env.build import load_track, trial_task
from tmstudio.learning.algorithms.base import AlgorithmState
from tmstudio.learning.checkpoints import CheckpointStore
from tmstudio.learning.policy import PolicySpec, PolicyVersion, build_policy, encode_policy
from tmstudio.runs.folder import RunFolder

NETWORK = SimbaNetwork(actor_width=16)


@pytest.fixture
def run() -> RunFolder:
    """A run without any checkpoint, whose attempts are cut off early."""
    config = RunConfig(name="short", track="meadow", episode=Episode(time_limit_s=5.0))
    return RunFolder.create(config, track_sha256=load_track(config).sha256)


def save(run: RunFolder, step: int, *, size: int | None = None, best: bool = False) -> None:
    """Save an untrained policy as a checkpoint of the run."""
    if size is None:
        size = trial_task(run.config, load_track(run.config), [0]).observation_size
    policy = build_policy(NETWORK, size, 3, seed=step)
    tensors = {name: tensor.numpy() for name, tensor in policy._modules.state_dict().items()}
    content = encode_policy(
        PolicySpec(NETWORK, size, 3),
        tensors,
        PolicyVersion(policy_step=step, updates=step // 10, fingerprint="f"),
    )
    store = CheckpointStore(run.checkpoints_path, keep=5)
    store.prepare()
    name = store.save(step, content, AlgorithmState({"x": np.zeros(1, np.float32)}, {}), {})
    if best:
        store.promote(name)


@pytest.fixture
def save_policy() -> Callable[..., None]:
    return save

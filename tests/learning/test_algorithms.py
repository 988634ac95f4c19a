"""SAC and TQC: their losses, what an update changes, and that a state is taken up whole or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests.learning.driving import random_chunk
from tmstudio.config.run_config import MlpNetwork, Sac, SimbaNetwork, Tqc
from tmstudio.errors import TMStudioError
from tmstudio.learning.algorithms.base import AlgorithmState, read_metrics
from tmstudio.learning.algorithms.build import build_algorithm
from tmstudio.learning.algorithms.tqc import quantile_huber_loss
from tmstudio.learning.replay.storage import Shape
from tmstudio.learning.replay.uniform import ReplayStore

SIMBA, MLP = SimbaNetwork(actor_width=16, critic_width=16), MlpNetwork(width=16)
COMMON: dict[str, Any] = {"batch_size": 32, "initial_temperature": 0.1, "target_rate": 0.005}
CONFIGS = [
    Sac(network=MLP, **COMMON),
    Sac(network=SIMBA, critics=3, **COMMON),
    Tqc(network=MLP, quantiles=7, **COMMON),
    Tqc(network=SIMBA, **COMMON),
]
every_algorithm = pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda config: f"{config.kind}-{config.network.kind}"
)


def _learner(config, seed=1):
    """An algorithm and a filled replay."""
    replay = ReplayStore.create(
        None, Shape(500, 5, 2, 2), n_step=config.n_step, gamma=config.gamma, weights=[1.0, 0.5], seed=seed
    )
    algorithm = build_algorithm(config, 5, 2, seed=seed)
    random = np.random.default_rng(0)
    for index in range(20):
        chunk = random_chunk(random, 15, 5, 2, 2, terminated=index % 2 == 0)
        replay.append(chunk)
        algorithm.observe(chunk.observations)
    return algorithm, replay


def _learn(algorithm, replay, updates):
    for _ in range(updates):
        metrics = algorithm.update(replay.sample(algorithm.config.batch_size))
    return read_metrics(metrics)


def _same(first: AlgorithmState, second: AlgorithmState):
    assert first.counters == second.counters
    assert first.tensors.keys() == second.tensors.keys()
    return all((first.tensors[name] == second.tensors[name]).all() for name in first.tensors)


@every_algorithm
def test_the_same_seed_and_data_give_the_same_parameters(config):
    first, second, other = _learner(config), _learner(config), _learner(config, seed=2)
    for algorithm, replay in (first, second, other):
        _learn(algorithm, replay, 5)
    assert _same(first[0].state(), second[0].state())
    assert not _same(first[0].state(), other[0].state())


@every_algorithm
def test_learning_goes_on_from_a_state_as_if_nothing_had_happened(config):
    algorithm, replay = _learner(config)
    _learn(algorithm, replay, 3)
    saved, random_state = algorithm.state(), replay.random_state
    _learn(algorithm, replay, 4)

    resumed = build_algorithm(config, 5, 2, seed=99)
    resumed.load_state(saved)
    assert _same(resumed.state(), saved)
    replay.random_state = random_state
    _learn(resumed, replay, 4)
    assert resumed.updates == 7
    assert _same(resumed.state(), algorithm.state())


@every_algorithm
def test_a_state_is_a_copy(config):
    algorithm, replay = _learner(config)
    state = algorithm.state()
    before = {name: array.copy() for name, array in state.tensors.items()}
    _learn(algorithm, replay, 2)
    assert all((state.tensors[name] == array).all() for name, array in before.items())


def _nan_moment(tensors):
    tensors["critics.square"][3] = np.nan


def _other_shape(tensors):
    tensors["actor"] = tensors["actor"][1:]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (_nan_moment, "critics.square has numbers that are not finite"),
        (_other_shape, "actor is float32"),
        (lambda tensors: tensors.pop("target_critics"), "target_critics is missing"),
        (lambda tensors: tensors.update(more=np.zeros(1)), "more is unknown"),
        (lambda tensors: tensors.update(actor=tensors["actor"].astype(np.float64)), "actor is float64"),
    ],
)
def test_an_unfit_state_changes_nothing(change, fault):
    algorithm, replay = _learner(CONFIGS[3])
    _learn(algorithm, replay, 2)
    state = algorithm.state()
    before = algorithm.state()
    _learn(algorithm, replay, 2)
    live = algorithm.state()
    change(state.tensors)
    with pytest.raises(TMStudioError, match=fault):
        algorithm.load_state(state)
    assert _same(algorithm.state(), live)
    before.counters.pop("updates")
    with pytest.raises(TMStudioError, match="updates is missing"):
        algorithm.load_state(before)
    assert _same(algorithm.state(), live)


@every_algorithm
def test_metrics_are_the_documented_ones_and_hold_no_graph(config):
    algorithm, replay = _learner(config)
    metrics = algorithm.update(replay.sample(32))
    assert list(metrics) == [
        "loss/critic",
        "loss/actor",
        "policy/entropy",
        "policy/temperature",
        "value/q_mean",
    ]
    assert not any(value.requires_grad for value in metrics.values())
    kept = read_metrics(metrics)
    algorithm.update(replay.sample(32))
    assert read_metrics(metrics) == kept
    assert kept["policy/temperature"] == pytest.approx(0.1)
    assert all(np.isfinite(value) for value in kept.values())


@every_algorithm
def test_the_critics_fit_what_terminal_rewards_say(config):
    """Every transition terminates with the same reward: the value is that reward, whatever the target critics say."""
    algorithm = build_algorithm(config.model_copy(update={"critic_learning_rate": 3e-3}), 5, 2, seed=1)
    replay = ReplayStore.create(None, Shape(500, 5, 2, 1), n_step=3, gamma=0.99, weights=[1.0], seed=1)
    random = np.random.default_rng(0)
    for _ in range(100):
        chunk = random_chunk(random, 1, 5, 2, 1, terminated=True)
        chunk.reward_terms[...] = 4.0
        replay.append(chunk)
    metrics = _learn(algorithm, replay, 300)
    assert metrics["value/q_mean"] == pytest.approx(4.0, abs=0.3)


@every_algorithm
def test_targets_follow_slowly(config):
    algorithm, replay = _learner(config)
    before = algorithm.state().tensors
    _learn(algorithm, replay, 1)
    after = algorithm.state().tensors
    expected = before["target_critics"] + 0.005 * (after["critics"] - before["target_critics"])
    assert after["target_critics"] == pytest.approx(expected, abs=1e-6)


@every_algorithm
def test_the_temperature_moves_toward_the_wanted_entropy(config):
    for wanted, sign in ((-20.0, -1), (5.0, 1)):
        algorithm, replay = _learner(config.model_copy(update={"target_entropy": wanted}))
        first = _learn(algorithm, replay, 1)["policy/temperature"]
        last = _learn(algorithm, replay, 10)["policy/temperature"]
        assert (last - first) * sign > 0


def test_statistics_reach_policy_and_networks():
    algorithm, replay = _learner(CONFIGS[3])
    algorithm.update(replay.sample(32))
    tensors = algorithm.policy_tensors()
    assert tensors["normaliser.scale"] != pytest.approx(1.0)
    assert tensors["normaliser.mean"] == pytest.approx(algorithm.moments.mean, abs=1e-6)


def test_the_quantile_loss_and_its_slope_are_the_papers():
    random = torch.Generator().manual_seed(0)
    quantiles = (2 * torch.randn(3, 8, 5, generator=random)).requires_grad_()
    targets = 2 * torch.randn(8, 12, generator=random)
    fractions = (torch.arange(5) + 0.5) / 5
    loss = quantile_huber_loss(quantiles, targets, fractions)
    (slope,) = torch.autograd.grad(loss, quantiles)

    errors = targets[None, :, None, :] - quantiles[..., None]
    huber = torch.where(errors.abs() <= 1, 0.5 * errors**2, errors.abs() - 0.5)
    weights = (fractions[:, None] - (errors.detach() < 0).float()).abs()
    reference = (weights * huber).mean()
    (reference_slope,) = torch.autograd.grad(reference, quantiles)
    assert loss.item() == pytest.approx(reference.item(), rel=1e-5)
    assert torch.allclose(slope, reference_slope, atol=1e-7)


def test_the_highest_atoms_are_left_out():
    """A critic that hopes for a fortune in its top atoms does not raise the target."""
    config = Tqc(network=MLP, quantiles=5, dropped_quantiles=2, critics=2, batch_size=32)
    calm, hopeful = _learner(config), _learner(config)
    state = hopeful[0].state()
    hopeful[0].target_critics.head.bias[..., -2:] += 1000.0
    assert not _same(state, hopeful[0].state())
    losses = [_learn(algorithm, replay, 1)["loss/critic"] for algorithm, replay in (calm, hopeful)]
    assert losses[1] < losses[0] + 10

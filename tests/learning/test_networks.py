"""Networks: an ensemble is what a loop over its members would be, and shared parameters stay shared."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tmstudio.config.run_config import MlpNetwork, Network, SimbaNetwork
from tmstudio.learning.networks.dense import Dense
from tmstudio.learning.networks.heads import Critics, GaussianActor
from tmstudio.learning.networks.parameters import FlatParameters, frozen_twin

NETWORKS: list[Network] = [
    SimbaNetwork(actor_width=16, critic_width=16, critic_blocks=2),
    MlpNetwork(width=16),
]


@pytest.fixture
def random():
    return torch.Generator().manual_seed(1)


@pytest.mark.parametrize("outputs", [1, 5])
def test_side_by_side_layers_are_separate_layers(random, outputs):
    layer = Dense(3, 4, outputs).initialise_uniform(random)
    x = torch.randn(3, 6, 4, generator=random)
    for member in range(3):
        alone = x[member] @ layer.weight[member] + layer.bias[member]
        assert torch.allclose(layer(x)[member], alone, atol=1e-6)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.kind)
def test_critics_differ_and_do_not_mix(random, network):
    critics = Critics(network, 2, 3, 2, 5, random)
    observations, actions = torch.randn(8, 3, generator=random), torch.randn(8, 2, generator=random)
    before = critics(observations, actions)
    assert before.shape == (2, 8, 5)
    assert not torch.allclose(before[0], before[1])
    with torch.no_grad():
        for parameter in critics.parameters():
            parameter[1] += 0.1
    after = critics(observations, actions)
    assert torch.equal(after[0], before[0])
    assert not torch.allclose(after[1], before[1])


def test_the_density_of_an_action_is_that_of_a_squashed_gaussian(random):
    actor = GaussianActor(NETWORKS[0], 3, 2, random)
    observations, noise = torch.randn(6, 3, generator=random), torch.randn(6, 2, generator=random)
    actions, log_density = actor.sample(observations, noise)
    mean, log_std = actor(observations)
    reference = torch.distributions.TransformedDistribution(
        torch.distributions.Normal(mean, log_std.exp()), torch.distributions.TanhTransform()
    )
    assert torch.allclose(log_density, reference.log_prob(actions).sum(dim=-1), atol=1e-3)


def test_saturated_actions_keep_finite_slopes(random):
    actor = GaussianActor(NETWORKS[0], 3, 2, random)
    with torch.no_grad():
        actor.head.bias[..., :2] = 100.0
    actions, log_density = actor.sample(torch.zeros(1, 3), torch.zeros(1, 2))
    log_density.sum().backward()
    assert actions.tolist() == [[1.0, 1.0]]
    slopes = torch.cat(
        [parameter.grad.flatten() for parameter in actor.parameters() if parameter.grad is not None]
    )
    assert torch.isfinite(slopes).all()
    assert slopes.abs().sum() > 0


def test_a_twin_follows_its_network_and_takes_no_gradient(random):
    critics = Critics(NETWORKS[0], 2, 3, 2, 1, random)
    flat = FlatParameters(critics, learning_rate=0.01)
    twin = frozen_twin(critics, flat.values)
    observations, actions = torch.randn(8, 3, generator=random), torch.randn(8, 2, generator=random)
    flat.minimise(critics(observations, actions).square().mean())
    assert torch.equal(twin(observations, actions), critics(observations, actions))
    flat.gradients.zero_()
    actions.requires_grad_()
    (slope,) = torch.autograd.grad(twin(observations, actions).sum(), actions)
    assert slope.abs().sum() > 0
    assert flat.gradients.abs().sum() == 0


def test_a_step_on_the_flat_buffer_is_a_step_of_torchs_adam(random):
    first, second = Critics(NETWORKS[1], 2, 3, 2, 4, random), Critics(NETWORKS[1], 2, 3, 2, 4, random)
    second.load_state_dict(first.state_dict())
    flat = FlatParameters(first, learning_rate=0.01)
    optimiser = torch.optim.Adam(second.parameters(), lr=0.01)
    observations, actions = torch.randn(8, 3, generator=random), torch.randn(8, 2, generator=random)
    for _ in range(5):
        flat.minimise((first(observations, actions) - 3).square().mean())
        optimiser.zero_grad()
        (second(observations, actions) - 3).square().mean().backward()
        optimiser.step()
    for ours, theirs in zip(first.parameters(), second.parameters(), strict=True):
        assert np.allclose(ours.detach(), theirs.detach(), atol=1e-5)

"""The policy: what it does, and that it is rebuilt from a file alone."""

from __future__ import annotations

import json
import pickle
import struct

import numpy as np
import pytest
import safetensors.numpy

from tmstudio.config.run_config import MlpNetwork, Network, SimbaNetwork, Tqc
from tmstudio.errors import TMStudioError
from tmstudio.learning.algorithms.build import build_algorithm
from tmstudio.learning.policy import PolicyVersion, build_policy, decode_header, decode_policy, encode_policy

NETWORKS: list[Network] = [SimbaNetwork(actor_width=16, critic_width=16), MlpNetwork(width=16)]
VERSION = PolicyVersion(policy_step=1234, updates=56, fingerprint="ab" * 32)


def _observations(count=7):
    return np.random.default_rng(0).normal(5, 3, (count, 4)).astype(np.float32)


def _trained(network):
    """An algorithm that has seen something, and a policy file of it."""
    algorithm = build_algorithm(Tqc(network=network), 4, 2, seed=3)
    algorithm.observe(_observations(100))
    policy = build_policy(network, 4, 2)
    return algorithm, encode_policy(policy.spec, algorithm.policy_tensors(), VERSION)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.kind)
def test_a_policy_is_rebuilt_from_its_file_alone(network):
    algorithm, content = _trained(network)
    policy, version = decode_policy(content)
    assert version == VERSION
    assert policy.spec.network == network
    again = build_policy(network, 4, 2)
    again.load_tensors(algorithm.policy_tensors())
    observations = _observations()
    assert (policy.act(observations, deterministic=True) == again.act(observations, deterministic=True)).all()


@pytest.mark.parametrize("count", [1, 16, 64])
def test_actions_are_one_per_observation_and_in_range(count):
    policy, _ = decode_policy(_trained(NETWORKS[0])[1])
    for deterministic in (True, False):
        actions = policy.act(_observations(count) * 100, deterministic)
        assert actions.shape == (count, 2)
        assert actions.dtype == np.float32
        assert (np.abs(actions) <= 1).all()


def test_the_untrained_policy_explores_without_a_preference():
    policy = build_policy(NETWORKS[0], 4, 2, seed=5)
    observations = np.zeros((5000, 4), np.float32)
    drawn = policy.act(observations, deterministic=False)
    assert np.abs(policy.act(observations, deterministic=True)).max() < 0.1
    assert np.abs(drawn.mean(axis=0)).max() < 0.05
    assert drawn.std(axis=0).min() > 0.4
    assert (policy.act(observations, deterministic=False) != drawn).any()


def test_the_same_seed_explores_in_the_same_way():
    observations = _observations()
    first, second, other = (build_policy(NETWORKS[0], 4, 2, seed=seed) for seed in (1, 1, 2))
    drawn = first.act(observations, deterministic=False)
    assert (second.act(observations, deterministic=False) == drawn).all()
    assert (other.act(observations, deterministic=False) != drawn).any()


def _with_metadata(content, **changes):
    (length,) = struct.unpack_from("<Q", content)
    metadata = json.loads(content[8 : 8 + length])["__metadata__"] | changes
    return safetensors.numpy.save(safetensors.numpy.load(content), {k: v for k, v in metadata.items() if v})


@pytest.mark.parametrize(
    ("damage", "cause"),
    [
        (lambda content: b"", "no safetensors"),
        (lambda content: pickle.dumps({"actor": 1}), "no safetensors"),
        (lambda content: b"\xff" * 64, "no safetensors"),
        (lambda content: content[: len(content) // 2], "damaged"),
        (lambda content: safetensors.numpy.save({"w": np.zeros(3, np.float32)}), "no policy of TMStudio"),
        (lambda content: _with_metadata(content, tmstudio_policy="2"), "format 2"),
        (lambda content: _with_metadata(content, config="{}"), "description"),
        (lambda content: _with_metadata(content, config="[1"), "description"),
        (lambda content: _with_metadata(content, updates="many"), "description"),
        (lambda content: _with_metadata(content, fingerprint=""), "description"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(damage, cause):
    _, content = _trained(NETWORKS[0])
    with pytest.raises(TMStudioError) as raised:
        decode_policy(damage(content))
    assert cause in raised.value.cause


def test_the_header_alone_tells_what_a_policy_is():
    _, content = _trained(NETWORKS[1])
    spec, version = decode_header(content)
    assert (spec.network, spec.observation_size, spec.action_size) == (NETWORKS[1], 4, 2)
    assert version == VERSION


def _nan(tensors):
    tensors["actor.head.bias"][...] = np.nan


def _reshape(tensors):
    tensors["actor.head.bias"] = np.zeros((1, 1, 6), np.float32)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (_nan, "not finite"),
        (_reshape, r"float32\(1, 1, 6\) instead of float32\(1, 1, 4\)"),
        (lambda tensors: tensors.pop("normaliser.mean"), "normaliser.mean is missing"),
        (lambda tensors: tensors.update(extra=np.zeros(1, np.float32)), "extra is unknown"),
    ],
)
def test_unfit_tensors_change_nothing(change, fault):
    algorithm, content = _trained(NETWORKS[0])
    policy, _ = decode_policy(content)
    before = policy.act(_observations(), deterministic=True)
    tensors = {name: np.array(value) + 1 for name, value in algorithm.policy_tensors().items()}
    change(tensors)
    with pytest.raises(TMStudioError, match=fault):
        policy.load_tensors(tensors)
    assert (policy.act(_observations(), deterministic=True) == before).all()

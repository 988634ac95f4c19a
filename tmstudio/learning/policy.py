"""The side that acts: from raw observations to actions, on the CPU, rebuilt from a file alone."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
import torch
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError
from torch import nn

from tmstudio.config.run_config import Network
from tmstudio.errors import TMStudioError
from tmstudio.learning.networks.heads import GaussianActor, normalises_observations
from tmstudio.learning.normaliser import Normaliser

FORMAT = "1"

_FORMAT_KEY = "tmstudio_policy"
_NETWORKS: TypeAdapter[Network] = TypeAdapter(Network)


@dataclass(frozen=True)
class PolicySpec:
    """What a policy is built from: its network and the sizes D of an observation and A of an action."""

    network: Network
    observation_size: int
    action_size: int

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(
            {
                "network": self.network.model_dump(mode="json"),
                "observation_size": self.observation_size,
                "action_size": self.action_size,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> PolicySpec:
        """From JSON text.

        Raises:
            ValueError: the text does not describe a policy.
        """
        data = json.loads(text)
        try:
            return cls(
                _NETWORKS.validate_python(data["network"]),
                int(data["observation_size"]),
                int(data["action_size"]),
            )
        except (ValidationError, KeyError, TypeError) as error:
            raise ValueError(f"no description of a policy: {error}") from error


@dataclass(frozen=True)
class PolicyVersion:
    """Where a policy comes from.

    Attributes:
        policy_step: transitions that the learner had received when it was made.
        updates: updates that made it.
        fingerprint: the run's identity.
    """

    policy_step: int
    updates: int
    fingerprint: str


class Policy:
    """Chooses actions. Holds no algorithm, critic or optimiser."""

    def __init__(self, spec: PolicySpec, seed: int = 0) -> None:
        self.spec = spec
        generator = torch.Generator().manual_seed(seed)
        actor = GaussianActor(spec.network, spec.observation_size, spec.action_size, generator)
        self._modules = nn.ModuleDict({"actor": actor, "normaliser": Normaliser(spec.observation_size)})
        self._modules.requires_grad_(False)
        self._actor = actor
        self._normaliser = self._modules["normaliser"]
        self._normalises = normalises_observations(spec.network)
        self._random = generator

    def act(self, observations: NDArray[np.float32], deterministic: bool) -> NDArray[np.float32]:
        """Choose actions for (N, D) raw observations.

        Args:
            observations: (N, D) float32.
            deterministic: the most likely action instead of a draw.

        Returns:
            (N, A) float32 in [-1, 1].
        """
        with torch.inference_mode():
            inputs = torch.from_numpy(observations)
            if self._normalises:
                inputs = self._normaliser(inputs)
            mean, log_std = self._actor(inputs)
            if not deterministic:
                mean = torch.randn(mean.shape, generator=self._random).mul_(log_std.exp_()).add_(mean)
            actions: NDArray[np.float32] = mean.tanh().numpy()
            return actions

    def load_tensors(self, tensors: Mapping[str, NDArray[np.float32]]) -> None:
        """Take over what :meth:`Algorithm.policy_tensors` gave: all of it, or nothing.

        Raises:
            TMStudioError: a tensor is missing, unknown, of another shape or type, or not finite.
        """
        expected = self._modules.state_dict()
        faults = [f"{name} is missing" for name in expected.keys() - tensors.keys()]
        faults += [f"{name} is unknown" for name in tensors.keys() - expected.keys()]
        for name in expected.keys() & tensors.keys():
            array, wanted = tensors[name], tuple(expected[name].shape)
            if array.dtype != np.float32 or array.shape != wanted:
                faults.append(f"{name} is {array.dtype}{array.shape} instead of float32{wanted}")
            elif not np.isfinite(array).all():
                faults.append(f"{name} has numbers that are not finite")
        if faults:
            raise _unusable("; ".join(sorted(faults)))
        self._modules.load_state_dict(
            {name: torch.from_numpy(np.array(array)) for name, array in tensors.items()}
        )


def build_policy(network: Network, observation_size: int, action_size: int, seed: int = 0) -> Policy:
    """An untrained policy: the same for the same seed."""
    return Policy(PolicySpec(network, observation_size, action_size), seed)


def encode_policy(
    spec: PolicySpec, tensors: Mapping[str, NDArray[np.float32]], version: PolicyVersion
) -> bytes:
    """A policy as the bytes of a safetensors file that says all about itself."""
    metadata = {
        _FORMAT_KEY: FORMAT,
        "config": spec.to_json(),
        "policy_step": str(version.policy_step),
        "updates": str(version.updates),
        "fingerprint": version.fingerprint,
    }
    return safetensors.numpy.save(dict(tensors), metadata)


def decode_policy(content: bytes, seed: int = 0) -> tuple[Policy, PolicyVersion]:
    """The policy in the bytes of a file that :func:`encode_policy` made.

    Raises:
        TMStudioError: the bytes are damaged, something else, or of a newer version.
    """
    spec, version = decode_header(content)
    policy = Policy(spec, seed)
    policy.load_tensors(_tensors(content))
    return policy, version


def decode_header(content: bytes) -> tuple[PolicySpec, PolicyVersion]:
    """What a policy file says about itself, without its tensors.

    Raises:
        TMStudioError: the bytes are damaged, something else, or of a newer version.
    """
    metadata = _metadata(content)
    found = metadata.get(_FORMAT_KEY)
    if found is None:
        raise _unusable("it is a safetensors file, but no policy of TMStudio")
    if found != FORMAT:
        raise _unusable(f"it has format {found}, this program knows {FORMAT}")
    try:
        return PolicySpec.from_json(metadata["config"]), PolicyVersion(
            int(metadata["policy_step"]), int(metadata["updates"]), metadata["fingerprint"]
        )
    except (KeyError, ValueError) as error:
        raise _unusable(f"its description cannot be read: {error}") from error


def _metadata(content: bytes) -> dict[str, str]:
    # safetensors reads metadata from files only; the format is a length, then JSON.
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + length])
        metadata: dict[str, str] = header.get("__metadata__", {})
    except (struct.error, ValueError, AttributeError, OverflowError) as error:
        raise _unusable("it is no safetensors file, or damaged") from error
    return metadata


def _tensors(content: bytes) -> dict[str, NDArray[Any]]:
    try:
        return safetensors.numpy.load(content)
    except (safetensors.SafetensorError, KeyError, ValueError) as error:
        raise _unusable(f"it is damaged: {error}") from error


def _unusable(cause: str) -> TMStudioError:
    return TMStudioError(
        "The policy cannot be used",
        cause=cause,
        hint="choose another checkpoint of the run, or train again",
    )

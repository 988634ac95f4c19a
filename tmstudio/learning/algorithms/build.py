"""From a configuration to the algorithm it names."""

from __future__ import annotations

import torch

from tmstudio.config.run_config import Algorithm as AlgorithmConfig
from tmstudio.config.run_config import Sac, Tqc
from tmstudio.learning.algorithms.base import Algorithm
from tmstudio.learning.algorithms.sac import SacAlgorithm
from tmstudio.learning.algorithms.tqc import TqcAlgorithm


def build_algorithm(
    config: AlgorithmConfig, observation_size: int, action_size: int, *, seed: int, device: str = "cpu"
) -> Algorithm:
    """The algorithm of ``config`` with fresh parameters.

    Numbers too small for the processor's quick path are set to zero in this thread from now on: the moments of
    Adam are full of them, and each costs a hundred times a normal one.
    """
    torch.set_flush_denormal(True)
    match config:
        case Sac():
            return SacAlgorithm(config, observation_size, action_size, seed=seed, device=device)
        case Tqc():
            return TqcAlgorithm(config, observation_size, action_size, seed=seed, device=device)

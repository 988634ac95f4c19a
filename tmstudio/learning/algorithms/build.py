"""From a configuration to the algorithm it names."""

from __future__ import annotations

from tmstudio.config.run_config import Algorithm as AlgorithmConfig
from tmstudio.config.run_config import Sac, Tqc
from tmstudio.learning.algorithms.base import Algorithm
from tmstudio.learning.algorithms.sac import SacAlgorithm
from tmstudio.learning.algorithms.tqc import TqcAlgorithm
from tmstudio.learning.tuning import keep_freed_memory


def build_algorithm(
    config: AlgorithmConfig, observation_size: int, action_size: int, *, seed: int, device: str = "cpu"
) -> Algorithm:
    """The algorithm of ``config`` with fresh parameters."""
    keep_freed_memory()
    match config:
        case Sac():
            return SacAlgorithm(config, observation_size, action_size, seed=seed, device=device)
        case Tqc():
            return TqcAlgorithm(config, observation_size, action_size, seed=seed, device=device)

"""Updates a second, beside Stable-Baselines3 and sb3-contrib: same networks, batch and thread, in turns.

Each learner draws its batch from its own full replay and updates; one thread, the CPU. Rounds alternate, the
best round of each counts, and time is the processor's, so that what else runs on the machine disturbs neither
side alone. On an idle machine it is the same as the clock's.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import gymnasium
import numpy as np
import torch
from sb3_contrib import TQC
from stable_baselines3 import SAC
from stable_baselines3.common.logger import configure

from tmstudio.config.run_config import MlpNetwork, Sac, Tqc
from tmstudio.learning.algorithms.build import build_algorithm
from tmstudio.learning.policy import build_policy
from tmstudio.learning.replay.storage import Shape
from tmstudio.learning.replay.uniform import ReplayStore
from tmstudio.runs.chunk import Chunk

_OBSERVATION, _ACTION, _BATCH, _ROWS = 83, 3, 256, 20_000
_ROUNDS, _UPDATES = 15, 4


class _Spaces(gymnasium.Env[np.ndarray, np.ndarray]):
    """No environment, only its spaces: both sides learn from the same random numbers."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (_OBSERVATION,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (_ACTION,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Zeros."""
        return np.zeros(_OBSERVATION, np.float32), {}


def _theirs(algorithm: type[SAC | TQC]) -> Callable[[], None]:
    model = algorithm("MlpPolicy", _Spaces(), batch_size=_BATCH, buffer_size=_ROWS, device="cpu", seed=1)
    model.set_logger(configure(None, []))
    random = np.random.default_rng(1)
    buffer = model.replay_buffer
    for name in ("observations", "next_observations", "actions", "rewards"):
        array = getattr(buffer, name)
        array[...] = random.uniform(-1, 1, array.shape)
    buffer.full = True
    return lambda: model.train(gradient_steps=1, batch_size=_BATCH)


def _ours(config: Sac | Tqc) -> Callable[[], None]:
    replay = ReplayStore.create(
        None,
        Shape(_ROWS, _OBSERVATION, _ACTION, 1),
        n_step=config.n_step,
        gamma=config.gamma,
        weights=[1.0],
        seed=1,
    )
    algorithm = build_algorithm(config, _OBSERVATION, _ACTION, seed=1)
    random = np.random.default_rng(1)
    steps = 99
    for _ in range(_ROWS // (steps + 1)):
        chunk = Chunk(
            observations=random.uniform(-1, 1, (steps + 1, _OBSERVATION)).astype(np.float32),
            actions=random.uniform(-1, 1, (steps, _ACTION)).astype(np.float32),
            reward_terms=random.uniform(-1, 1, (steps, 1)).astype(np.float32),
            terminated=np.zeros(steps, np.bool_),
            truncated=np.zeros(steps, np.bool_),
        )
        replay.append(chunk)
        algorithm.observe(chunk.observations)

    def update() -> None:
        algorithm.update(replay.sample(_BATCH))

    return update


def _rates(learners: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Name -> updates a second of processor time in the best round."""
    best = dict.fromkeys(learners, 0.0)
    for update in learners.values():
        for _ in range(3):
            update()
    for _ in range(_ROUNDS):
        for name, update in learners.items():
            started = time.process_time()
            for _ in range(_UPDATES):
                update()
            best[name] = max(best[name], _UPDATES / (time.process_time() - started))
    return best


def _act_ms(cars: int) -> float:
    """Milliseconds that the default policy takes to choose one action for each car."""
    policy = build_policy(Tqc().network, _OBSERVATION, _ACTION)
    observations = np.zeros((cars, _OBSERVATION), np.float32)
    best_s = float("inf")
    for _ in range(20):
        started = time.process_time()
        for _ in range(20):
            policy.act(observations, deterministic=False)
        best_s = min(best_s, (time.process_time() - started) / 20)
    return best_s * 1e3


def main() -> list[tuple[str, str, str]]:
    """Measure. Rows of what, measured, asked."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    network = MlpNetwork(width=256, layers=2)
    rates = _rates(
        {
            "their SAC": _theirs(SAC),
            "our SAC": _ours(Sac(network=network, n_step=1)),
            "their TQC": _theirs(TQC),
            "our TQC": _ours(Tqc(network=network, n_step=1)),
            "our default": _ours(Tqc()),
        }
    )

    def row(what: str, ours: str, theirs: str, asked: str) -> tuple[str, str, str]:
        ratio = rates[ours] / rates[theirs]
        return what, f"{rates[ours]:.0f}/s against {rates[theirs]:.0f}/s: {ratio:.2f} ×", asked

    return [
        row("SAC updates, MLP 256 × 2, against Stable-Baselines3", "our SAC", "their SAC", "≥ 1.2 ×"),
        row("TQC updates, MLP 256 × 2, against sb3-contrib", "our TQC", "their TQC", "≥ 1.2 ×"),
        row(
            "TQC updates, default SimBa networks, against sb3-contrib's MLP",
            "our default",
            "their TQC",
            "≥ 1 ×",
        ),
        *(
            (f"the default policy acts for {cars} cars", f"{_act_ms(cars):.2f} ms", "≤ 1 ms")
            for cars in (1, 16, 64)
        ),
    ]


if __name__ == "__main__":
    for line in main():
        print(*line, sep=" | ")

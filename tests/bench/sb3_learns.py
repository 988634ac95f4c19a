"""Whether another library's agent learns on ``TMStudio/Drive-v0``: Stable-Baselines3's SAC against chance.

It asks for at least one finished lap and, after a fixed number of steps, a mean return that beats a random policy's
by three times its size. Takes some minutes on one core: ``python tests/bench/sb3_learns.py``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import SAC
from stable_baselines3.common.env_util import make_vec_env

ENV_ID = "tmstudio.env.registration:TMStudio/Drive-v0"
TRACK = "meadow"
STEPS = 40_000
ENVS = 8
TRIALS = 10

Policy = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def trial_returns(env: gymnasium.Env[Any, Any], policy: Policy) -> tuple[list[float], list[float]]:
    """Returns of trials, and the times of the laps among them that were finished."""
    returns, laps = [], []
    for seed in range(TRIALS):
        observation, _ = env.reset(seed=seed)
        total, over = 0.0, False
        info: dict[str, Any] = {}
        while not over:
            observation, reward, terminated, truncated, info = env.step(policy(observation))
            total += float(reward)
            over = terminated or truncated
        returns.append(total)
        if info["attempt"]["finished"]:
            laps.append(float(info["attempt"]["lap_time_s"]))
    return returns, laps


def trained() -> SAC:
    """An agent after `STEPS` steps on the environment, with settings that its library documents."""
    envs = make_vec_env(ENV_ID, n_envs=ENVS, seed=1, env_kwargs={"track": TRACK})
    model = SAC(
        "MlpPolicy",
        envs,
        learning_rate=1e-3,
        buffer_size=STEPS,
        learning_starts=2_000,
        batch_size=256,
        gamma=0.98,
        n_steps=3,
        train_freq=1,
        gradient_steps=1,
        ent_coef="auto_0.01",
        policy_kwargs={"net_arch": [256, 256]},
        seed=1,
        device="cpu",
    )
    model.learn(STEPS)
    envs.close()
    return model


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked)."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    env = gymnasium.make(ENV_ID, track=TRACK, episode={"random_starts": 0.0})
    random_returns, random_laps = trial_returns(env, lambda _: rng.uniform(-1.0, 1.0, 3).astype(np.float32))
    chance = float(np.mean(random_returns))
    begun = time.perf_counter()
    model = trained()
    took_s = time.perf_counter() - begun
    returns, laps = trial_returns(env, lambda observation: model.predict(observation, deterministic=True)[0])
    asked = chance + 2.0 * abs(chance)
    best = f", best {min(laps):.2f} s" if laps else ""
    return [
        ("random policy: finished laps", f"{len(random_laps)} of {TRIALS}", "0"),
        ("random policy: mean return", f"{chance:.1f}", ""),
        (f"SB3 SAC after {STEPS:,} steps: finished laps", f"{len(laps)} of {TRIALS}{best}", ">= 1"),
        (f"SB3 SAC after {STEPS:,} steps: mean return", f"{np.mean(returns):.1f}", f">= {asked:.1f}"),
        ("SB3 SAC: training time", f"{took_s:.0f} s", ""),
    ]


if __name__ == "__main__":
    rows = main()
    for what, measured, wanted in rows:
        print(f"{what:<48} {measured:<24} {wanted}")
    learned = not rows[2][1].startswith("0 ") and float(rows[3][1]) >= float(rows[3][2].removeprefix(">= "))
    sys.exit(0 if learned else 1)

"""Time to draw a batch from a full, memory-mapped replay of the default size, larger than any processor cache."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from tmstudio.config.run_config import UniformReplay
from tmstudio.learning.replay.storage import Shape
from tmstudio.learning.replay.uniform import ReplayStore
from tmstudio.runs.chunk import Chunk

_OBSERVATION, _ACTION, _TERMS, _BATCH = 83, 3, 6, 256
_CHUNK = 64
_ROUNDS, _DRAWS = 100, 20


def _full_replay(path: Path) -> tuple[ReplayStore, float]:
    """A full replay, and the seconds of processor time that one transition took to append."""
    rows = UniformReplay().capacity
    replay = ReplayStore.create(
        path,
        Shape(rows, _OBSERVATION, _ACTION, _TERMS),
        n_step=3,
        gamma=0.98,
        weights=np.ones(_TERMS),
        seed=1,
    )
    random = np.random.default_rng(1)
    chunk = Chunk(
        observations=random.random((_CHUNK + 1, _OBSERVATION), np.float32),
        actions=random.random((_CHUNK, _ACTION), np.float32),
        reward_terms=random.random((_CHUNK, _TERMS), np.float32),
        terminated=np.zeros(_CHUNK, np.bool_),
        truncated=np.zeros(_CHUNK, np.bool_),
    )
    started = time.process_time()
    while replay.head <= rows:
        replay.append(chunk)
    return replay, (time.process_time() - started) / replay.head


def main() -> list[tuple[str, str, str]]:
    """Measure. Rows of what, measured, asked."""
    with tempfile.TemporaryDirectory() as folder:
        replay, append_s = _full_replay(Path(folder) / "replay.bin")
        best_s = float("inf")
        for _ in range(_ROUNDS):
            started = time.process_time()
            for _ in range(_DRAWS):
                replay.sample(_BATCH)
            best_s = min(best_s, (time.process_time() - started) / _DRAWS)
        replay.close()
    return [
        (f"drawing {_BATCH} × {_OBSERVATION} floats", f"{best_s * 1e6:.0f} µs", "≤ 60 µs"),
        ("appending a transition, first pass over the file", f"{append_s * 1e6:.1f} µs", ""),
    ]


if __name__ == "__main__":
    for line in main():
        print(*line, sep=" | ")

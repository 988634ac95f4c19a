"""What a driver would send."""

from __future__ import annotations

import numpy as np
import pytest

from tmstudio.runs.chunk import Chunk


@pytest.fixture
def chunk() -> Chunk:
    """Three steps that end an attempt by the time limit."""
    rng = np.random.default_rng(0)
    return Chunk(
        observations=rng.standard_normal((4, 5)).astype(np.float32),
        actions=rng.uniform(-1, 1, (3, 3)).astype(np.float32),
        reward_terms=rng.standard_normal((3, 2)).astype(np.float32),
        terminated=np.array([False, False, False]),
        truncated=np.array([False, False, True]),
    )

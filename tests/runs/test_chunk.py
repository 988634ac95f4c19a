from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runs.chunk import Chunk


def chunk(steps: int = 3) -> Chunk:
    return Chunk(
        observations=np.zeros((steps + 1, 5), np.float32),
        actions=np.zeros((steps, 3), np.float32),
        reward_terms=np.zeros((steps, 6), np.float32),
        terminated=np.zeros(steps, bool),
        truncated=np.zeros(steps, bool),
    )


def test_a_good_chunk_passes_and_knows_its_length() -> None:
    assert len(chunk().check()) == 3
    assert not chunk().ends_episode


def test_an_episode_may_end_at_the_last_transition() -> None:
    for field in ("terminated", "truncated"):
        ended = replace(chunk(), **{field: np.array([False, False, True])})
        assert ended.check().ends_episode


@pytest.mark.parametrize(
    ("field", "value", "cause"),
    [
        ("observations", np.zeros((3, 5), np.float32), "shapes"),
        ("observations", np.zeros(4, np.float32), "shapes"),
        ("reward_terms", np.zeros((2, 6), np.float32), "shapes"),
        ("truncated", np.zeros((3, 1), bool), "shapes"),
        ("actions", np.zeros((3, 3), np.float64), "float32"),
        ("terminated", np.zeros(3, np.uint8), "bool"),
        ("observations", np.full((4, 5), np.nan, np.float32), "not finite"),
        ("reward_terms", np.full((3, 6), np.inf, np.float32), "not finite"),
        ("terminated", np.array([True, False, False]), "before the last"),
        ("truncated", np.array([False, True, False]), "before the last"),
    ],
)
def test_what_cannot_be_driving_is_refused(field: str, value: np.ndarray, cause: str) -> None:
    with pytest.raises(TMStudioError) as caught:
        replace(chunk(), **{field: value}).check()
    assert cause in caught.value.cause


def test_an_empty_chunk_is_refused() -> None:
    with pytest.raises(TMStudioError, match="cannot be used"):
        chunk(0).check()

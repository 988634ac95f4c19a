"""Reward trajectories are read; pickles with anything but a plain array are refused and never run."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tmstudio.errors import TMStudioError
from tmstudio.track.importers.trajectory import read_trajectory

LINE_M = np.cumsum(np.ones((50, 3)), axis=0)


class Runs:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("protocol", [3, 4])
def test_positions_are_read(tmp_path: Path, dtype: type, protocol: int) -> None:
    path = tmp_path / "reward.pkl"
    path.write_bytes(pickle.dumps(LINE_M.astype(dtype), protocol=protocol))
    assert np.array_equal(read_trajectory(path), LINE_M)


def test_a_pickle_that_runs_code_is_refused_and_not_run(tmp_path: Path) -> None:
    path, target = tmp_path / "reward.pkl", tmp_path / "made"
    path.write_bytes(pickle.dumps(Runs(target)))
    with pytest.raises(TMStudioError, match="is not run"):
        read_trajectory(path)
    assert not target.exists()


@pytest.mark.parametrize(
    "content",
    [np.array([[None] * 3] * 4), np.full((9, 3), np.nan), np.ones((2, 3)), np.ones(9), [1.0], None],
)
def test_other_content_is_refused(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "reward.pkl"
    path.write_bytes(pickle.dumps(content))
    with pytest.raises(TMStudioError, match="cannot be used"):
        read_trajectory(path)


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reward.pkl"
    content = pickle.dumps(LINE_M, protocol=4)
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(TMStudioError):
            read_trajectory(path)


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04Nr\xff\xff\xff\x7f.",  # A memo of two thousand million places.
        b"\x80\x05\x96\x00\x00\x00\x00\x04\x00\x00\x00.",  # A byte array of 16 GiB.
        b"\x80\x04" + b"N" * 1000 + b".",
    ],
)
def test_opcodes_that_ask_for_memory_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "reward.pkl"
    path.write_bytes(content)
    with pytest.raises(TMStudioError, match="cannot be used"):
        read_trajectory(path)


def test_bytes_changed_at_random_are_read_or_refused(tmp_path: Path) -> None:
    path, random = tmp_path / "reward.pkl", np.random.default_rng(1)
    whole = np.frombuffer(pickle.dumps(LINE_M[:8], protocol=4), np.uint8)
    for _ in range(500):
        changed = whole.copy()
        places = random.integers(len(changed), size=random.integers(1, 6))
        changed[places] = random.integers(256, size=len(places))
        path.write_bytes(changed.tobytes())
        try:
            positions = read_trajectory(path)
        except TMStudioError:
            continue
        assert positions.shape[1] == 3
        assert np.isfinite(positions).all()

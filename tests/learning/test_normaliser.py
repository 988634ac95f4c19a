"""Running moments against NumPy's over everything at once."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tmstudio.learning.normaliser import Normaliser, RunningMoments


def test_moments_of_pieces_are_the_moments_of_the_whole():
    random = np.random.default_rng(0)
    data = (random.normal(size=(1000, 5)) * [1, 10, 0.1, 1, 5] + [0, 1000, 3, -1e4, 0]).astype(np.float32)
    moments = RunningMoments(5)
    for piece in np.split(data, [1, 2, 10, 500, 500, 999]):
        moments.update(piece)
    assert moments.count == 1000
    assert moments.mean == pytest.approx(data.astype(np.float64).mean(axis=0))
    assert moments.std == pytest.approx(data.astype(np.float64).std(axis=0))


def test_a_column_that_never_changes_is_only_centred():
    moments = RunningMoments(2)
    moments.update(np.tile(np.array([[5.0, 0.0]], np.float32), (100, 1)))
    assert moments.std.tolist() == [1, 1]


def test_nothing_seen_changes_nothing():
    normaliser = Normaliser(3)
    normaliser.refresh(RunningMoments(3))
    assert normaliser(torch.ones(2, 3)).tolist() == torch.ones(2, 3).tolist()


def test_observations_come_out_normal_and_clipped():
    random = np.random.default_rng(0)
    data = random.normal(3, 2, (5000, 2)).astype(np.float32)
    moments, normaliser = RunningMoments(2), Normaliser(2)
    moments.update(data)
    normaliser.refresh(moments)
    normal = normaliser(torch.from_numpy(data))
    assert normal.mean(dim=0).abs().max() < 1e-4
    assert (normal.std(dim=0) - 1).abs().max() < 1e-3
    assert normaliser(torch.tensor([[1e6, -1e6]])).tolist() == [[10, -10]]

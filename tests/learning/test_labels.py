"""n-step labels against values worked out by hand, and against the plain definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmstudio.learning.replay.labels import n_step_labels


def _label(rewards, *, n_step, gamma, terminates):
    steps = len(rewards)
    padded = np.zeros(steps + n_step - 1, np.float32)
    padded[:steps] = rewards
    return n_step_labels(
        padded,
        np.arange(steps, 0, -1, dtype=np.int32),
        np.full(steps, terminates),
        n_step=n_step,
        gamma=gamma,
    )


def test_a_termination_ends_the_return_and_is_not_bootstrapped():
    labels = _label([1.0, 2.0], n_step=3, gamma=0.5, terminates=True)
    assert labels.returns.tolist() == [2.0, 2.0]
    assert labels.discounts.tolist() == [0.0, 0.0]


def test_a_truncated_step_bootstraps_after_one_step():
    labels = _label([7.0], n_step=3, gamma=0.9, terminates=False)
    assert labels.returns.tolist() == [7.0]
    assert labels.discounts == pytest.approx([0.9])
    assert labels.steps.tolist() == [1]


def test_a_termination_beyond_n_steps_is_not_seen():
    labels = _label([1.0, 1.0, 1.0], n_step=2, gamma=0.5, terminates=True)
    assert labels.discounts.tolist() == [0.25, 0.0, 0.0]
    assert labels.steps.tolist() == [2, 2, 1]


@given(
    rewards=st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=12),
    n_step=st.integers(1, 8),
    gamma=st.floats(0.5, 0.999),
    terminates=st.booleans(),
)
def test_labels_are_what_the_definition_says(rewards, n_step, gamma, terminates):
    labels = _label(rewards, n_step=n_step, gamma=gamma, terminates=terminates)
    for start in range(len(rewards)):
        seen = rewards[start : start + n_step]
        assert labels.returns[start] == pytest.approx(sum(gamma**k * r for k, r in enumerate(seen)), abs=1e-3)
        reaches_the_end = start + len(seen) == len(rewards)
        expected = 0.0 if terminates and reaches_the_end else gamma ** len(seen)
        assert labels.discounts[start] == pytest.approx(expected, rel=1e-5)
        assert labels.steps[start] == len(seen)

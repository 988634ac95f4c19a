"""When learning has run away."""

from __future__ import annotations

import pytest

from tmstudio.learning.health import is_healthy, problem_of, value_limit

_SOUND = {"loss/critic": 0.3, "loss/actor": -4.0, "value/q_mean": 12.0}


def test_ordinary_metrics_are_healthy():
    assert is_healthy(_SOUND, value_limit(10.0, 0.98))


@pytest.mark.parametrize("broken", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_named(broken):
    problem = problem_of({**_SOUND, "loss/actor": broken}, value_limit(10.0, 0.98))
    assert "loss/actor" in problem


def test_values_beyond_what_rewards_allow_are_a_fault():
    limit = value_limit(2.0, 0.9)
    assert limit == pytest.approx(200)
    assert is_healthy({"value/q_mean": -199.0}, limit)
    assert "value estimate" in problem_of({"value/q_mean": -201.0}, limit)

"""The reward's terms are raw, in natural units, in a fixed order."""

from __future__ import annotations

import numpy as np

from tmstudio.config.run_config import Reward
from tmstudio.env.reward import REWARD_TERMS, WALL_CONTACT_M, reward_terms, reward_weights


def test_terms_are_raw_and_weights_apart() -> None:
    terms = reward_terms(
        progress_m=np.array([2.5, 0.0]),
        elapsed_s=np.array([0.02, 0.05]),
        finished=np.array([True, False]),
        failed=np.array([False, True]),
        beyond_border_m=np.array([-3.0, WALL_CONTACT_M + 0.05]),
        step_s=0.05,
        steer=np.array([1.0, 0.0], dtype=np.float32),
        last_steer=np.array([-1.0, 0.5], dtype=np.float32),
    )
    np.testing.assert_allclose(terms, [[2.5, 0.02, 1, 0, 0, 1.0], [0, 0.05, 0, 1, 0.05, 0.25]], rtol=1e-6)
    config = Reward(progress=2.0, time=-3.0, finish=10.0, failure=-5.0, wall_contact=-1.0, steering=-0.5)
    weights = reward_weights(config)
    assert weights.tolist() == [2.0, -3.0, 10.0, -5.0, -1.0, -0.5]
    np.testing.assert_allclose(terms @ weights, [5.0 - 0.06 + 10.0 - 0.5, -0.15 - 5.0 - 0.05 - 0.125])


def test_each_weight_of_the_configuration_is_a_term() -> None:
    assert set(Reward.model_fields) == set(REWARD_TERMS)

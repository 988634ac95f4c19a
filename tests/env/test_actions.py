"""Actions become pedals and a wheel; what is no action is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tmstudio.config.run_config import AnalogAction, KeyboardAction
from tmstudio.env.actions import ActionError, as_sent, checked_actions, controls_of


def actions(*rows: list[float]) -> NDArray[np.float32]:
    return np.array(rows, dtype=np.float32)


def test_a_pedal_at_or_below_zero_is_released() -> None:
    controls = controls_of(actions([1.0, -1.0, 0.25], [-0.5, 0.75, -1.0]))
    assert controls.gas.tolist() == [1.0, 0.0]
    assert controls.brake.tolist() == [0.0, 0.75]
    assert controls.steer.tolist() == [0.25, -1.0]


def test_keys_are_pressed_or_not() -> None:
    sent = as_sent(actions([0.6, 0.4, -0.51], [-0.9, 1.0, 0.5]), KeyboardAction())
    assert sent.tolist() == [[1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]
    assert sent.dtype == np.float32
    analog = actions([0.6, 0.4, -0.51])
    assert as_sent(analog, AnalogAction()) is analog


def test_keys_for_both_pedals_are_never_pressed_together() -> None:
    sent = as_sent(actions([0.9, 0.6, 0.0], [1.0, 0.4, 0.0], [-1.0, 1.0, 0.0]), KeyboardAction())
    assert sent.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 1.0, 0.0]]


def test_actions_are_copied_and_clipped() -> None:
    given = np.array([[3.0, -2.0, 0.5]])
    checked = checked_actions(given, 1)
    assert checked.tolist() == [[1.0, -1.0, 0.5]]
    assert checked.dtype == np.float32
    given[:] = 0.0
    assert checked[0, 0] == 1.0


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (np.zeros(3), "shape"),
        (np.zeros((1, 4)), "shape"),
        (np.array([[0.0, np.nan, 0.0]]), "not a number"),
        (np.array([[0.0, np.inf, 0.0]]), "not a number"),
        (np.array([["a", "b", "c"]]), "numbers"),
    ],
)
def test_what_is_no_action_is_refused(bad: NDArray[np.float64], word: str) -> None:
    with pytest.raises(ActionError, match=word):
        checked_actions(bad, 1)

"""Progress is paid once, never for a jump, and a lap is worth its length."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tmstudio.env.progress import MAX_PROGRESS_MPS, OFF_TRACK_M, ProgressRatchet

LENGTH_M = 600.0
STEP_S = 0.05
STUCK_S = 3.0


def drive(ratchet: ProgressRatchet, places_m: list[float], beyond_m: float = -5.0) -> list[float]:
    """Metres paid in each step of a car that is at these places."""
    paid = [
        ratchet.advance(np.array([place]), np.array([beyond_m]), np.array([False]))[0] for place in places_m
    ]
    return [float(metres) for metres in paid]


def test_a_metre_is_paid_once() -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    assert drive(ratchet, [1.0, 2.0, 1.0, 2.0, 1.0, 2.5]) == [1.0, 1.0, 0.0, 0.0, 0.0, 0.5]
    assert ratchet.behind_m[0] == 0.0


def test_driving_back_and_forth_earns_nothing() -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    ratchet.restart(np.array([0]), np.array([100.0]))
    swing = [100.0 + 0.9 * np.sin(step / 3.0) for step in range(400)]
    assert sum(drive(ratchet, swing)) <= 0.9
    assert ratchet.stalled_s[0] > 19.0


def test_a_jump_is_passed_over_unpaid_and_the_road_after_it_is_paid() -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    assert drive(ratchet, [5.0, 65.0, 70.0]) == [5.0, 0.0, 5.0]
    assert ratchet.furthest_m[0] == 70.0


def test_the_fastest_car_is_paid_in_full() -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    step_m = MAX_PROGRESS_MPS * STEP_S
    assert step_m == 14.0
    assert drive(ratchet, [step_m]) == [step_m]


def test_a_cut_beside_the_track_is_not_paid() -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    assert drive(ratchet, [10.0, 20.0, 30.0], beyond_m=OFF_TRACK_M + 1.0) == [0.0, 0.0, 0.0]
    assert drive(ratchet, [35.0]) == [5.0]


def test_crossing_the_line_completes_the_lap() -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    ratchet.restart(np.array([0]), np.array([596.0]))
    paid = ratchet.advance(np.array([598.5]), np.array([-5.0]), np.array([True]))
    assert paid[0] == 4.0
    assert ratchet.furthest_m[0] == LENGTH_M


def test_a_restart_leaves_the_other_cars_alone() -> None:
    ratchet = ProgressRatchet(3, LENGTH_M, STEP_S, STUCK_S)
    inside, running = np.full(3, -5.0), np.zeros(3, dtype=np.bool_)
    ratchet.advance(np.array([3.0, 4.0, 5.0]), inside, running)
    ratchet.restart(np.array([1]), np.array([200.0]))
    paid = ratchet.advance(np.array([4.0, 201.0, 6.0]), inside, running)
    assert paid.tolist() == [1.0, 1.0, 1.0]


def test_creeping_is_being_stuck_and_driving_is_not() -> None:
    for speed_mps, stuck in ((0.2, True), (1.9, True), (2.1, False), (30.0, False)):
        ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
        drive(ratchet, [speed_mps * STEP_S * step for step in range(60)])
        assert ratchet.stuck[0] == stuck
        assert (ratchet.without_progress[0] >= 0.999) == stuck


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-30.0, 30.0), min_size=1, max_size=300))
def test_no_way_of_driving_earns_more_than_the_track(moves_m: list[float]) -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    places: NDArray[np.float64] = np.cumsum(moves_m)
    paid = drive(ratchet, places.tolist())
    assert sum(paid) <= LENGTH_M + 1e-6
    assert max(paid) <= 14.0
    assert min(paid) >= 0.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-6.0, 14.0), min_size=1, max_size=60))
def test_a_lap_that_is_driven_earns_its_length_however_it_was_driven(moves_m: list[float]) -> None:
    ratchet = ProgressRatchet(1, LENGTH_M, STEP_S, STUCK_S)
    place, places = 0.0, []
    for move in [*moves_m, *[7.0] * 200]:
        place = max(0.0, place + move)
        places.append(place)
    assert abs(sum(drive(ratchet, places)) - LENGTH_M) < 1e-6

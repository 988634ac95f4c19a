"""From steps to stretches of driving."""

from __future__ import annotations

import numpy as np

from tmstudio.env.task import Transition
from tmstudio.runtime.lanes import CHUNK_STEPS, Lanes


def _transition(time: int, ends: dict[int, str], cars: int = 3) -> Transition:
    """Car c sees 100 c + time; where an attempt ends, the next one begins with -1."""
    final = (100.0 * np.arange(cars) + time).astype(np.float32)[:, None]
    observation = final.copy()
    terminated, truncated = np.zeros(cars, bool), np.zeros(cars, bool)
    for car, end in ends.items():
        observation[car] = -1.0
        (terminated if end == "terminated" else truncated)[car] = True
    terms = np.full((cars, 2), time, np.float32)
    return Transition(observation, final, terms, terminated, truncated, [])


def _drive(steps: int, ends: dict[tuple[int, int], str]) -> tuple[Lanes, list]:
    lanes = Lanes(np.zeros((3, 1), np.float32), action_size=1, reward_terms=2)
    chunks = []
    for time in range(1, steps + 1):
        at_this_time = {car: end for (when, car), end in ends.items() if when == time}
        actions = np.full((3, 1), time / 1000, np.float32)
        chunks += lanes.add(actions, _transition(time, at_this_time))
    return lanes, chunks


def test_a_full_lane_is_given_and_the_next_chunk_goes_on_where_it_ended():
    lanes, chunks = _drive(2 * CHUNK_STEPS, {})
    of_car_1 = [item.chunk.check() for item in chunks if item.lane == 1]
    assert [len(chunk) for chunk in of_car_1] == [CHUNK_STEPS, CHUNK_STEPS]
    assert of_car_1[0].observations[-1] == of_car_1[1].observations[0] == 100 + CHUNK_STEPS
    assert not any(chunk.ends_episode for chunk in of_car_1)
    assert lanes.steps == 0


def test_an_attempt_ends_its_chunk_with_its_own_last_observation():
    _, chunks = _drive(12, {(5, 0): "terminated", (5, 2): "truncated", (12, 0): "truncated"})
    first, second, third = chunks
    assert (first.lane, second.lane, third.lane) == (0, 2, 0)
    assert first.chunk.check().observations[:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert first.chunk.terminated.tolist() == [False] * 4 + [True]
    assert second.chunk.check().truncated[-1]
    assert second.chunk.observations[-1] == 205
    assert third.chunk.check().observations[:, 0].tolist() == [-1, 6, 7, 8, 9, 10, 11, 12]
    np.testing.assert_allclose(third.chunk.actions[:, 0], np.arange(6, 13) / 1000, rtol=1e-6)
    assert third.chunk.reward_terms[:, 0].tolist() == list(range(6, 13))


def test_flushing_gives_everything_once_and_attempts_go_on():
    lanes, _ = _drive(7, {(3, 1): "terminated"})
    assert lanes.steps == 7 + 4 + 7
    flushed = {item.lane: item.chunk.check() for item in lanes.flush()}
    assert {lane: len(chunk) for lane, chunk in flushed.items()} == {0: 7, 1: 4, 2: 7}
    assert lanes.flush() == []
    for time in range(8, 8 + CHUNK_STEPS):
        later = lanes.add(np.zeros((3, 1), np.float32), _transition(time, {}))
    assert later[0].chunk.observations[0] == flushed[0].observations[-1] == 7


def test_chunks_share_no_memory_with_what_comes_later():
    lanes, chunks = _drive(CHUNK_STEPS, {})
    before = chunks[0].chunk.observations.copy()
    lanes.add(np.ones((3, 1), np.float32), _transition(999, {}))
    np.testing.assert_array_equal(chunks[0].chunk.observations, before)

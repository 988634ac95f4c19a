"""The control clock's delay, how attempts end, and what a step hands out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tmstudio.config.run_config import ControlTiming, Episode, KeyboardAction, Randomisation, RunConfig
from tmstudio.env.actions import ActionError
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.env.starts import TrialStarts
from tmstudio.env.task import HELD_AT_START, DriveTask
from tmstudio.errors import TMStudioError
from tmstudio.game.state import STATE_FIELDS
from tmstudio.track.geometry import Track

COAST = np.zeros((1, 3), dtype=np.float32)


def task_of(track: Track, game: Any, config: RunConfig | None = None) -> DriveTask:
    return DriveTask(config or RunConfig(), track, game, TrialStarts(track, range(game.cars)))


def steered(value: float, cars: int = 1) -> Any:
    return np.tile(np.array([0.0, 0.0, value], dtype=np.float32), (cars, 1))


def test_an_action_is_in_force_from_the_next_but_one_edge(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game)
    task.reset()
    for value in (0.1, 0.2, 0.3, 0.4):
        task.step(steered(value))
    steering = [(round(float(controls.steer[0]), 3), duration_s) for controls, duration_s in game.held]
    # The first two actions in force are what was held at the start; then each drives 40 ms and 10 ms more.
    assert steering == [
        (0.0, 0.01), (0.0, 0.04),
        (0.0, 0.01), (0.1, 0.04),
        (0.1, 0.01), (0.2, 0.04),
        (0.2, 0.01), (0.3, 0.04),
    ]  # fmt: skip
    assert game.held[0][0].gas.tolist() == [1.0]


def test_a_capture_at_the_edge_is_one_stretch_a_step(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game, RunConfig(timing=ControlTiming(step_ms=100, capture_ms=0)))
    task.reset()
    for value in (0.1, 0.2, 0.3):
        task.step(steered(value))
    assert [(round(float(controls.steer[0]), 3), duration) for controls, duration in game.held] == [
        (0.0, 0.1), (0.0, 0.1), (0.1, 0.1),
    ]  # fmt: skip


def test_a_randomised_delay_is_drawn_per_attempt_and_stays_in_the_step(
    straight: Track, scripted_game: Any
) -> None:
    game = scripted_game(8)
    config = RunConfig(randomisation=Randomisation(delay_ms=20))
    task = DriveTask(config, straight, game, TrialStarts(straight, range(8)), np.random.default_rng(1))
    seen = set()
    for _attempt in range(10):
        task.reset()
        task.step(steered(1.0, 8))
        task.step(steered(-1.0, 8))
        of_step = []
        for older in (1.0, -1.0, 1.0):
            game.held.clear()
            task.step(steered(older, 8))
            assert sum(duration_s for _, duration_s in game.held) == pytest.approx(0.05)
            older_s = sum(np.where(controls.steer == older, s, 0.0) for controls, s in game.held)
            of_step.append(np.round(older_s * 1000).astype(int).tolist())
        assert of_step[0] == of_step[1] == of_step[2]
        seen |= set(of_step[0])
    # 10 ms of the older action is right: 10 ms less, where the step begins, to 20 ms more.
    assert seen == {0, 10, 20, 30}


def test_the_last_two_actions_are_seen_newest_first(straight: Track, scripted_game: Any) -> None:
    task = task_of(straight, scripted_game(1))
    first = task.observations.names.index("action.1.gas")
    seen = task.reset()[0, first : first + 6]
    assert seen.tolist() == [*HELD_AT_START, *HELD_AT_START]
    task.step(np.array([[0.5, -0.5, 0.25]]))
    seen = task.step(np.array([[-1.0, 1.0, -0.25]])).observation[0, first : first + 6]
    assert seen.tolist() == [-1.0, 1.0, -0.25, 0.5, -0.5, 0.25]


def test_keys_are_seen_as_they_are_pressed(straight: Track, scripted_game: Any) -> None:
    task = task_of(straight, scripted_game(1), RunConfig(action=KeyboardAction()))
    task.reset()
    transition = task.step(np.array([[0.9, 0.1, -0.7]]))
    first = task.observations.names.index("action.1.gas")
    assert transition.observation[0, first : first + 3].tolist() == [1.0, 0.0, -1.0]


def test_progress_and_time_are_paid(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game)
    task.reset()
    game.velocity_mps[0, 2] = 20.0
    transitions = [task.step(COAST) for _ in range(40)]
    terms = np.sum([transition.reward_terms[0] for transition in transitions], axis=0)
    assert terms[REWARD_TERMS.index("progress")] == pytest.approx(40.0, abs=1.01)
    assert terms[REWARD_TERMS.index("time")] == pytest.approx(2.0)
    np.testing.assert_allclose(task.accounts.returns[0], terms @ task.weights, rtol=1e-6)


def test_a_finished_lap(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(2)
    task = task_of(straight, game)
    task.reset()
    game.race_time_s[:] = 0.0
    game.velocity_mps[:, 2] = [100.0, 40.0]
    for _ in range(78):
        task.step(np.zeros((2, 3)))
    assert game.position_m[0, 2] > 388.0
    game.finished[0] = True
    game.race_time_s[0] += 0.02
    transition = task.step(np.zeros((2, 3)))
    assert transition.terminated.tolist() == [True, False]
    assert transition.truncated.tolist() == [False, False]
    (episode,) = transition.episodes
    assert (episode.car, episode.end, episode.finished, episode.from_start) == (0, "finished", True, True)
    assert episode.lap_time_s == pytest.approx(78 * 0.05 + 0.02)
    assert episode.progress_fraction == 1.0
    assert episode.progress_m == pytest.approx(straight.length_m, rel=0.01)
    # The last step lasts as long as the car took to the line, so that a faster lap is worth more.
    assert transition.reward_terms[0, REWARD_TERMS.index("time")] == pytest.approx(0.02)
    assert transition.reward_terms[0, REWARD_TERMS.index("finish")] == 1.0
    assert episode.sectors_s == pytest.approx((2.0,), abs=0.02)
    assert sum(episode.terms.values()) == pytest.approx(episode.return_)
    assert episode.terms["finish"] == task.weights[REWARD_TERMS.index("finish")]
    # The next attempt has begun in the same step, for this car alone.
    assert game.resets == [[0, 1], [0]]
    speed = task.observations.names.index("speed")
    assert transition.final_observation[0, speed] == pytest.approx(2.0)
    assert transition.observation[0, speed] == 0.0
    assert (transition.observation[1] == transition.final_observation[1]).all()
    assert task.accounts.steps.tolist() == [0, 79]


def test_a_car_that_stands_is_stuck(straight: Track, scripted_game: Any) -> None:
    task = task_of(straight, scripted_game(1), RunConfig(episode=Episode(stuck_s=1.0)))
    observation = task.reset()
    waiting = task.observations.names.index("without_progress")
    assert observation[0, waiting] == 0.0
    for step in range(1, 20):
        transition = task.step(COAST)
        assert transition.observation[0, waiting] == pytest.approx(step / 20)
        assert not transition.terminated[0]
    transition = task.step(COAST)
    assert transition.terminated[0]
    assert transition.reward_terms[0, REWARD_TERMS.index("failure")] == 1.0
    assert transition.episodes[0].end == "stuck"
    assert transition.episodes[0].lap_time_s is None
    assert transition.final_observation[0, waiting] == pytest.approx(1.0)
    assert transition.observation[0, waiting] == 0.0


def test_a_car_that_drives_back_has_gone_the_wrong_way(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game, RunConfig(episode=Episode(stuck_s=2.0)))
    task.reset()
    game.velocity_mps[0, 2] = 40.0
    for _ in range(40):
        task.step(COAST)
    game.velocity_mps[0, 2] = -30.0
    behind = task.observations.names.index("behind_furthest")
    ends: list[str] = []
    while not ends:
        transition = task.step(COAST)
        ends = [episode.end for episode in transition.episodes]
    assert ends == ["wrong way"]
    assert transition.final_observation[0, behind] > 2.0


def test_a_car_that_drives_beside_the_track_gets_nowhere(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game, RunConfig(episode=Episode(stuck_s=1.0)))
    task.reset()
    game.position_m[0, 0] = 15.0
    game.velocity_mps[0, 2] = 30.0
    transitions = [task.step(COAST) for _ in range(20)]
    assert [episode.end for episode in transitions[-1].episodes] == ["off track"]
    assert sum(float(transition.reward_terms[0, 0]) for transition in transitions) == 0.0


def test_what_lies_beyond_a_missed_checkpoint_does_not_count(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    game.gates_z_m = [1e9]
    task = task_of(straight, game, RunConfig(episode=Episode(stuck_s=1.0)))
    task.reset()
    game.velocity_mps[0, 2] = 40.0
    transitions = []
    while not transitions or not transitions[-1].episodes:
        transitions.append(task.step(COAST))
    (episode,) = transitions[-1].episodes
    assert episode.end == "missed checkpoint"
    assert transitions[-1].terminated[0]
    assert episode.progress_m == pytest.approx(220.0, abs=2.0)


def test_the_time_limit_truncates(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game, RunConfig(episode=Episode(time_limit_s=5.0)))
    task.reset()
    game.velocity_mps[0, 2] = 10.0
    for _ in range(99):
        assert not task.step(COAST).episodes
    transition = task.step(COAST)
    assert transition.truncated[0]
    assert not transition.terminated[0]
    assert transition.episodes[0].end == "time limit"
    assert transition.episodes[0].steps == 100


def test_leaning_on_a_wall_costs(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game)
    task.reset()
    contact, beside = REWARD_TERMS.index("wall_contact"), task.observations.names.index("lateral")
    game.position_m[0, 0] = 10.5
    assert task.step(COAST).reward_terms[0, contact] == 0.0
    game.position_m[0, 0] = -11.1
    transition = task.step(COAST)
    assert transition.reward_terms[0, contact] == pytest.approx(0.05)
    assert transition.observation[0, beside] == pytest.approx(-1.11)


def test_what_a_step_hands_out_is_not_written_to_later(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(2)
    task = task_of(straight, game)
    held = [task.reset()]
    game.velocity_mps[:, 2] = 30.0
    for _ in range(6):
        transition = task.step(np.zeros((2, 3)))
        held += [transition.observation, transition.final_observation, transition.reward_terms]
    copies = [array.copy() for array in held]
    game.finished[:] = True
    task.step(np.ones((2, 3)))
    assert all((array == copy).all() for array, copy in zip(held, copies, strict=True))
    assert not np.shares_memory(transition.observation, transition.final_observation)


def test_an_action_that_is_none_moves_nothing(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(2)
    task = task_of(straight, game)
    task.reset()
    with pytest.raises(ActionError, match="not a number"):
        task.step(np.array([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0]]))
    with pytest.raises(ActionError, match="shape"):
        task.step(np.zeros((1, 3)))
    assert game.held == []


def test_a_link_without_orientation_is_refused_by_name(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1, capabilities=STATE_FIELDS - {"forward", "velocity_mps"})
    with pytest.raises(TMStudioError, match=r"LIDAR and track points \(forward\), velocity \(velocity_mps\)"):
        task_of(straight, game)


def test_a_link_without_a_race_clock_still_has_lap_times(straight: Track, scripted_game: Any) -> None:
    game = scripted_game(1)
    task = task_of(straight, game)
    task.reset()
    game.race_time_s[:] = np.nan
    game.velocity_mps[0, 2] = 50.0
    for _ in range(20):
        task.step(COAST)
    game.finished[0] = True
    (episode,) = task.step(COAST).episodes
    assert episode.lap_time_s == pytest.approx(21 * 0.05, abs=0.05)

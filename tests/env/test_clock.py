"""The wall clock's grid: waiting takes what thinking left over, lateness is made up for or counted."""

from __future__ import annotations

from typing import Any

import pytest

from tmstudio.env.clock import RealTimeGame
from tmstudio.game.state import Controls


class Clock:
    """A clock that only moves when somebody works or sleeps."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def now(self) -> float:
        return self.now_s

    def work(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def advance(game: RealTimeGame, duration_s: float = 0.05) -> None:
    game.advance(Controls.released(1), duration_s)


def test_thinking_comes_out_of_the_waiting(clock: Clock, scripted_game: Any) -> None:
    game = RealTimeGame(scripted_game(1), 0.05, clock.now, clock.work)
    advance(game)
    begun = clock.now_s
    for thinking_s in (0.0, 0.01, 0.03, 0.049):
        clock.work(thinking_s)
        advance(game)
    assert clock.now_s - begun == pytest.approx(4 * 0.05)
    assert game.deadline_misses == 0


def test_a_late_step_is_made_up_for(clock: Clock, scripted_game: Any) -> None:
    game = RealTimeGame(scripted_game(1), 0.05, clock.now, clock.work)
    advance(game)
    begun = clock.now_s
    clock.work(0.08)
    advance(game)
    assert clock.now_s - begun == pytest.approx(0.08)
    advance(game)
    assert clock.now_s - begun == pytest.approx(0.10)
    assert game.deadline_misses == 0


def test_a_step_that_is_too_late_restarts_the_grid_and_is_counted(clock: Clock, scripted_game: Any) -> None:
    game = RealTimeGame(scripted_game(1), 0.05, clock.now, clock.work)
    advance(game)
    clock.work(0.5)
    advance(game)
    restarted = clock.now_s
    advance(game)
    assert clock.now_s - restarted == pytest.approx(0.05)
    assert game.deadline_misses == 1


def test_the_game_behind_it_is_driven_and_seen(clock: Clock, scripted_game: Any) -> None:
    inner = scripted_game(2)
    game = RealTimeGame(inner, 0.05, clock.now, clock.work)
    advance(game, 0.01)
    assert [duration_s for _, duration_s in inner.held] == [0.01]
    assert (game.cars, game.origin, game.capabilities) == (2, "simulator", inner.capabilities)
    assert game.observe().cars == 2

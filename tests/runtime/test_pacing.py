"""How driving and learning keep step."""

from __future__ import annotations

import pytest

from tmstudio.config.loading import parse_run_config
from tmstudio.config.run_config import RunConfig
from tmstudio.runs.records import EvaluationRow
from tmstudio.runtime.clock import Every, TrainingClock
from tmstudio.runtime.pacing import WINDOW_STEPS_PER_CAR, Pacer
from tmstudio.runtime.promotion import is_better

WINDOW = 4 * WINDOW_STEPS_PER_CAR


def _config(**pacing: float) -> RunConfig:
    data = {
        "game": {"cars": 4},
        "replay": {"warmup": 1000},
        "pacing": {"min_updates_per_step": 0.1, "max_updates_per_step": 2.0, **pacing},
    }
    return parse_run_config(data, "test")


def test_the_warmup_is_driven_before_the_first_update():
    pacer = Pacer(_config(), steps=0, updates=0)
    assert not pacer.may_update(999, 0)
    assert pacer.may_update(1000, 0)
    assert pacer.step_limit(0) == 1000 + WINDOW


def test_each_update_allows_so_many_more_steps():
    pacer = Pacer(_config(), steps=0, updates=0)
    assert pacer.step_limit(7) - pacer.step_limit(0) == 70


def test_updates_are_bounded_by_what_was_driven():
    pacer = Pacer(_config(), steps=0, updates=0)
    at_most = 2 * WINDOW
    assert pacer.may_update(1000, at_most - 1)
    assert not pacer.may_update(1000, at_most)
    assert pacer.may_update(1001, at_most + 1)


def test_a_resumed_run_goes_on_at_once_whatever_the_ratio_was_before():
    pacer = Pacer(_config(), steps=50_000, updates=100)
    assert pacer.step_limit(100) == 50_000 + WINDOW
    assert pacer.may_update(50_000, 100)
    eager = Pacer(_config(), steps=50_000, updates=1_000_000)
    assert eager.may_update(50_000, 1_000_000)


def test_without_a_lower_ratio_or_on_a_clock_driving_never_waits():
    assert Pacer(_config(min_updates_per_step=0), 0, 0).step_limit(0) == _config().budget.steps
    config = _config()
    on_a_clock = config.model_copy(update={"game": config.game.model_copy(update={"pace": "real time"})})
    assert Pacer(on_a_clock, 0, 0).step_limit(0) == config.budget.steps


def test_nobody_drives_beyond_the_budget():
    config = _config()
    short = config.model_copy(update={"budget": config.budget.model_copy(update={"steps": 1100})})
    assert Pacer(short, 0, 0).step_limit(10**6) == 1100


def test_the_clock_counts_only_while_it_runs():
    now = [100.0]
    clock = TrainingClock(60.0, lambda: now[0])
    now[0] += 5
    assert clock.elapsed_s == 60.0
    clock.run()
    now[0] += 5
    clock.run()
    assert clock.elapsed_s == 65.0
    clock.stand()
    now[0] += 5
    assert clock.elapsed_s == 65.0


def test_an_interval_begins_when_its_work_is_done():
    every = Every(10.0, 0.0)
    assert not every.due(9.9)
    assert every.due(10.0)
    every.done(13.0)
    assert not every.due(22.9)


def _trials(finish_rate: float, median_s: float | None = None, mean_return: float = 0.0) -> EvaluationRow:
    return EvaluationRow(
        0, 0, 0, 0, 10, finish_rate, median_s, median_s, mean_return, (), (), 1.0, "simulator"
    )


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (_trials(0.9, 30.0), _trials(1.0, 40.0)),
        (_trials(1.0, 40.0), _trials(1.0, 39.9)),
        (_trials(0.0, None, 5.0), _trials(0.0, None, 6.0)),
        (_trials(0.0, None, 50.0), _trials(0.1, 90.0, -50.0)),
    ],
)
def test_the_one_that_finishes_more_often_is_better_then_the_faster(worse, better):
    assert is_better(better, worse)
    assert not is_better(worse, better)
    assert not is_better(worse, worse)
    assert is_better(worse, None)

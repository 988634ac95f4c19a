"""What trials are summed up to, and which starts they are driven from."""

from __future__ import annotations

import pytest

from tmstudio.env.episodes import EpisodeSummary
from tmstudio.env.loop import Trials
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.errors import TMStudioError
from tmstudio.evaluation.report import EvaluationReport, report_of
from tmstudio.evaluation.seeds import REPORT_SEEDS, SELECTION_SEEDS, first_seeds


def episode(
    seed: int, lap_time_s: float | None, progress: float = 1.0, return_: float = 30.0
) -> EpisodeSummary:
    finished = lap_time_s is not None
    return EpisodeSummary(
        car=seed,
        from_start=True,
        finished=finished,
        lap_time_s=lap_time_s,
        progress_m=600.0 * progress,
        progress_fraction=progress,
        return_=return_,
        steps=400,
        end="finished" if finished else "stuck",
        terms=dict.fromkeys(REWARD_TERMS, 0.0),
        sectors_s=(),
        start_seed=seed,
    )


def report(*episodes: EpisodeSummary) -> EvaluationReport:
    seeds = tuple(one.start_seed or 0 for one in episodes)
    trials = Trials(seeds, episodes, simulated_s=60.0, wall_s=1.5)
    return report_of(
        trials, track="meadow", origin="simulator", checkpoint="step-000001000", policy_step=1000
    )


def test_laps_and_failures_are_summed_up() -> None:
    summed = report(
        episode(0, 20.0),
        episode(1, None, progress=0.5, return_=-6.0),
        episode(2, 22.0, return_=28.0),
        episode(3, 21.0),
    )
    assert summed.as_dict() == {
        "episodes": 4,
        "finish_rate": 0.75,
        "lap_times_s": [20.0, 22.0, 21.0],
        "distinct_laps": 3,
        "best_lap_s": 20.0,
        "median_lap_s": 21.0,
        "mean_lap_s": 21.0,
        "mean_return": 20.5,
        "mean_progress": 0.875,
        "ends": {"finished": 3, "stuck": 1},
        "seeds": [0, 1, 2, 3],
        "checkpoint": "step-000001000",
        "policy_step": 1000,
        "speed": 40.0,
        "origin": "simulator",
        "track": "meadow",
    }


def test_the_same_lap_twice_is_one_lap() -> None:
    assert report(episode(0, 20.0), episode(1, 20.0), episode(2, 20.001)).distinct_laps == 2


def test_nobody_finished() -> None:
    summed = report(episode(0, None), episode(1, None))
    assert summed.finish_rate == 0.0
    assert summed.best_lap_s is None
    assert summed.median_lap_s is None
    assert summed.mean_lap_s is None
    assert summed.lap_times_s == ()


def test_laps_that_choose_are_not_laps_that_are_reported() -> None:
    assert not set(SELECTION_SEEDS) & set(REPORT_SEEDS)
    assert first_seeds(REPORT_SEEDS, 3) == (10_000, 10_001, 10_002)


@pytest.mark.parametrize("count", [0, -1, 1001])
def test_a_number_of_trials_that_cannot_be_driven(count: int) -> None:
    with pytest.raises(TMStudioError, match=f"{count} trials"):
        first_seeds(REPORT_SEEDS, count)

from __future__ import annotations

import pytest

from tmstudio.config.loading import apply_overrides
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import announce, withdraw
from tmstudio.runs.metrics import MetricsWriter
from tmstudio.runs.records import EpisodeRow, EvaluationRow
from tmstudio.runs.summary import summary


def evaluation(
    step: int, rate: float, best_lap_s: float | None, *, best: bool, origin: str = "simulator"
) -> EvaluationRow:
    return EvaluationRow(
        time_s=step / 10, step=step, policy_step=step - 5, updates=step, episodes=10, finish_rate=rate,
        median_lap_s=best_lap_s, best_lap_s=best_lap_s, mean_return=1.0, lap_times_s=(best_lap_s,), seeds=(1,),
        speed=80.0, origin=origin, best=best,
    )  # fmt: skip


def test_a_new_run_has_no_figures_and_says_so(run: RunFolder) -> None:
    figures = summary(run)
    assert (figures.name, figures.track, figures.algorithm, figures.state) == (
        run.name,
        "valley",
        "tqc",
        "new",
    )
    assert (figures.steps, figures.finish_rate, figures.best_lap_s, figures.origin) == (0, None, None, None)


def test_the_evaluation_that_chose_the_best_policy_counts(run: RunFolder) -> None:
    with MetricsWriter(run.metrics_path) as metrics:
        metrics.evaluation(evaluation(100, 0.1, None, best=True))
        metrics.evaluation(evaluation(200, 0.9, 41.5, best=True))
        metrics.evaluation(evaluation(300, 0.4, 40.5, best=False))
    figures = summary(run)
    assert (figures.finish_rate, figures.evaluated_laps, figures.policy_step) == (0.9, 10, 195)
    assert (figures.origin, figures.speed) == ("simulator", 80.0)
    assert figures.best_lap_s == 40.5
    assert (figures.steps, figures.time_s, figures.state) == (300, 30.0, "stopped")


def test_laps_of_simulator_and_game_are_never_mixed(run: RunFolder) -> None:
    with MetricsWriter(run.metrics_path) as metrics:
        metrics.evaluation(evaluation(100, 1.0, 30.0, best=True))
        metrics.evaluation(evaluation(200, 0.5, 45.0, best=True, origin="game"))
    assert (summary(run).origin, summary(run).best_lap_s) == ("game", 45.0)


def test_exploring_laps_are_apart(run: RunFolder) -> None:
    with MetricsWriter(run.metrics_path) as metrics:
        metrics.episode(
            EpisodeRow(
                time_s=1, step=10, actor_id="actor-1", car=0, policy_step=1, origin="simulator", exploring=True,
                speed_factor=1, from_start=True, finished=True, lap_time_s=50.0, progress_m=1, progress_fraction=1,
                return_=1, steps=1, end="finished",
            )
        )  # fmt: skip
    figures = summary(run)
    assert (figures.episodes, figures.best_exploring_lap_s, figures.best_lap_s) == (1, 50.0, None)


@pytest.mark.parametrize("override", ["budget.steps=300", "budget.minutes=0.5"])
def test_a_run_whose_budget_is_used_up_is_finished(override: str, run: RunFolder) -> None:
    with MetricsWriter(run.metrics_path) as metrics:
        metrics.evaluation(evaluation(300, 0.4, 40.5, best=False))
    assert summary(run).state == "stopped"
    assert summary(run.with_config(apply_overrides(run.config, [override]))).state == "finished"


def test_a_run_with_a_live_learner_is_running(run: RunFolder) -> None:
    job = announce(run.path, "learner", port=1)
    assert summary(run).state == "running"
    withdraw(run.path, job)
    assert summary(run).state == "new"


def test_damaged_metrics_are_told_and_hide_no_run(run: RunFolder) -> None:
    run.metrics_path.write_bytes(b"nothing that a database would begin with" * 100)
    figures = summary(run)
    assert figures.state == "damaged"
    assert "metrics store" in figures.problem

"""Trials of a run's saved policy: repeatable, with all that a lap time needs, and clear where something is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tmstudio.config.run_config import RunConfig
from tmstudio.errors import TMStudioError
from tmstudio.evaluation.seeds import REPORT_SEEDS
from tmstudio.evaluation.trials import evaluate
from tmstudio.runs.folder import RunFolder

SavePolicy = Callable[..., None]


def test_a_policy_is_evaluated_from_the_published_starts(run: RunFolder, save_policy: SavePolicy) -> None:
    save_policy(run, 1000, best=True)
    report = evaluate(run, episodes=4)
    assert report.seeds == tuple(REPORT_SEEDS[:4])
    assert (report.track, report.origin) == ("meadow", "simulator")
    assert (report.checkpoint, report.policy_step) == ("step-000001000", 1000)
    assert report.episodes == sum(report.ends.values()) == 4
    assert report.speed > 0.0


def test_the_outcome_depends_on_policy_and_seeds_alone(run: RunFolder, save_policy: SavePolicy) -> None:
    save_policy(run, 1000, best=True)
    save_policy(run, 2000)
    first, again = evaluate(run, seeds=[3, 4]).as_dict(), evaluate(run, seeds=[3, 4]).as_dict()
    other = evaluate(run, "last", seeds=[3, 4]).as_dict()
    for outcome in (first, again, other):
        outcome.pop("speed")
    assert first == again
    assert other["mean_return"] != first["mean_return"]


def test_a_checkpoint_is_named_by_word_or_step(run: RunFolder, save_policy: SavePolicy) -> None:
    save_policy(run, 1000, best=True)
    save_policy(run, 2000)
    names = {which: evaluate(run, which, episodes=1).checkpoint for which in ("best", "last", "1000", "2000")}
    assert names == {
        "best": "step-000001000",
        "last": "step-000002000",
        "1000": "step-000001000",
        "2000": "step-000002000",
    }


def test_what_is_missing_is_said(run: RunFolder, save_policy: SavePolicy) -> None:
    with pytest.raises(TMStudioError, match="no best checkpoint yet"):
        evaluate(run)
    save_policy(run, 1000)
    with pytest.raises(TMStudioError, match=r"no best checkpoint yet[\s\S]*step-000001000"):
        evaluate(run)
    with pytest.raises(TMStudioError, match="no checkpoint 'step-000000777'"):
        evaluate(run, "777")
    with pytest.raises(TMStudioError, match="no checkpoint"):
        evaluate(run, "newest")
    with pytest.raises(TMStudioError, match="0 trials"):
        evaluate(run, "last", episodes=0)


def test_a_policy_for_other_observations_is_refused(run: RunFolder, save_policy: SavePolicy) -> None:
    save_policy(run, 1000, size=83)
    with pytest.raises(TMStudioError, match=r"does not fit[\s\S]*83"):
        evaluate(run, "last")


def test_a_track_that_has_changed_is_refused() -> None:
    run = RunFolder.create(RunConfig(name="moved", track="meadow"), track_sha256="0" * 64)
    with pytest.raises(TMStudioError, match="no longer the one"):
        evaluate(run)


def test_a_damaged_policy_is_refused(run: RunFolder, save_policy: SavePolicy) -> None:
    save_policy(run, 1000)
    path = next(run.checkpoints_path.glob("step-*/policy.safetensors"))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(TMStudioError, match="damaged"):
        evaluate(run, "last")

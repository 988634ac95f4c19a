"""``tmstudio evaluate``: what programs and people read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tmstudio.evaluation.seeds import REPORT_SEEDS
from tmstudio.runs.folder import RunFolder

SavePolicy = Callable[..., None]


def test_programs_get_one_object(run: RunFolder, save_policy: SavePolicy, run_cli: Any) -> None:
    save_policy(run, 1000)
    answer = run_cli("evaluate", run.name, "--episodes", "3", "--checkpoint", "last", "--json")
    assert answer.code == 0, answer.stderr
    data = answer.json()
    assert data["episodes"] == 3
    assert data["finish_rate"] == 0.0
    assert data["lap_times_s"] == []
    assert data["distinct_laps"] == 0
    assert data["seeds"] == list(REPORT_SEEDS[:3])
    assert data["checkpoint"] == "step-000001000"
    assert data["policy_step"] == 1000
    assert data["speed"] > 0.0
    assert data["origin"] == "simulator"
    assert data["track"] == "meadow"


def test_people_get_a_table(run: RunFolder, save_policy: SavePolicy, run_cli: Any) -> None:
    save_policy(run, 2000, best=True)
    answer = run_cli("evaluate", run.path, "--episodes", "2")
    assert answer.code == 0, answer.stderr
    for words in ("meadow (sim)", "trained on 2,000 steps", "2 laps", "times real time", "0%", "median lap"):
        assert words in answer.stdout


def test_what_is_no_run_or_has_no_policy_yet_is_said(run: RunFolder, run_cli: Any, tmp_path: Path) -> None:
    answer = run_cli("evaluate", tmp_path)
    assert answer.code == 1
    assert "is not a run folder" in answer.stderr
    assert "Traceback" not in answer.stderr
    answer = run_cli("evaluate", run.name, "--json")
    assert answer.code == 1
    assert "no best checkpoint yet" in answer.json()["error"]["message"]
    assert answer.json()["error"]["hint"]

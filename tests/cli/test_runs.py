from __future__ import annotations

import json
from pathlib import Path

import pytest

from tmstudio.cli.main import main
from tmstudio.config.run_config import RunConfig
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import announce
from tmstudio.runs.metrics import MetricsWriter
from tmstudio.runs.records import EvaluationRow


@pytest.fixture
def run() -> RunFolder:
    made = RunFolder.create(RunConfig(), track_sha256="ab" * 32)
    with MetricsWriter(made.metrics_path) as metrics:
        metrics.scalar("q_mean", 1.0, step=12_345, updates=2_000, time_s=120.0)
        metrics.evaluation(
            EvaluationRow(
                time_s=100, step=12_000, policy_step=11_900, updates=1_900, episodes=10, finish_rate=0.9,
                median_lap_s=42.0, best_lap_s=41.234, mean_return=5.0, lap_times_s=(41.234, None), seeds=(1, 2),
                speed=90.0, origin="simulator", best=True,
            )
        )  # fmt: skip
    return made


def test_no_runs_yet(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs"]) == 0
    assert "There are no runs" in capsys.readouterr().out
    assert main(["runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"folder": str(home / "runs"), "runs": [], "broken": []}


def test_the_list_says_where_each_figure_is_from(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs"]) == 0
    headers, row = capsys.readouterr().out.splitlines()
    assert headers.split("  ")[0] == "run"
    for part in (run.name, "valley", "tqc", "stopped", "12,345", "90% of 10 (sim)", "41.234 s (sim)"):
        assert part in row


def test_the_list_for_programs(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "--json"]) == 0
    item = json.loads(capsys.readouterr().out)["runs"][0]
    assert item["name"] == run.name
    assert (item["steps"], item["updates"], item["finish_rate"], item["evaluated_laps"]) == (
        12_345,
        2_000,
        0.9,
        10,
    )
    assert (item["origin"], item["speed"], item["policy_step"], item["best_lap_s"]) == (
        "simulator",
        90.0,
        11_900,
        41.234,
    )


def test_a_run_that_cannot_be_opened_does_not_hide_the_others(run: RunFolder, home: Path, capsys) -> None:
    broken = home / "runs" / "broken"
    broken.mkdir()
    (broken / "manifest.json").write_text("{")
    assert main(["runs"]) == 0
    out = capsys.readouterr().out
    assert run.name in out
    assert f"cannot be opened: {broken}" in out
    assert main(["runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["broken"][0]["path"] == str(broken)


def test_show(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "show", run.name]) == 0
    out = capsys.readouterr().out
    assert str(run.path) in out
    assert "2.0 min, 12,345 steps, 2,000 updates" in out
    assert "gamma: 0.98" in out
    assert run.token not in out


@pytest.mark.parametrize("place", [["--json", "show"], ["show", "--json"]])
def test_show_for_programs(place: list[str], run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    job = announce(run.path, "learner", port=4711)
    assert main(["runs", *place, run.name]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["fingerprint"] == run.fingerprint
    assert data["state"] == "running"
    assert data["jobs"][0]["pid"] == job.pid
    assert data["config"]["algorithm"]["kind"] == "tqc"


def test_delete_moves_to_the_trash(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "delete", run.name, "--json"]) == 0
    trash = Path(json.loads(capsys.readouterr().out)["trash"])
    assert (trash / "metrics.sqlite").exists()
    assert not run.path.exists()
    assert main(["runs", "delete", run.name]) == 1
    assert "There is no run" in capsys.readouterr().err

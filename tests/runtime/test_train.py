"""``tmstudio train``: both workers under one command, as people run it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import yaml

from tests.conftest import RunCli, program_command, program_environment
from tests.runtime.workers import PATIENCE_S, SMALL, until
from tmstudio.runs.folder import RunFolder, list_runs
from tmstudio.runs.jobs import live_jobs


@pytest.fixture
def small_config(tmp_path: Path) -> Path:
    """A file with the configuration of a small run that lasts six seconds."""
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump({**SMALL, "budget": {"minutes": 0.1}}))
    return path


class Training:
    """A ``tmstudio train`` that is under way, with the test as the one at the keyboard."""

    def __init__(self, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            program_command("train", *arguments),
            env=program_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def under_way(self) -> RunFolder:
        """Its run, once a car drives in it."""
        (run,) = until(list_runs, "there is a run")
        until(lambda: len(live_jobs(run.path)) == 2, "both workers are up")
        until(lambda: any((run.path / "journal").glob("*")) and _journalled(run), "driving arrives")
        return run

    def end(self) -> str:
        """What it printed, once it has ended."""
        output, _ = self.process.communicate(timeout=PATIENCE_S)
        return output


def _journalled(run: RunFolder) -> bool:
    return sum(path.stat().st_size for path in run.journal_path.glob("*")) > 5_000


def _pid(run: RunFolder, role: str) -> int:
    return next(job.pid for job in live_jobs(run.path) if job.role == role)


def test_training_ends_by_itself_with_figures_and_a_picture(run_cli: RunCli, small_config, tmp_path):
    picture = tmp_path / "run.png"
    done = run_cli(
        "train",
        "--config",
        small_config,
        "--name",
        "mine",
        "--json",
        "--picture",
        picture,
        timeout_s=PATIENCE_S,
    )
    assert done.code == 0, done.stderr
    result = done.json()
    assert result["run"] == "mine"
    assert result["state"] == "finished"
    assert result["steps"] > 100
    assert result["updates"] > 0
    assert result["evaluated_laps"] == 2
    assert result["finish_rate"] is not None
    assert set(result) >= {"first_finish_s", "best_lap_s", "origin", "speed", "policy_step"}
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "left" in done.stderr
    assert len(done.stdout.splitlines()) == 1
    run = RunFolder.open("mine")
    assert live_jobs(run.path) == []

    again = run_cli("train", "mine")
    assert again.code == 1
    assert "has used up its budget" in again.stderr
    assert "--minutes" in again.stderr
    longer = run_cli("train", "--run", "mine", "--minutes", "0.15", "--json", timeout_s=PATIENCE_S)
    assert longer.code == 0, longer.stderr
    assert longer.json()["steps"] > result["steps"]
    assert longer.json()["time_s"] >= 9.0


def test_ctrl_c_saves_and_stops_and_a_later_run_goes_on(small_config, home):
    training = Training("--config", small_config, "--minutes", "30")
    run = training.under_way()
    training.process.send_signal(signal.SIGINT)
    output = training.end()
    assert training.process.returncode == 0
    assert "everything is saved" in output
    assert "has stopped" in output
    assert live_jobs(run.path) == []
    assert (run.checkpoints_path / "last.json").exists()


def test_a_second_ctrl_c_kills(small_config, home):
    training = Training("--config", small_config, "--minutes", "30")
    run = training.under_way()
    learner = psutil.Process(_pid(run, "learner"))
    learner.suspend()  # so that it cannot stop in order
    training.process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    training.process.send_signal(signal.SIGINT)
    training.end()
    assert not learner.is_running()
    assert live_jobs(run.path) == []


@pytest.mark.parametrize("role", ["learner", "actor"])
def test_a_worker_that_dies_is_started_again(small_config, home, role):
    training = Training("--config", small_config, "--minutes", "30")
    run = training.under_way()
    killed = _pid(run, role)
    os.kill(killed, signal.SIGKILL)
    until(lambda: len(live_jobs(run.path)) == 2 and _pid(run, role) != killed, "it is back")
    training.process.send_signal(signal.SIGTERM)
    output = training.end()
    assert training.process.returncode == 0
    assert "was killed by SIGKILL" in output
    assert "was started again" in output


def test_workers_end_when_the_command_is_killed(small_config, home):
    training = Training("--config", small_config, "--minutes", "30")
    run = training.under_way()
    training.process.kill()
    training.end()
    until(lambda: not live_jobs(run.path), "both have left")


def test_a_worker_that_cannot_begin_is_shown_with_its_last_words(small_config, home, tmp_path):
    training = Training("--config", small_config, "--name", "mine", "--minutes", "30")
    run = training.under_way()
    training.process.send_signal(signal.SIGINT)
    training.end()
    state = next((run.checkpoints_path).glob("step-*/state.json"))
    state.write_text("{}")
    resumed = Training("mine")
    output = resumed.end()
    assert resumed.process.returncode == 1
    assert "The learner ended with code 1" in output
    assert "| error: The checkpoint" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--preset", "quickstrat"), 2, "did you mean 'quickstart'"),
        (("--preset", "quickstart", "--set", "algorithm.gama=1"), 2, "algorithm.gama"),
        (("--preset", "quickstart", "--minutes", "-1"), 2, "budget.minutes"),
        (("--preset", "quickstart", "--track", "nowhere"), 1, "nowhere"),
        (("no-such-run",), 1, "There is no run 'no-such-run'"),
        (("--config", "no-such-file.yaml"), 2, "no-such-file.yaml"),
        (("--preset", "quickstart", "--picture", "run.jpg"), 2, "png"),
        (("--preset", "quickstart", "--picture", "nowhere/run.png"), 2, "no folder"),
        (("a-run", "--preset", "quickstart"), 2, "not allowed"),
    ],
)
def test_mistakes_are_told_before_anything_is_started(run_cli: RunCli, home, arguments, code, words):
    done = run_cli("train", *arguments)
    assert done.code == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((home / "runs").glob("*"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal to look at")
def test_on_a_terminal_one_line_is_written_over(small_config, home):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        program_command("train", "--config", small_config),
        env=program_environment(),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.STDOUT,
    )
    os.close(theirs)
    output = b""
    try:
        while chunk := os.read(ours, 65536):
            output += chunk
    except OSError:
        pass  # its end was closed
    os.close(ours)
    assert process.wait(timeout=PATIENCE_S) == 0
    text = output.decode()
    assert text.count("\r") > text.count("\n") > 0
    assert "steps" in text


def test_a_refused_command_leaves_the_run_as_it_is(run_cli: RunCli, small_config, home):
    training = Training("--config", small_config)
    run = training.under_way()
    before = [(run.path / name).read_bytes() for name in ("run.yaml", "manifest.json")]
    changes = ("--set", "pacing.spool_mb=100")
    busy = run_cli("train", run.name, *changes, "--minutes", "9")
    assert busy.code == 1
    assert "is being trained already" in busy.stderr
    training.end()
    spent = run_cli("train", run.name, *changes, "--minutes", "0.05")
    assert spent.code == 1
    assert "has used up its budget" in spent.stderr
    assert before == [(run.path / name).read_bytes() for name in ("run.yaml", "manifest.json")]

"""Learner and driver as processes that die and come back: nothing that was driven is lost or counted twice."""

from __future__ import annotations

import random
import secrets
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.workers import Worker, Workshop, events, is_root
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import live_job


def _beyond(steps: int) -> Callable[[dict[str, Any]], bool]:
    return lambda status: status["steps"] > steps


def _both_agree(learner: Worker, actor: Worker) -> None:
    """Once the driver waits, both have counted the same steps, and none of them waits on the way."""
    actor.command("pause")
    counted = actor.until(
        lambda status: status["spool_steps"] == 0 and status["state"] == "paused", "it is paused"
    )
    time.sleep(1.0)  # what was under way in the cars' lanes is delivered half a second later
    actor.until(lambda status: status["spool_steps"] == 0, "everything is delivered")
    learner.until(lambda status: status["steps"] == counted["steps"], "the learner has every step")


def test_a_driver_that_starts_first_waits_and_then_both_work(workshop: Workshop):
    run = workshop.new_run()
    actor = workshop.start(run, "actor")
    actor.until(lambda status: status["state"] == "waiting for the learner", "it waits")
    learner = workshop.start(run, "learner")
    learner.until(lambda status: status["updates"] > 50, "it learns")
    actor.until(lambda status: status["policy_version"] >= 20, "the newest policy drives")
    _both_agree(learner, actor)
    assert actor.stop() == 0
    assert learner.stop() == 0
    assert [event["role"] for event in events(run, "error")] == []


def test_a_killed_learner_misses_nothing_that_is_driven_meanwhile(workshop: Workshop):
    run = workshop.new_run()
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    before = learner.until(lambda status: status["updates"] > 20, "it learns")
    learner.kill()
    alone = actor.until(lambda status: not status["connected"], "the driver notices")
    later = actor.until(lambda status: status["steps"] > alone["steps"] + 100, "it drives on alone")
    assert later["state"] == "driving without the learner"
    actor.until(lambda status: status["spool_steps"] > 0, "its driving is kept")

    again = workshop.start(run, "learner")
    after = again.until(lambda status: status["steps"] >= later["steps"], "everything was delivered")
    assert after["steps"] >= before["steps"]
    again.until(lambda status: status["updates"] > 0, "it learns on")
    _both_agree(again, actor)
    assert actor.stop() == again.stop() == 0


def test_a_killed_driver_goes_on_where_its_disk_says(workshop: Workshop):
    run = workshop.new_run()
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    for _ in range(2):
        steps = learner.until(lambda status: status["steps"] > 300, "it drives")["steps"]
        actor.kill()
        actor = workshop.start(run, "actor")
        learner.until(_beyond(steps + 200), "it drives on")
    _both_agree(learner, actor)
    assert actor.stop() == learner.stop() == 0


def test_killed_at_random_moments_with_checkpoints_under_way(workshop: Workshop):
    run = workshop.new_run(checkpoints={"every_s": 5.0, "keep": 1}, evaluation={"every_s": 2.0})
    chance = random.Random(5)
    actor = workshop.start(run, "actor")
    steps = 0
    for _ in range(3):
        learner = workshop.start(run, "learner")
        status = learner.until(_beyond(steps + 200), "it goes on")
        time.sleep(chance.uniform(0.0, 3.0))
        steps = status["steps"]
        learner.kill()
    learner = workshop.start(run, "learner")
    assert learner.until(lambda _: True, "it is back")["steps"] >= steps
    learner.until(lambda status: status["last_checkpoint"] and status["updates"] > 10, "it learns and saves")
    _both_agree(learner, actor)
    assert actor.stop() == learner.stop() == 0
    again = workshop.start(run, "learner")
    assert again.until(lambda _: True, "it is back")["steps"] >= steps
    assert again.stop() == 0


def test_trials_choose_a_best_checkpoint_and_the_end_comes_by_itself(workshop: Workshop):
    run = workshop.new_run(evaluation={"every_s": 2.0, "episodes": 2}, budget={"minutes": 0.12})
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    assert learner.wait() == 0
    assert actor.wait() == 0
    assert (run.checkpoints_path / "best.json").exists()
    assert events(run, "evaluated")
    assert [event["reason"] for event in events(run, "finished")] == ["the budget is used up"]
    assert "the run is finished" in [event["reason"] for event in events(run, "ended")]
    late = workshop.start(run, "learner")
    assert late.wait() == 1
    assert "has used up its budget" in late.log()


def test_pause_checkpoint_and_stop_by_command(workshop: Workshop):
    run = workshop.new_run()
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    learner.until(lambda status: status["updates"] > 20, "it learns")
    learner.command("pause")
    paused = learner.until(lambda status: status["state"] == "paused", "it is paused")
    actor.until(lambda status: status["state"] == "paused", "the driver is paused too")
    time.sleep(0.5)
    assert (learner.status() or {})["updates"] == paused["updates"]
    learner.command("resume")
    learner.until(lambda status: status["updates"] > paused["updates"], "it goes on")
    learner.command("checkpoint")
    learner.until(lambda status: status["last_checkpoint"], "it saves")
    learner.command("evaluate")
    learner.until(lambda status: status["newest_finish_rate"] is not None, "a trial was driven")
    actor.command("stop")
    assert actor.wait() == 0
    learner.command("stop")
    assert learner.wait() == 0


# What cannot work.


def _address(run: RunFolder) -> str:
    job = live_job(run.path, "learner")
    assert job is not None
    return f"{job.host}:{job.port}"


def _refused(worker: Worker, *words: str) -> None:
    assert worker.wait() == 1
    for word in words:
        assert word in worker.log()
    assert "Traceback" not in worker.log()


def test_a_wrong_token_is_one_clear_error(workshop: Workshop):
    run = workshop.new_run()
    learner = workshop.start(run, "learner")
    learner.until(lambda _: True, "it is up")
    token = run.token
    (run.path / "token").write_text(secrets.token_urlsafe(32))
    actor = workshop.start(run, "actor")
    _refused(actor, "error: The run's token is wrong", "try:")
    assert token not in actor.log() + learner.log()
    (run.path / "token").write_text(token)
    assert learner.stop() == 0


def test_a_driver_of_another_run_is_one_clear_error(workshop: Workshop, tmp_path: Path):
    run = workshop.new_run()
    learner = workshop.start(run, "learner")
    learner.until(lambda _: True, "it is up")
    other = Workshop(tmp_path / "elsewhere")
    stranger = other.new_run(observation={"track_points": 6})
    (stranger.path / "token").write_text(run.token)
    actor = other.start(stranger, "actor", "--connect", _address(run))
    _refused(actor, "error: Driver and learner do not work on the same run", "try:")
    other.close()
    assert learner.stop() == 0


def test_a_port_in_use_is_one_clear_error(workshop: Workshop):
    run = workshop.new_run()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        learner = workshop.start(run, "learner", "--port", str(port))
        _refused(learner, f"error: Port {port} cannot be used", "--port")


def test_a_second_learner_and_a_second_driver_are_refused_by_name(workshop: Workshop):
    run = workshop.new_run()
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    learner.until(lambda status: status["drivers"], "both are up")
    _refused(workshop.start(run, "learner"), "already is the learner", str(learner.process.pid))
    _refused(workshop.start(run, "actor"), "already is the driver 'actor-1'", str(actor.process.pid))
    assert actor.stop() == learner.stop() == 0


@pytest.fixture
def small_disk(tmp_path: Path):
    """A disk with 48 MB of room."""
    if not is_root():
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("this system does not let a disk be mounted")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_makes_both_wait_and_loses_nothing(small_disk: Path):
    workshop = Workshop(small_disk)
    try:
        run: RunFolder = workshop.new_run()
        learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
        learner.until(lambda status: status["updates"] > 5, "it learns")
        filler = small_disk / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(65536))
        stuck = actor.until(
            lambda status: status["state"] == "waiting for room on the disk", "the disk is full"
        )
        assert stuck["problem"].startswith("Could not write")
        time.sleep(1.0)
        assert (actor.status() or {})["steps"] == stuck["steps"]
        filler.unlink()
        learner.until(lambda status: status["steps"] > stuck["steps"] + 100, "it goes on")
        _both_agree(learner, actor)
        assert actor.stop() == learner.stop() == 0
    finally:
        workshop.close()


def test_a_disk_without_room_for_the_replay_is_one_clear_error(small_disk: Path):
    workshop = Workshop(small_disk)
    run = workshop.new_run(replay={"capacity": 1_000_000})
    _refused(workshop.start(run, "learner"), "the disk is full", "try:")
    workshop.close()


def test_a_driver_that_is_bound_to_its_parent_ends_with_it(workshop: Workshop):
    run = workshop.new_run()
    worker = workshop.start(run, "actor", "--parent-bound")  # its standard input is closed from the start
    assert worker.wait() == 0
    assert events(run, "ended")[0]["reason"] == "its parent has ended"

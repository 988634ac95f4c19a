"""The learner beside a driver that drives at its credit while somebody looks, against the learner alone.

Both are measured on the same two processes, in turns: the driver is held still for the turns alone.
"""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tmstudio.config.presets import preset
from tmstudio.env.build import load_track
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import Job, live_job
from tmstudio.runs.live_ring import LiveReader
from tmstudio.runs.metrics import MetricsReader
from tmstudio.runtime.child import Child
from tmstudio.runtime.train import ACTOR_ID
from tmstudio.transport.control import ControlClient

_TURN_S, _TURNS, _SETTLE_S = 10.0, 3, 1.0
_DRAWN_PER_S = 60.0


class _Viewer:
    """Reads what the Live page reads, as often."""

    def __init__(self, run: RunFolder) -> None:
        self.frames = 0
        self._run = run
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def close(self) -> None:
        """Look away."""
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        ring, metrics = LiveReader(self._run.live_path(ACTOR_ID)), MetricsReader(self._run.metrics_path)
        index = number = row = 0
        while not self._ended.wait(1.0 / _DRAWN_PER_S):
            ring.beat()
            records = ring.records_since(index)
            index = int(records["index"][-1]) if len(records) else index
            frame = ring.frame(number)
            if frame is not None:
                number, self.frames = frame.number, self.frames + 1
            episodes = metrics.episodes_since(row)
            row = episodes[-1].rowid if episodes else row
        ring.close()
        metrics.close()


def _rate(client: ControlClient) -> float:
    """Updates a second over one turn."""
    time.sleep(_SETTLE_S)
    before, begun = int(client.status()["updates"]), time.perf_counter()
    time.sleep(_TURN_S)
    return (int(client.status()["updates"]) - before) / (time.perf_counter() - begun)


def _beside(run: RunFolder, client: ControlClient) -> float:
    viewer = _Viewer(run)
    rate = _rate(client)
    viewer.close()
    return rate


def _alone(actor: Job, client: ControlClient) -> float:
    os.kill(actor.pid, signal.SIGSTOP)
    try:
        return _rate(client)
    finally:
        os.kill(actor.pid, signal.SIGCONT)


def _watched_frames_per_s(run: RunFolder, actor: Job) -> float:
    with ControlClient(actor.host, actor.port, run.token) as client:
        client.command("watch")
        viewer = _Viewer(run)
        time.sleep(_SETTLE_S)
        before = viewer.frames
        time.sleep(_TURN_S)
        frames = viewer.frames - before
        viewer.close()
        client.command("unwatch")
    return frames / _TURN_S


def _until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 120.0
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError("the workers did not begin")
        time.sleep(0.1)
    return value


def main() -> list[tuple[str, str, str]]:
    """Rows of what was measured and what was asked."""
    with tempfile.TemporaryDirectory() as folder:
        config = preset("quickstart")
        config = config.model_copy(update={"budget": config.budget.model_copy(update={"minutes": 60.0})})
        run = RunFolder.create(config, track_sha256=load_track(config).sha256, root=Path(folder))
        begun = time.perf_counter()
        learner, actor = Child(run, "learner"), Child(run, "actor", ACTOR_ID)
        try:
            _until(lambda: (learner.status() or {}).get("updates"))
            first_update_s = time.perf_counter() - begun
            _until(
                lambda: (learner.status() or {"updates": 0})["updates"] > config.pacing.policy_every_updates
            )
            learner_job, actor_job = live_job(run.path, "learner"), live_job(run.path, "actor", ACTOR_ID)
            assert learner_job is not None
            assert actor_job is not None
            with ControlClient(learner_job.host, learner_job.port, run.token) as client:
                turns = [(_alone(actor_job, client), _beside(run, client)) for _ in range(_TURNS)]
            frames_per_s = _watched_frames_per_s(run, actor_job)
        finally:
            actor.end()
            learner.end()
    alone, beside = (statistics.median(turn[side] for turn in turns) for side in (0, 1))
    return [
        ("start of both workers to the first update", f"{first_update_s:.1f} s", ""),
        ("learner alone", f"{alone:.1f} updates/s", ""),
        ("learner beside the driver, Live open", f"{beside:.1f} updates/s", ""),
        ("the same as a share of alone", f"{beside / alone:.0%}", "at least 80 %"),
        ("Watch: new frames while training", f"{frames_per_s:.1f} /s", "at least 20"),
    ]


if __name__ == "__main__":
    for what, measured, asked in main():
        print(f"{what:<45} {measured:>18}   {asked}")

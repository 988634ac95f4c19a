"""Small runs, and their workers as the real processes that they are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tmstudio.config.loading import parse_run_config
from tmstudio.env.build import load_track
from tmstudio.errors import TMStudioError
from tmstudio.runs.events import EventReader, log_file
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import live_job
from tmstudio.transport.control import ControlClient

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 90.0

SMALL = {
    "track": "meadow",
    "game": {"cars": 2},
    "observation": {"lidar_history": 1, "track_points": 4},
    "algorithm": {
        "kind": "sac",
        "batch_size": 16,
        "network": {"kind": "mlp", "width": 16, "layers": 1},
    },
    "replay": {"capacity": 20_000, "warmup": 100},
    "pacing": {"policy_every_updates": 20},
    "budget": {"minutes": 30.0},
    "evaluation": {"every_s": 3000.0, "episodes": 2},
    "checkpoints": {"every_s": 3000.0},
    "episode": {"time_limit_s": 20.0},
}
"""Networks that cost nothing; no trials and no checkpoints unless a test asks for them."""


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition; its value."""
    deadline = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.05)
    return value


class Worker:
    """A learner or a driver as a process."""

    def __init__(self, run: RunFolder, role: str, *arguments: str) -> None:
        self.run = run
        self.role = role
        self._log = log_file(run.path, role).open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tmstudio", role, str(run.path), *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )

    def status(self) -> dict[str, Any] | None:
        """How it says it stands; None while it does not answer."""
        job = live_job(self.run.path, self.role, "actor-1" if self.role == "actor" else "")
        if job is None or job.pid != self.process.pid:
            return None
        try:
            with ControlClient(job.host, job.port, self.run.token) as client:
                return client.status()
        except TMStudioError:
            return None

    def command(self, name: str) -> str:
        """Give it a command."""
        job = live_job(self.run.path, self.role, "actor-1" if self.role == "actor" else "")
        assert job is not None
        with ControlClient(job.host, job.port, self.run.token) as client:
            return client.command(name)

    def until(self, condition: Callable[[dict[str, Any]], Any], what: str) -> dict[str, Any]:
        """Wait until its status meets a condition; the status."""

        def met() -> dict[str, Any] | None:
            assert self.process.poll() is None, f"the {self.role} ended:\n{self.log()}"
            status = self.status()
            return status if status is not None and condition(status) else None

        status: dict[str, Any] = until(met, what)
        return status

    def stop(self) -> int:
        """Stop it in order; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        """End it at once, wherever it is."""
        self.process.kill()
        self.process.wait()

    def wait(self) -> int:
        """Wait for its end; its exit code."""
        return self.process.wait(timeout=PATIENCE_S)

    def log(self) -> str:
        """What it printed on stderr."""
        return log_file(self.run.path, self.role).read_text()

    def close(self) -> None:
        """Make sure that it is gone."""
        if self.process.poll() is None:
            self.kill()
        self._log.close()


class Workshop:
    """Makes runs and starts workers on them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workers: list[Worker] = []

    def new_run(self, **changes: Any) -> RunFolder:
        """A small run, with some sections changed."""
        data = {**SMALL, **{key: {**SMALL.get(key, {}), **value} for key, value in changes.items()}}  # type: ignore[dict-item]
        config = parse_run_config(data, "test")
        return RunFolder.create(config, track_sha256=load_track(config).sha256, name="run", root=self._folder)

    def start(self, run: RunFolder, role: str, *arguments: str) -> Worker:
        """Start a worker."""
        worker = Worker(run, role, *arguments)
        self._workers.append(worker)
        return worker

    def close(self) -> None:
        """End all of them."""
        for worker in self._workers:
            worker.close()


def events(run: RunFolder, kind: str) -> list[dict[str, Any]]:
    """The events of one kind so far."""
    return [event for event in EventReader(run.path).read() if event["kind"] == kind]


def is_root() -> bool:
    """Whether disks can be mounted."""
    return hasattr(os, "geteuid") and os.geteuid() == 0

"""A worker as a child process: started, asked, stopped, and started again when it dies."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tmstudio.errors import TMStudioError
from tmstudio.runs.events import last_lines, log_file
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import live_job, program
from tmstudio.transport.control import ControlClient

_USAGE_ERROR: Final = 2
_RESTARTS: Final = 2
_LINES_SHOWN: Final = 12


@dataclass(frozen=True)
class Ending:
    """How a worker ended.

    Attributes:
        role: which.
        code: its exit code; negative: the signal that killed it.
        lived_s: how long it ran.
        last_words: the last lines of its log.
    """

    role: str
    code: int
    lived_s: float
    last_words: Sequence[str]

    def __str__(self) -> str:
        """In one sentence, with the last lines below."""
        how = (
            f"was killed by {signal.Signals(-self.code).name}"
            if self.code < 0
            else f"ended with code {self.code}"
        )
        return "\n".join(
            [f"The {self.role} {how} after {self.lived_s:.0f} s.", *(f"  | {x}" for x in self.last_words)]
        )


class Child:
    """One worker of a run. It ends when this process does.

    Args:
        run: the run.
        role: "learner" or "actor".
        actor_id: the driver's name; empty for a learner.
    """

    def __init__(self, run: RunFolder, role: str, actor_id: str = "") -> None:
        self._run = run
        self._role = role
        self._actor_id = actor_id
        self._log_path = log_file(run.path, actor_id or role)
        self._restarts = 0
        self._client: ControlClient | None = None
        self._start()

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._process.poll()

    @property
    def ending(self) -> Ending:
        """How it ended."""
        return Ending(
            "driver" if self._actor_id else self._role,
            self._process.wait(),
            time.monotonic() - self._started_s,
            last_lines(self._log_path, _LINES_SHOWN),
        )

    def restart(self) -> bool:
        """Start it again after it died; whether that makes sense."""
        ending = self.ending
        # What cannot even begin will not the next time either.
        hopeless = ending.code == _USAGE_ERROR or (ending.code > 0 and not self._came_up)
        if hopeless or self._restarts >= _RESTARTS:
            return False
        self._restarts += 1
        self._start()
        return True

    def status(self) -> dict[str, Any] | None:
        """How it stands; None while it does not answer."""
        try:
            client = self._connected()
            return client.status() if client is not None else None
        except TMStudioError:
            self._disconnect()
            return None

    def stop(self) -> None:
        """Ask it to save and leave."""
        try:
            client = self._connected()
            if client is not None:
                client.command("stop")
                return
        except TMStudioError:
            self._disconnect()
        self._process.terminate()  # it is still starting, or beyond answering

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; whether it came."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """Make sure that it runs no more."""
        self._disconnect()
        if self.running:
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _start(self) -> None:
        self._disconnect()
        names = ["--name", self._actor_id] if self._actor_id else []
        command = [*program(), self._role, str(self._run.path), "--parent-bound", *names]
        self._log_path.parent.mkdir(exist_ok=True)
        with self._log_path.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,  # its end tells the worker that this process has ended
                stdout=subprocess.DEVNULL,
                stderr=log,
                # A Ctrl-C in the terminal is for this process alone: it stops its workers in order.
                start_new_session=sys.platform != "win32",
            )
        self._started_s = time.monotonic()
        self._came_up = False

    def _connected(self) -> ControlClient | None:
        if self._client is None:
            job = live_job(self._run.path, self._role, self._actor_id)
            if job is not None and job.pid == self._process.pid:
                self._came_up = True
                self._client = ControlClient(job.host, job.port, self._run.token)
        return self._client

    def _disconnect(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

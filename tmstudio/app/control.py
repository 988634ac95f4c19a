"""Control calls to the workers of a run, on a thread of their own: a worker that does not answer holds up nothing."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from tmstudio.errors import TMStudioError
from tmstudio.runs.jobs import Job

_STATUS_EVERY_S = 1.0


@dataclass(frozen=True)
class Call:
    """A command for the worker with this role."""

    role: str
    name: str


class ControlLine(QObject):
    """Gives commands to the live workers of one run and asks how they stand.

    Args:
        token: reads the run's secret.
    """

    answered = Signal(str, str)
    """A command was taken: its name, and what is going to happen."""
    failed = Signal(str, object)
    """A command was not taken: its name, and the `TMStudioError`."""
    status = Signal(str, object)
    """How a worker stands: its role, and its own words as plain data."""

    def __init__(self, token: Callable[[], str]) -> None:
        super().__init__()
        self._token = token
        self._calls: queue.Queue[Call | None] = queue.Queue()
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._loop, name="control calls")

    def start(self) -> None:
        """Begin to ask how the workers stand."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; a call in the air is waited for, at most some seconds."""
        self._calls.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def set_jobs(self, jobs: list[Job]) -> None:
        """Who can be reached now."""
        with self._lock:
            self._jobs = {job.role: job for job in jobs}

    def send(self, role: str, name: str) -> None:
        """Give a command soon."""
        self._calls.put(Call(role, name))

    def _loop(self) -> None:
        from tmstudio.transport.control import (
            ControlClient,  # grpc is loaded here, not while the window opens
        )

        clients: dict[Job, ControlClient] = {}
        try:
            while True:
                try:
                    call = self._calls.get(timeout=_STATUS_EVERY_S)
                except queue.Empty:
                    self._ask_all(clients, ControlClient)
                    continue
                if call is None:
                    return
                self._carry_out(call, clients, ControlClient)
        except Exception:  # noqa: BLE001 - a bug on this thread must be seen
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        finally:
            for client in clients.values():
                client.close()

    def _client(self, job: Job, clients: dict[Job, Any], make: Callable[..., Any]) -> Any:
        with self._lock:
            present = set(self._jobs.values())
        for old in [old for old in clients if old not in present and old != job]:
            clients.pop(old).close()
        if job not in clients:
            clients[job] = make(job.host, job.port, self._token())
        return clients[job]

    def _carry_out(self, call: Call, clients: dict[Job, Any], make: Callable[..., Any]) -> None:
        with self._lock:
            job = self._jobs.get(call.role)
        try:
            if job is None:
                raise TMStudioError(f"The {call.role} does not run", hint="start the run first")
            self.answered.emit(call.name, self._client(job, clients, make).command(call.name))
        except TMStudioError as error:
            self.failed.emit(call.name, error)

    def _ask_all(self, clients: dict[Job, Any], make: Callable[..., Any]) -> None:
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            try:
                self.status.emit(job.role, self._client(job, clients, make).status())
            except TMStudioError:
                continue  # it may be ending: the job files tell

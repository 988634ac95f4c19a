"""What every worker process of a run has in common: it is announced, takes commands, and can be told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from tmstudio.transport.faults import RejectedError


class StopRequest:
    """Whether, and why, the process shall end. Set from signals, commands and threads."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason = ""

    def __call__(self, reason: str) -> None:
        """Ask for the end; the first reason counts."""
        if not self._event.is_set():
            self.reason = reason
            self._event.set()

    @property
    def requested(self) -> bool:
        """Whether the end was asked for."""
        return self._event.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the request, up to ``timeout_s``; whether it was made."""
        return self._event.wait(timeout_s)


class CommandTable:
    """Answers Control calls with the functions of a process.

    Args:
        role: what the process is, for messages.
        commands: name -> what is done, which returns a sentence about it.
        status: how the process stands.
    """

    def __init__(
        self,
        role: str,
        commands: Mapping[str, Callable[[], str]],
        status: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._role = role
        self._commands = commands
        self._status = status

    def command(self, name: str) -> str:
        """Begin what the command says."""
        if name not in self._commands:
            raise RejectedError(
                f"The {self._role} has no command '{name}'", hint=f"it has {', '.join(self._commands)}"
            )
        return self._commands[name]()

    def status(self) -> Mapping[str, Any]:
        """How the process stands."""
        return self._status()

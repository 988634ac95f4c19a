"""How a worker process ended, in one sentence a person understands. Plain Python, no Qt."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from enum import Enum

ROLE_NAMES = {"learner": "The learner", "actor": "The driver"}
"""What people read for a role."""


class End(Enum):
    """The ways in which a process can end."""

    NOT_STARTED = "not started"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    KILLED = "killed"
    VANISHED = "vanished"


@dataclass(frozen=True)
class ProcessOutcome:
    """The end of one worker.

    Attributes:
        role: "learner" or "actor".
        end: how it ended.
        code: its exit code, where it exited by itself.
        signal_number: the signal that ended it, where one did and the system tells.
        reason: what it said itself, or why it could not be started.
    """

    role: str
    end: End
    code: int | None = None
    signal_number: int | None = None
    reason: str = ""

    @property
    def expected(self) -> bool:
        """Whether this is how a run is meant to end."""
        return self.end in (End.FINISHED, End.STOPPED)

    def sentence(self) -> str:
        """What happened."""
        name = ROLE_NAMES.get(self.role, f"The {self.role}")
        if self.end is End.NOT_STARTED:
            return f"{name} could not be started{_because(self.reason)}."
        if self.end is End.FINISHED:
            return f"{name} has finished{_because(self.reason)}."
        if self.end is End.STOPPED:
            return f"{name} was stopped and has saved its work."
        if self.end is End.KILLED:
            return f"{name} was ended from outside{self._signal_text()}."
        if self.end is End.VANISHED:
            return f"{name} is gone without a word: it was killed, or the computer restarted."
        return f"{name} failed{_because(self.reason)} (exit code {self.code})."

    def _signal_text(self) -> str:
        if self.signal_number is None:
            return ""
        try:
            name = signal.Signals(self.signal_number).name
        except ValueError:
            name = f"signal {self.signal_number}"
        return f" ({name}; out of memory is a common cause)" if name == "SIGKILL" else f" ({name})"


def outcome_of(
    role: str, *, code: int | None, crashed: bool, asked_to_stop: bool, reason: str = ""
) -> ProcessOutcome:
    """The outcome of a process that this program started.

    Args:
        role: "learner" or "actor".
        code: exit code as Qt gives it; the signal's number where it crashed on POSIX.
        crashed: whether it was ended by a signal or an exception of the system.
        asked_to_stop: whether it had been told to stop.
        reason: what its last error said.
    """
    if crashed:
        number = code if sys.platform != "win32" else None
        if asked_to_stop and number in (signal.SIGTERM, signal.SIGINT):
            return ProcessOutcome(role, End.STOPPED, signal_number=number)
        return ProcessOutcome(role, End.KILLED, signal_number=number, reason=reason)
    if code == 0:
        return ProcessOutcome(role, End.STOPPED if asked_to_stop else End.FINISHED, code=0, reason=reason)
    return ProcessOutcome(role, End.FAILED, code=code, reason=reason)


def _because(reason: str) -> str:
    reason = reason.strip().rstrip(".")
    return f": {reason}" if reason else ""

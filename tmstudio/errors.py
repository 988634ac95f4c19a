"""The project's own errors: what happened, the likely cause, and what to do next.

User mistakes and faults of the world (a missing file, a port in use, a full disk) are raised as these.
Anything else that escapes is a bug and shows a traceback.
"""

from __future__ import annotations

from dataclasses import dataclass


class TMStudioError(Exception):
    """A fault that a person can do something about.

    Args:
        message: one sentence that says what happened.
        cause: the likely cause, or what was found instead of what was expected.
        hint: the next action to take.
    """

    exit_code = 1

    def __init__(self, message: str, *, cause: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cause = cause
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.message]
        if self.cause:
            lines.append(f"Cause: {self.cause}")
        if self.hint:
            lines.append(f"Try: {self.hint}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a configuration: where it is and what is wrong with it."""

    path: str
    problem: str


class ConfigError(TMStudioError):
    """A configuration that cannot be used. Lists every fault at once; nothing was started."""

    exit_code = 2

    def __init__(self, faults: list[Fault], *, source: str, hint: str = "") -> None:
        self.faults = faults
        self.source = source
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        listing = "\n".join(f"  {fault.path}: {fault.problem}" for fault in faults)
        super().__init__(
            f"{source} has {count}:\n{listing}",
            hint=hint or "correct the listed fields and start again; nothing was started",
        )

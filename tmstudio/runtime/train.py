"""Learner and driver together, without a window: started, watched over, and stopped in order."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Final

from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.runtime.child import Child
from tmstudio.runtime.progress import ProgressDisplay

ACTOR_ID: Final = "actor-1"
_LOOK_EVERY_S: Final = 0.5
_LOOK_FOR_END_EVERY_S: Final = 0.05
_DRIVER_LEAVES_S: Final = 5.0
_LEARNER_LEAVES_S: Final = 10.0


class _Interrupts:
    """Counts requests to stop."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """One more."""
        self.count += 1


def train(run: RunFolder, display: ProgressDisplay) -> None:
    """Train until the budget is used up, or until Ctrl-C or SIGTERM.

    The first Ctrl-C stops in order: what was driven is delivered, everything is saved. The second kills.

    Raises:
        TMStudioError: a worker keeps dying; its last lines are in the cause.
    """
    with _interrupts() as interrupts, ExitStack() as children:
        learner = Child(run, "learner")
        children.callback(learner.end)
        actor = Child(run, "actor", ACTOR_ID)
        children.callback(actor.end)
        while learner.exit_code != 0 and not interrupts.count:
            _watch_over(learner, actor, display, interrupts)
        if interrupts.count:
            display.say(
                "Stopping: the last driving is delivered and everything is saved. Ctrl-C again kills."
            )
            for child, patience_s in ((actor, _DRIVER_LEAVES_S), (learner, _LEARNER_LEAVES_S)):
                _stop(child, patience_s, interrupts)
        else:
            actor.wait(_DRIVER_LEAVES_S)


def _watch_over(learner: Child, actor: Child, display: ProgressDisplay, interrupts: _Interrupts) -> None:
    """Show how it goes, and look after both workers for half a second."""
    status = learner.status()
    if status is not None:
        display.show(status)
    actor.status()
    deadline = time.monotonic() + _LOOK_EVERY_S
    while time.monotonic() < deadline and not interrupts.count:
        for child in (learner, actor):
            if child.exit_code not in (None, 0):
                _revive(child, display)
        time.sleep(_LOOK_FOR_END_EVERY_S)
        if learner.exit_code == 0:
            return


def _revive(child: Child, display: ProgressDisplay) -> None:
    ending = child.ending
    display.say(str(ending))
    if not child.restart():
        raise TMStudioError(
            f"The {ending.role} cannot go on",
            cause="its last lines are above" if ending.last_words else f"it ended with code {ending.code}",
            hint="everything up to the last checkpoint is saved; correct the cause and train on with --run",
        )
    display.say(f"The {ending.role} was started again and goes on.")


def _stop(child: Child, patience_s: float, interrupts: _Interrupts) -> None:
    """Stop a worker in order, or at once when asked for the second time."""
    if child.exit_code is None:
        child.stop()
    deadline = time.monotonic() + patience_s
    while child.exit_code is None and time.monotonic() < deadline and interrupts.count < 2:
        child.wait(_LOOK_FOR_END_EVERY_S)


@contextmanager
def _interrupts() -> Iterator[_Interrupts]:
    """Count Ctrl-C and SIGTERM instead of ending at once."""
    interrupts = _Interrupts()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, interrupts) for number in signals]
    try:
        yield interrupts
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)

"""Where a run stands, and what can be done with it now. Plain Python, no Qt.

Everything the Live page's header shows and allows follows from a `RunState` by rules written down here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Phase(Enum):
    """Where a run stands, as a person sees it."""

    NEW = "Not started"
    STARTING = "Starting"
    TRAINING = "Training"
    PAUSED = "Paused"
    STOPPING = "Stopping"
    STOPPED = "Stopped"
    FINISHED = "Finished"
    NO_DRIVER = "No car drives"
    NO_LEARNER = "Learner lost"
    LOST = "Interrupted"


PHASE_COLORS = {
    Phase.NEW: "muted",
    Phase.STARTING: "blue",
    Phase.TRAINING: "accent",
    Phase.PAUSED: "amber",
    Phase.STOPPING: "blue",
    Phase.STOPPED: "muted",
    Phase.FINISHED: "accent",
    Phase.NO_DRIVER: "red",
    Phase.NO_LEARNER: "red",
    Phase.LOST: "amber",
}
"""Token of the colour of each phase."""


@dataclass(frozen=True)
class RunState:
    """The facts that decide what a run looks like.

    Attributes:
        learner: whether its learner is alive.
        driver: whether its driver is alive.
        starting: whether a worker was started and has not announced itself yet.
        stopping: whether it was told to stop.
        paused: whether the learner says that it is paused.
        watching: whether the driver shows a lap at play speed.
        trained: whether it has trained before.
        budget_used: whether its budget is used up.
        abandoned: whether a worker left its announcement behind: it was killed.
        has_policy: whether there is a policy to watch or evaluate.
    """

    learner: bool = False
    driver: bool = False
    starting: bool = False
    stopping: bool = False
    paused: bool = False
    watching: bool = False
    trained: bool = False
    budget_used: bool = False
    abandoned: bool = False
    has_policy: bool = False

    @property
    def phase(self) -> Phase:
        """Where the run stands."""
        if self.stopping and (self.learner or self.driver):
            return Phase.STOPPING
        if self.learner and self.driver:
            return Phase.PAUSED if self.paused else Phase.TRAINING
        if self.starting:
            return Phase.STARTING
        if self.learner:
            return Phase.NO_DRIVER
        if self.driver:
            return Phase.NO_LEARNER
        if self.budget_used:
            return Phase.FINISHED
        if self.abandoned:
            return Phase.LOST
        return Phase.STOPPED if self.trained else Phase.NEW

    @property
    def running(self) -> bool:
        """Whether anything of it is at work."""
        return self.learner or self.driver or self.starting

    @property
    def moving(self) -> bool:
        """Whether fresh telemetry can be expected."""
        return self.phase is Phase.TRAINING or (self.driver and self.watching)


@dataclass(frozen=True)
class Command:
    """Something that can be done with a run.

    Attributes:
        name: what the workers call it.
        text: the verb on its button.
        hint: what it does, for the tooltip.
        off: why it cannot be done now, or nothing.
        shown: whether its button is there at all.
        kind: the button's kind.
        key: keyboard shortcut.
    """

    name: str
    text: Callable[[RunState], str]
    hint: str
    off: Callable[[RunState], str]
    shown: Callable[[RunState], bool] = lambda _state: True
    kind: str = ""
    key: str = ""


def _not_running(state: RunState) -> str:
    if state.phase is Phase.STARTING:
        return "The run is still starting"
    if state.phase is Phase.STOPPING:
        return "The run is stopping"
    return "" if state.learner else "The run is not running: start it first"


def _start_off(state: RunState) -> str:
    return "The run is already starting" if state.starting else ""


def _start_text(state: RunState) -> str:
    if state.phase is Phase.FINISHED:
        return "Train longer"
    return "Resume" if state.trained or state.abandoned else "Start"


def _watch_off(state: RunState) -> str:
    if not state.driver:
        return "No car drives: start the run first"
    if not state.has_policy:
        return "There is no policy yet: the first one comes with the first updates"
    return _not_running(state) if state.phase is Phase.STOPPING else ""


COMMANDS = (
    Command(
        "start",
        _start_text,
        "Start learner and driver; a run goes on where it stopped",
        _start_off,
        shown=lambda state: not state.running or (state.starting and not state.learner),
        kind="primary",
        key="Ctrl+R",
    ),
    Command(
        "watch",
        lambda state: "Stop watching" if state.watching else "Watch",
        "The newest policy drives laps at play speed while training goes on",
        _watch_off,
        key="Ctrl+W",
    ),
    Command(
        "evaluate",
        lambda _: "Evaluate",
        "Let the newest policy drive its test laps now, without exploring",
        lambda state: _not_running(state) or ("" if state.has_policy else "There is no policy yet"),
        key="Ctrl+E",
    ),
    Command(
        "checkpoint",
        lambda _: "Checkpoint",
        "Save the run now",
        _not_running,
        key="Ctrl+S",
    ),
    Command(
        "pause",
        lambda _: "Pause",
        "Learner and driver wait; nothing is lost",
        _not_running,
        shown=lambda state: not state.paused,
        key="Ctrl+P",
    ),
    Command(
        "resume",
        lambda _: "Resume",
        "Go on learning and driving",
        _not_running,
        shown=lambda state: state.paused,
        key="Ctrl+P",
    ),
    Command(
        "stop",
        lambda _: "Stop",
        "Save and end learner and driver; the run can be resumed later",
        lambda state: "" if state.running else "The run is not running",
        kind="danger",
        key="Ctrl+.",
    ),
)
"""In the order of their buttons."""

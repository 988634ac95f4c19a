"""The progress of a training on a terminal: one line that is written over, or now and then a new one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, TextIO

_NEW_LINE_EVERY_S: Final = 10.0


class ProgressDisplay:
    """Shows how a training goes.

    Args:
        stream: where to.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._overwrites = stream.isatty()
        self._next_s = 0.0
        self._line_open = False

    def show(self, status: Mapping[str, Any]) -> None:
        """Show the learner's status."""
        if self._overwrites:
            self._stream.write(f"\r{progress_line(status)}\x1b[K")
            self._stream.flush()
            self._line_open = True
        elif time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + _NEW_LINE_EVERY_S
            self.say(progress_line(status))

    def say(self, text: str) -> None:
        """Say something on lines of its own."""
        if self._line_open:
            self._stream.write("\n")
            self._line_open = False
        self._stream.write(f"{text}\n")
        self._stream.flush()


def progress_line(status: Mapping[str, Any]) -> str:
    """The status in one line."""
    parts = [
        f"{_clock(status['time_left_s'])} left",
        str(status["state"]),
        f"{_grouped(status['steps'])} steps",
        f"{status['steps_per_s']:.0f}/s",
        f"{_grouped(status['updates'])} updates",
        f"{status['updates_per_s']:.0f}/s",
    ]
    if status["newest_finish_rate"] is not None:
        rate = f"trials {status['newest_finish_rate']:.0%} finished"
        median_s = status["newest_median_lap_s"]
        parts.append(rate if median_s is None else f"{rate}, median {median_s:.2f} s")
    if status["recent_laps_s"]:
        parts.append("exploring laps " + " ".join(f"{lap:.1f}" for lap in status["recent_laps_s"][-3:]))
    if status["best_lap_s"] is not None:
        parts.append(f"best {status['best_lap_s']:.2f} s")
    if status["problem"]:
        parts.append(str(status["problem"]))
    return " · ".join(parts)


def summary_text(outcome: Mapping[str, Any], *, finished: bool) -> str:
    """The figures at the end, for people."""
    first = (
        f"Run '{outcome['run']}' on track '{outcome['track']}' has {'finished' if finished else 'stopped'}: "
        f"{_clock(outcome['time_s'])} of training, {_grouped(outcome['steps'])} steps, "
        f"{_grouped(outcome['updates'])} updates."
    )
    lines = [first]
    if outcome["finish_rate"] is None:
        lines.append("No policy was tried without exploration yet.")
    else:
        lines.append(
            f"The best policy finished {outcome['finish_rate']:.0%} of {outcome['evaluated_laps']} laps in the "
            f"{outcome['origin']} without exploration (policy of step {_grouped(outcome['policy_step'])})."
        )
    if outcome["best_lap_s"] is not None:
        lines.append(f"Best lap without exploration: {outcome['best_lap_s']:.2f} s.")
    if outcome["first_finish_s"] is not None:
        lines.append(f"The first lap was finished after {_clock(outcome['first_finish_s'])}.")
    lines.append(f"Try it: tmstudio evaluate '{outcome['run']}'")
    return "\n".join(lines)


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"

"""What the rail on Home says about a track: plain rules over facts. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tmstudio.app import formatting
from tmstudio.app.run_list import RunLine
from tmstudio.app.widgets.rail import Step, StepState
from tmstudio.runs.summary import RunSummary
from tmstudio.track.geometry import Track


@dataclass(frozen=True)
class RailActions:
    """What the buttons of the rail do."""

    drive: Callable[[], object]
    change_track: Callable[[], object]
    new_run: Callable[[], object]
    open_run: Callable[[str], object]


def origin_word(summary: RunSummary) -> str:
    """Where the laps of a run were driven, in one short word."""
    return "sim" if summary.origin == "simulator" else summary.origin or ""


def evaluated(summary: RunSummary) -> str:
    """``10/10 sim``: how many of the evaluated laps were finished, and where."""
    if summary.finish_rate is None:
        return formatting.NOTHING
    return f"{round(summary.finish_rate * summary.evaluated_laps)}/{summary.evaluated_laps} {origin_word(summary)}"


def steps_for(track: Track | None, lines: list[RunLine], actions: RailActions) -> list[Step]:
    """The six steps for a track, and the runs on it."""
    if track is None:
        track_step = Step(
            "Track", "Choose a track to begin with.", StepState.NEXT, "Choose", actions.change_track
        )
    else:
        gates = formatting.plural(len(track.checkpoints_m), "checkpoint")
        track_step = Step(
            "Track",
            f"{track.name}, {formatting.metres(track.length_m)}, {gates}. Simulator only.",
            StepState.DONE,
            "Change",
            actions.change_track,
        )
    mine = [
        line
        for line in lines
        if track is not None and line.summary.track == track.name and line.run is not None
    ]
    return [
        Step(
            "Set up",
            "The simulator is ready. TrackMania itself cannot be connected yet.",
            StepState.DONE,
            "Drive",
            actions.drive,
        ),
        track_step,
        Step("Show it", "Recording your own laps is not part of this version.", StepState.LATER),
        Step(
            "Clone",
            "Learning from recorded laps is not part of this version.",
            StepState.LATER,
        ),
        _train_step(track, mine, actions),
        _evaluate_step(mine, actions),
    ]


def _train_step(track: Track | None, mine: list[RunLine], actions: RailActions) -> Step:
    if track is None:
        return Step("Train", "Choose a track first.", StepState.OPEN)
    running = next((line.summary for line in mine if line.summary.state == "running"), None)
    if running is not None:
        return Step(
            "Train",
            f"{running.name} is training: {formatting.clock(running.time_s)}.",
            StepState.NEXT,
            "Open",
            lambda: actions.open_run(running.name),
        )
    if not mine:
        return Step(
            "Train",
            "Start from nothing: the car finds out by itself how to drive.",
            StepState.NEXT,
            "New run",
            actions.new_run,
        )
    steps = max(line.summary.steps for line in mine)
    text = (
        f"{formatting.plural(len(mine), 'run')} on this track, longest {formatting.short_count(steps)} steps."
    )
    return Step("Train", text, StepState.DONE if steps else StepState.NEXT, "New run", actions.new_run)


def _evaluate_step(mine: list[RunLine], actions: RailActions) -> Step:
    tested = [line.summary for line in mine if line.summary.finish_rate is not None]
    if not tested:
        return Step(
            "Evaluate",
            "No policy yet. Training drives test laps by itself, without exploring.",
            StepState.OPEN,
        )
    best = min(tested, key=lambda one: (-(one.finish_rate or 0.0), one.best_lap_s or 1e9))
    if not best.finish_rate:
        text = f"{evaluated(best)} finished by {best.name}: it needs more training."
        return Step("Evaluate", text, StepState.OPEN, "Open", lambda: actions.open_run(best.name))
    text = f"{evaluated(best)} finished by {best.name}"
    text += f", best {formatting.lap(best.best_lap_s)}." if best.best_lap_s is not None else "."
    return Step("Evaluate", text, StepState.DONE, "Open", lambda: actions.open_run(best.name))

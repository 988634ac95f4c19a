"""What the Live page says when a worker is gone, and what it offers."""

from __future__ import annotations

from collections.abc import Callable

from tmstudio.app import formatting
from tmstudio.app.outcome import ProcessOutcome
from tmstudio.app.run_data import RunData
from tmstudio.app.run_state import Phase, RunState
from tmstudio.app.widgets.banner import Banner

_MEANING = {
    ("actor", True): "The learner goes on with what it has. Nothing that was delivered is lost.",
    ("actor", False): "Nothing that was delivered is lost.",
    ("learner", True): "The driver keeps its driving on disk until the learner is back. "
    "Training goes on from the last checkpoint.",
    ("learner", False): "Training goes on from the last checkpoint.",
}


def end_notice(
    banner: Banner,
    outcome: ProcessOutcome,
    lines: list[str],
    state: RunState,
    resume: Callable[[], object],
) -> None:
    """Say how a worker ended, with its last lines and what can be done."""
    other_alive = state.learner if outcome.role == "actor" else state.driver
    verb = "Start the driver again" if outcome.role == "actor" else "Start the learner again"
    banner.say(
        outcome.sentence(),
        "" if state.stopping else _MEANING.get((outcome.role, other_alive), ""),
        color="red",
        lines="\n".join(lines),
        actions=[] if state.stopping else [(verb if other_alive else "Resume", resume)],
    )


def finish_notice(banner: Banner, data: RunData, longer: Callable[[], object]) -> None:
    """Say what the training has come to, when its budget is used up."""
    if not data.trials:
        banner.say("Training has finished.", "No policy was evaluated in that time.", color="blue")
        return
    last = data.trials[-1]
    laps = f"{round(last.finish_rate * last.episodes)} of {last.episodes} test laps finished"
    if last.median_lap_s is not None:
        laps += f", median {formatting.lap(last.median_lap_s)}, best ever {formatting.lap(data.best_lap_s)}"
    banner.say(
        "Training has finished.",
        f"{laps} ({last.origin}, without exploring, policy step {formatting.short_count(last.policy_step)}).",
        color="blue",
        actions=[("Train longer", longer)],
    )


def missing_notice(banner: Banner, phase: Phase, resume: Callable[[], object]) -> None:
    """Say that one of the two workers is not there."""
    if phase is Phase.NO_DRIVER:
        banner.say(
            "The learner runs, but no car drives.",
            "It was left running when the window closed or crashed. Start the driver to go on training.",
            actions=[("Start the driver", resume)],
        )
    else:
        banner.say(
            "A car drives, but nothing learns from it.",
            "The driver keeps its driving on disk. Start the learner to go on training.",
            actions=[("Start the learner", resume)],
        )


def abandoned_notice(banner: Banner, resume: Callable[[], object]) -> None:
    """Say that a run was cut off, and that it can go on."""
    banner.say(
        "This run was interrupted.",
        "Its processes were killed or the computer went off. It goes on from its last checkpoint; driving that was on disk is kept.",
        actions=[("Resume", resume)],
    )

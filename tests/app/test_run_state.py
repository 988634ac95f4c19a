"""What can be done with a run follows from where it stands."""

from __future__ import annotations

import itertools

import pytest

from tmstudio.app.run_state import COMMANDS, PHASE_COLORS, Command, Phase, RunState

FLAGS = (
    "learner",
    "driver",
    "starting",
    "stopping",
    "paused",
    "watching",
    "trained",
    "budget_used",
    "abandoned",
)


def command(name: str) -> Command:
    return next(one for one in COMMANDS if one.name == name)


def all_states() -> list[RunState]:
    return [
        RunState(**dict(zip(FLAGS, flags, strict=True)))
        for flags in itertools.product((False, True), repeat=len(FLAGS))
    ]


def test_every_state_has_a_phase_with_a_colour() -> None:
    assert {state.phase for state in all_states()} == set(Phase)
    assert set(PHASE_COLORS) == set(Phase)


def test_there_is_always_something_to_do() -> None:
    for state in all_states():
        on = [one.name for one in COMMANDS if one.shown(state) and not one.off(state)]
        assert on or state.stopping, state


def test_pause_and_resume_take_turns() -> None:
    for state in all_states():
        assert command("pause").shown(state) != command("resume").shown(state)


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        (RunState(), Phase.NEW),
        (RunState(trained=True), Phase.STOPPED),
        (RunState(trained=True, abandoned=True), Phase.LOST),
        (RunState(trained=True, budget_used=True), Phase.FINISHED),
        (RunState(starting=True), Phase.STARTING),
        (RunState(learner=True, driver=True), Phase.TRAINING),
        (RunState(learner=True, driver=True, paused=True), Phase.PAUSED),
        (RunState(learner=True), Phase.NO_DRIVER),
        (RunState(driver=True), Phase.NO_LEARNER),
        (RunState(learner=True, driver=True, stopping=True), Phase.STOPPING),
    ],
)
def test_phases(state: RunState, phase: Phase) -> None:
    assert state.phase is phase


def test_a_button_that_is_off_says_why() -> None:
    assert command("pause").off(RunState()) == "The run is not running: start it first"
    assert "policy" in command("watch").off(RunState(learner=True, driver=True))
    assert command("watch").off(RunState(learner=True, driver=True, has_policy=True)) == ""
    assert command("start").text(RunState(trained=True, budget_used=True)) == "Train longer"
    assert command("start").text(RunState(trained=True)) == "Resume"

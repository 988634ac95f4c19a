"""One readable sentence for every way in which a worker can end."""

from __future__ import annotations

import signal
import sys

import pytest

from tmstudio.app.outcome import End, ProcessOutcome, outcome_of


@pytest.mark.parametrize("end", list(End))
@pytest.mark.parametrize("role", ["learner", "actor"])
def test_every_end_has_a_sentence(end: End, role: str) -> None:
    sentence = ProcessOutcome(role, end, code=1, reason="the disk is full").sentence()
    assert sentence.startswith("The ")
    assert sentence.endswith(".")
    assert "None" not in sentence


def test_a_clean_end_is_what_was_asked_for_or_the_end_of_the_run() -> None:
    assert outcome_of("actor", code=0, crashed=False, asked_to_stop=True).end is End.STOPPED
    assert outcome_of("actor", code=0, crashed=False, asked_to_stop=False).end is End.FINISHED


def test_a_failure_says_why() -> None:
    outcome = outcome_of("learner", code=2, crashed=False, asked_to_stop=False, reason="Port 9 is taken.")
    assert outcome.sentence() == "The learner failed: Port 9 is taken (exit code 2)."
    assert not outcome.expected


@pytest.mark.skipif(sys.platform == "win32", reason="signals are told by POSIX systems only")
def test_a_kill_names_the_signal() -> None:
    outcome = outcome_of("actor", code=int(signal.SIGKILL), crashed=True, asked_to_stop=False)
    assert "SIGKILL" in outcome.sentence()
    asked = outcome_of("actor", code=int(signal.SIGTERM), crashed=True, asked_to_stop=True)
    assert asked.end is End.STOPPED
    assert "signal 77" in outcome_of("actor", code=77, crashed=True, asked_to_stop=False).sentence()

"""Workers are started, found again, steered and stopped; each end is told in one sentence with its last lines."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from tests.app.fake_run import FakeRun
from tmstudio.app.outcome import End, ProcessOutcome
from tmstudio.app.run_state import Phase
from tmstudio.app.session import RunSession
from tmstudio.app.settings import Settings
from tmstudio.app.studio import Studio
from tmstudio.errors import TMStudioError
from tmstudio.runs import jobs

pytestmark = pytest.mark.usefixtures("fake_workers")

PATIENCE_MS = 20_000


@pytest.fixture
def session(qtbot: QtBot, studio: Studio, fake_run: Callable[..., FakeRun]) -> RunSession:
    """An opened run at which nobody works yet."""
    fake_run("valley-tqc")
    studio.open_run("valley-tqc")
    qtbot.waitUntil(lambda: studio.session is not None, timeout=PATIENCE_MS)
    assert studio.session is not None
    return studio.session


def wait_for(qtbot: QtBot, session: RunSession, phase: Phase) -> None:
    qtbot.waitUntil(lambda: session.state.phase is phase, timeout=PATIENCE_MS)


def ends_of(session: RunSession) -> list[ProcessOutcome]:
    """Collects how workers end from now on."""
    ends: list[ProcessOutcome] = []
    session.supervisor.ended.connect(lambda outcome, _lines: ends.append(outcome))
    return ends


def started(qtbot: QtBot, session: RunSession) -> None:
    session.command("start")
    assert session.state.phase is Phase.STARTING
    wait_for(qtbot, session, Phase.TRAINING)


def test_a_run_starts_pauses_goes_on_and_stops(qtbot: QtBot, session: RunSession) -> None:
    ends, told = ends_of(session), []
    session.told.connect(told.append)
    started(qtbot, session)
    session.command("pause")
    wait_for(qtbot, session, Phase.PAUSED)
    session.command("resume")
    wait_for(qtbot, session, Phase.TRAINING)
    session.command("watch")
    qtbot.waitUntil(lambda: session.state.watching, timeout=PATIENCE_MS)
    session.command("checkpoint")
    qtbot.waitUntil(lambda: "A checkpoint is saved" in told, timeout=PATIENCE_MS)
    session.command("stop")
    qtbot.waitUntil(lambda: not session.state.running and not session.state.stopping, timeout=PATIENCE_MS)
    assert {outcome.end for outcome in ends} == {End.STOPPED}
    assert jobs.live_jobs(session.run.path) == []


def test_a_killed_driver_is_told_and_started_again(qtbot: QtBot, session: RunSession) -> None:
    ends = ends_of(session)
    started(qtbot, session)
    driver = session.supervisor.job("actor")
    assert driver is not None
    with qtbot.waitSignal(session.worker_ended, timeout=PATIENCE_MS) as told:
        os.kill(driver.pid, signal.SIGKILL)
    outcome, lines = told.args
    assert "SIGKILL" in outcome.sentence()
    assert lines[-1] == "at work"
    wait_for(qtbot, session, Phase.NO_DRIVER)
    session.command("start")
    wait_for(qtbot, session, Phase.TRAINING)
    again = session.supervisor.job("actor")
    assert again is not None
    assert again.pid != driver.pid
    assert [outcome.role for outcome in ends] == ["actor"]


def test_a_killed_learner_is_told_and_the_driver_goes_on(qtbot: QtBot, session: RunSession) -> None:
    started(qtbot, session)
    learner = session.supervisor.job("learner")
    assert learner is not None
    with qtbot.waitSignal(session.worker_ended, timeout=PATIENCE_MS) as told:
        os.kill(learner.pid, signal.SIGKILL)
    assert told.args[0].end is End.KILLED
    wait_for(qtbot, session, Phase.NO_LEARNER)
    assert session.supervisor.job("actor") is not None


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("fail", "The port 5000 is taken"), ("bug", "RuntimeError: nobody has thought of this")],
)
def test_a_worker_that_fails_at_once_says_why(
    qtbot: QtBot, session: RunSession, behaviour: str, words: str
) -> None:
    (session.run.path / "behaviour").write_text(behaviour)
    ends = ends_of(session)
    session.command("start")
    qtbot.waitUntil(lambda: len(ends) == 2, timeout=PATIENCE_MS)
    for outcome in ends:
        assert outcome.end is End.FAILED
        assert words in outcome.sentence()


def test_a_program_that_is_not_there(
    qtbot: QtBot, session: RunSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tmstudio.app.supervisor.program", lambda: ["/nowhere/tmstudio"])
    ends = ends_of(session)
    session.command("start")
    qtbot.waitUntil(lambda: len(ends) == 2, timeout=PATIENCE_MS)
    assert {outcome.end for outcome in ends} == {End.NOT_STARTED}


def test_a_worker_that_does_not_stop_is_killed(
    qtbot: QtBot, session: RunSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    (session.run.path / "behaviour").write_text("deaf")
    monkeypatch.setattr("tmstudio.app.supervisor.STOP_WITHIN_S", 1.0)
    started(qtbot, session)
    session.command("stop")
    qtbot.waitUntil(lambda: not session.supervisor.alive(), timeout=PATIENCE_MS)
    assert jobs.live_jobs(session.run.path) == []


def test_a_learner_that_has_run_for_long_may_take_its_time_to_exit(
    qtbot: QtBot, session: RunSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    (session.run.path / "behaviour").write_text("slow")
    ends = ends_of(session)
    started(qtbot, session)
    monkeypatch.setattr("tmstudio.app.supervisor.ANNOUNCE_WITHIN_S", 0.0)
    session.command("stop")
    qtbot.waitUntil(lambda: not session.supervisor.alive(), timeout=PATIENCE_MS)
    assert {outcome.end for outcome in ends} == {End.STOPPED}


def test_stop_while_it_is_still_starting(qtbot: QtBot, session: RunSession) -> None:
    session.command("start")
    session.command("stop")
    qtbot.waitUntil(lambda: not session.supervisor.alive(), timeout=PATIENCE_MS)


def test_the_learner_outlives_the_window_and_is_found_again(
    qtbot: QtBot, studio: Studio, session: RunSession
) -> None:
    started(qtbot, session)
    learner = session.supervisor.job("learner")
    assert learner is not None
    studio.close()
    assert [job.role for job in jobs.live_jobs(session.run.path)] == ["learner"], (
        "the driver leaves with the window"
    )
    studio.open_run("valley-tqc")
    qtbot.waitUntil(lambda: studio.session is not None, timeout=PATIENCE_MS)
    again = studio.session
    assert again is not None
    wait_for(qtbot, again, Phase.NO_DRIVER)
    found = again.supervisor.job("learner")
    assert found is not None
    assert found.pid == learner.pid
    again.command("start")
    wait_for(qtbot, again, Phase.TRAINING)
    again.command("stop")
    qtbot.waitUntil(lambda: not again.supervisor.alive(), timeout=PATIENCE_MS)


def test_a_found_learner_that_is_killed_is_missed(qtbot: QtBot, studio: Studio, session: RunSession) -> None:
    started(qtbot, session)
    studio.close()
    studio.open_run("valley-tqc")
    qtbot.waitUntil(lambda: studio.session is not None, timeout=PATIENCE_MS)
    again = studio.session
    assert again is not None
    wait_for(qtbot, again, Phase.NO_DRIVER)
    found = again.supervisor.job("learner")
    assert found is not None
    with qtbot.waitSignal(again.worker_ended, timeout=PATIENCE_MS) as told:
        os.kill(found.pid, signal.SIGKILL)
    assert told.args[0].end is End.VANISHED
    wait_for(qtbot, again, Phase.LOST)


def test_a_command_to_nobody_says_so(qtbot: QtBot, session: RunSession) -> None:
    with qtbot.waitSignal(session.refused, timeout=PATIENCE_MS) as refused:
        session.command("pause")
    assert refused.args[0].message == "The learner does not run"


def test_a_second_studio_on_the_same_run_is_refused(qtbot: QtBot, session: RunSession) -> None:
    second = Studio(Settings())
    with qtbot.waitSignal(second.failed, timeout=PATIENCE_MS) as failed:
        second.open_run("valley-tqc")
    error = failed.args[0]
    assert isinstance(error, TMStudioError)
    assert "studio of run 'valley-tqc'" in error.message
    assert str(os.getpid()) in error.cause
    assert second.session is None
    second.close()

"""Home: what has been done, what comes next, and no button that leads nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.app.fake_run import FakeRun
from tmstudio.app.pages.home import HomePage
from tmstudio.app.pages.home_steps import RailActions, steps_for
from tmstudio.app.pages.live import LivePage
from tmstudio.app.run_list import RunLine
from tmstudio.app.studio import Studio
from tmstudio.app.widgets.rail import StepState
from tmstudio.app.widgets.runs_table import ACTION_COLUMN, action_text, state_text
from tmstudio.app.window import MainWindow
from tmstudio.config import folders
from tmstudio.runs.summary import RunSummary
from tmstudio.track.geometry import Track

ACTIONS = RailActions(lambda: None, lambda: None, lambda: None, lambda _name: None)


def home_of(window: MainWindow) -> HomePage:
    page = window.page("Home")
    assert isinstance(page, HomePage)
    return page


def refresh(qtbot: QtBot, studio: Studio) -> None:
    with qtbot.waitSignal(studio.runs_changed, timeout=10_000):
        studio.refresh_runs()


def test_it_is_honest_about_steps_that_do_not_exist(valley: Track) -> None:
    steps = steps_for(valley, [], ACTIONS)
    assert [step.title for step in steps] == ["Set up", "Track", "Show it", "Clone", "Train", "Evaluate"]
    for step in steps:
        assert step.text
        assert bool(step.verb) == (step.action is not None)
        if step.state is StepState.LATER:
            assert not step.verb
    assert [step.title for step in steps if step.state is StepState.NEXT] == ["Train"]


def test_without_a_track_the_first_step_is_to_choose_one() -> None:
    states = {step.title: step.state for step in steps_for(None, [], ACTIONS)}
    assert states["Track"] is StepState.NEXT
    assert states["Train"] is StepState.OPEN


def test_an_empty_home_says_what_will_be_here(window: MainWindow) -> None:
    home = home_of(window)
    assert home._runs_stack.currentIndex() == 1
    assert home.try_button.isEnabled()
    assert home.track_facts.values["length"].full_text() == "800\u202fm".replace("\u202f", " ")


def test_runs_are_listed_with_what_was_evaluated_and_where(
    qtbot: QtBot, window: MainWindow, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    run = fake_run("valley-tqc")
    run.train(3.0)
    refresh(qtbot, studio)
    home, line = home_of(window), studio.runs[0]
    trials = run_trials(run)
    assert line.summary.evaluated_laps == 10
    assert home.runs.table.data(home.runs.table.index(0, 0)) == "valley-tqc"
    assert home.runs.table.data(home.runs.table.index(0, 4)) == "10/10 sim"
    best = min(lap for trial in trials for lap in trial.lap_times_s if lap is not None)
    assert home.runs.table.data(home.runs.table.index(0, 5)) == f"{best:.2f} s"
    assert f"{best:.3f} s (sim, evaluated)" == home.track_facts.values["best agent"].full_text()
    assert [lap for _time, lap in line.laps] == [trial.median_lap_s for trial in trials if trial.median_lap_s]
    evaluate = next(card for card in home.rail.cards if card.title.text() == "Evaluate")
    assert "10/10 sim finished by valley-tqc" in evaluate.text.text()


def run_trials(run: FakeRun) -> list:
    from tmstudio.runs.metrics import MetricsReader

    with MetricsReader(run.folder.metrics_path) as reader:
        return reader.evaluations_since()


def test_a_click_opens_the_run(
    qtbot: QtBot, window: MainWindow, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    fake_run("valley-tqc").train(0.5)
    refresh(qtbot, studio)
    table = home_of(window).runs
    place = table.visualRect(table.table.index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: studio.session is not None)
    assert studio.session is not None
    assert studio.session.name == "valley-tqc"
    assert window.nav.buttons["Live"].isChecked()
    assert not studio.session.supervisor.alive()


@pytest.mark.usefixtures("fake_workers")
def test_resume_starts_it(
    qtbot: QtBot, window: MainWindow, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    fake_run("valley-tqc", "budget.minutes=60").train(0.5)
    refresh(qtbot, studio)
    assert action_text(studio.runs[0]) == "Resume"
    home_of(window).runs.row_chosen.emit(studio.runs[0], ACTION_COLUMN)
    qtbot.waitUntil(lambda: studio.session is not None and studio.session.state.learner, timeout=20_000)


@pytest.mark.usefixtures("fake_workers")
def test_try_it_now_makes_a_run_and_shows_it(qtbot: QtBot, window: MainWindow, studio: Studio) -> None:
    qtbot.mouseClick(home_of(window).try_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: studio.session is not None and studio.session.state.learner, timeout=20_000)
    assert studio.session is not None
    assert studio.session.run.config.preset == "quickstart"
    assert window.nav.buttons["Live"].isChecked()


def test_a_run_whose_worker_was_killed_is_interrupted(
    qtbot: QtBot, window: MainWindow, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    run = fake_run("valley-tqc", "budget.minutes=60")
    run.train(0.5)
    run.announce("learner")
    path = run.folder.path / "jobs" / "learner.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "process_start_time": 1.0}))
    refresh(qtbot, studio)
    assert state_text(studio.runs[0]) == "interrupted"
    assert action_text(studio.runs[0]) == "Resume"
    studio.open_run("valley-tqc")
    live = window.page("Live")
    assert isinstance(live, LivePage)
    qtbot.waitUntil(lambda: live.banner.title() == "This run was interrupted.")


def test_a_damaged_run_is_listed_and_cannot_be_started(
    qtbot: QtBot, window: MainWindow, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    run = fake_run("broken")
    (run.folder.path / "run.yaml").write_text("track: [")
    refresh(qtbot, studio)
    line = studio.runs[0]
    assert state_text(line) == "damaged"
    assert action_text(line) == ""
    home_of(window).runs.row_chosen.emit(line, 0)
    assert studio.session is None


def test_a_track_is_chosen_and_remembered(qtbot: QtBot, window: MainWindow, studio: Studio) -> None:
    with qtbot.waitSignal(studio.track_changed):
        studio.choose_track("coast")
    assert home_of(window).track_chip.text() == "track · coast"
    assert '"coast"' in folders.settings_file().read_text()
    with qtbot.waitSignal(studio.failed) as failed:
        studio.choose_track("nowhere")
    assert "nowhere" in failed.args[0].message


@pytest.mark.parametrize(
    ("state", "text"), [("new", "not started"), ("finished", "finished"), ("running", "training 2:05")]
)
def test_states_in_words(state: str, text: str) -> None:
    assert state_text(RunLine(RunSummary("a", "valley", "tqc", "", state, time_s=125))) == text


def test_an_interrupted_run_is_offered_at_the_start(
    qtbot: QtBot, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    run = fake_run("valley-tqc", "budget.minutes=60")
    run.train(0.5)
    run.announce("learner")
    path = run.folder.path / "jobs" / "learner.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "process_start_time": 1.0}))
    window = MainWindow(studio)
    qtbot.addWidget(window)
    window.show()
    home = home_of(window)
    qtbot.waitUntil(lambda: home.banner.title() == "valley-tqc was interrupted.")
    qtbot.waitUntil(lambda: studio.track is not None)


def test_a_run_left_at_work_is_offered_at_the_start(
    qtbot: QtBot, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    fake_run("valley-tqc").announce("learner")
    window = MainWindow(studio)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: home_of(window).banner.title() == "valley-tqc is still at work.")
    home_of(window)._open_from_banner("valley-tqc", start=False)
    qtbot.waitUntil(lambda: studio.session is not None)
    assert home_of(window).banner.title() == ""


def test_a_run_is_read_again_only_where_it_changed(fake_run: Callable[..., FakeRun]) -> None:
    from tmstudio.app.run_list import RunList

    run, runs = fake_run("valley-tqc"), RunList()
    (first,) = runs.read()
    (second,) = runs.read()
    assert second is first
    run.train(0.5)
    (third,) = runs.read()
    assert third.summary.steps > 0
    assert third.run is first.run, "its configuration is the same"
    run.folder.with_config(
        run.folder.config.model_copy(
            update={"budget": run.folder.config.budget.model_copy(update={"minutes": 99.0})}
        )
    )
    (fourth,) = runs.read()
    assert fourth.run is not None
    assert fourth.run.config.budget.minutes == 99
    assert len(RunList(run.folder.path).read()) == 0

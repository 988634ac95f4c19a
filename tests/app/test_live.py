"""Live: what is shown is what was measured, and what no longer happens says so."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.app.fake_run import FakeRun
from tmstudio.app import formatting
from tmstudio.app.pages.live import LivePage
from tmstudio.app.studio import Studio
from tmstudio.app.window import MainWindow
from tmstudio.runs.metrics import MetricsReader

PATIENCE_MS = 15_000


def plain(html: str) -> str:
    return re.sub(r"<[^>]+>|&nbsp;", "", html)


@pytest.fixture
def live(window: MainWindow) -> LivePage:
    page = window.page("Live")
    assert isinstance(page, LivePage)
    return page


@pytest.fixture
def shown(
    qtbot: QtBot, window: MainWindow, studio: Studio, live: LivePage, fake_run: Callable[..., FakeRun]
) -> FakeRun:
    """A training run on the page."""
    run = fake_run("valley-tqc", "budget.minutes=60")
    run.train(2.0)
    run.announce("learner", "actor")
    studio.open_run("valley-tqc")
    qtbot.waitUntil(lambda: live.attempts.aside.text() not in ("", "none yet"), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: live.state_chip.text().startswith("Training"), timeout=PATIENCE_MS)
    return run


def test_without_a_run_it_says_where_to_find_one(qtbot: QtBot, window: MainWindow, live: LivePage) -> None:
    window.show_page("Live")
    assert not live.empty.isHidden()
    assert live.content.isHidden()
    assert all(made.isHidden() for made in live.command_buttons.values())


def test_what_it_shows_equals_the_metrics_store(live: LivePage, shown: FakeRun) -> None:
    with MetricsReader(shown.folder.metrics_path) as reader:
        latest, trials = reader.latest(), reader.evaluations_since()
        count = reader.count_episodes()
    last = trials[-1]
    assert plain(live.attempts.aside.text()) == f"newest of {formatting.count(count)}"
    assert plain(live.learner.aside.text()) == f"{latest['learner/updates_per_s']:.0f} updates/s"
    assert live.learner.fill.text() == f"{formatting.count(latest['replay/size'])} / 300\u202f000"
    assert live.learner.fill_bar.share() == pytest.approx(latest["replay/size"] / 300_000, abs=1e-3)
    facts = live.learner.facts.values
    assert facts["driver"].full_text() == f"{formatting.count(latest['actor/steps_per_s'])} steps/s"
    assert facts["policy lag"].full_text() == "0.4 s"
    assert facts["updates a step"].full_text() == "0.09"
    assert plain(live.lap_time.aside.text()) == (
        f"{last.median_lap_s:.2f} s median of 10 of 10 · step {formatting.short_count(last.policy_step)}"
    )
    assert live.returns.rate.text() == "100 %"


def test_every_lap_time_has_its_origin(live: LivePage, shown: FakeRun) -> None:
    assert live.lap_time.title.full_text() == "LAP TIME · EVALUATED, SIM"
    assert live.attempts.title.full_text() == "ATTEMPTS · EXPLORING"
    reading = live.lap_time.curve.reading(live.lap_time.curve.lines[0], 0)
    for part in ("policy step", "laps finished", "simulator", "evaluated"):
        assert part in reading


def test_the_header_says_which_run_and_which_car(qtbot: QtBot, live: LivePage, shown: FakeRun) -> None:
    assert live.title.full_text() == "valley-tqc · TQC"
    assert live.seed_chip.text() == "seed 1"
    shown.drive()
    qtbot.waitUntil(lambda: "showing car 1" in live.drive_chip.text(), timeout=PATIENCE_MS)
    assert live.drive_chip.text() == "simulator · 16 cars · 2× real time · showing car 1"


def test_telemetry_moves_the_gauges_and_the_car(qtbot: QtBot, live: LivePage, shown: FakeRun) -> None:
    shown.drive(ahead=0.3)
    qtbot.waitUntil(
        lambda: live.drive.hood.has_frame() and live.drive.track_view.trace_length() > 20, timeout=PATIENCE_MS
    )
    qtbot.waitUntil(lambda: live.drive.gauges.speed.text() != "–")
    assert live.drive.track_view.car_pixel() is not None
    assert "progress" in plain(live.drive.track_panel.aside.text())
    assert live.drive.reward.bars.shown("progress").startswith("+")
    qtbot.waitUntil(lambda: "ms old" in live.drive.hood.accessibleDescription(), timeout=PATIENCE_MS)


def test_watching_is_told(qtbot: QtBot, live: LivePage, shown: FakeRun) -> None:
    shown.drive(source=1)
    qtbot.waitUntil(lambda: "watching" in live.drive_chip.text(), timeout=PATIENCE_MS)
    assert live.drive_chip.text() == "simulator · watching policy step 410 k at play speed"
    qtbot.waitUntil(lambda: "missed" in live.drive.gauges.meters["step"].value.text(), timeout=PATIENCE_MS)


def test_a_silent_driver_freezes_the_page_visibly(qtbot: QtBot, live: LivePage, shown: FakeRun) -> None:
    shown.drive(ahead=0.3)
    qtbot.waitUntil(
        lambda: live.drive.hood.has_frame() and live.drive.gauges.speed.text() != "–", timeout=PATIENCE_MS
    )
    shown.stop_driving()
    qtbot.waitUntil(lambda: "frozen" in live.drive.track_panel.aside.text(), timeout=PATIENCE_MS)
    speed = live.drive.gauges.speed.text()
    qtbot.wait(400)
    assert live.drive.gauges.speed.text() == speed
    assert "frozen" in live.drive.hood.accessibleDescription()
    shown.drive(ahead=0.0)
    qtbot.waitUntil(lambda: "frozen" not in live.drive.track_panel.aside.text(), timeout=PATIENCE_MS)


def test_a_learner_that_is_gone_freezes_its_numbers_visibly(
    qtbot: QtBot, live: LivePage, shown: FakeRun
) -> None:
    shown.withdraw()
    shown.announce("actor")
    qtbot.waitUntil(lambda: "frozen" in live.state_chip.text(), timeout=PATIENCE_MS)
    assert live.banner.title() == "A car drives, but nothing learns from it."


def test_buttons_follow_the_run(qtbot: QtBot, live: LivePage, shown: FakeRun) -> None:
    buttons = live.command_buttons
    assert buttons["start"].isHidden()
    assert buttons["pause"].isEnabled()
    assert buttons["stop"].isEnabled()
    live.window().activateWindow()
    buttons["pause"].setFocus()
    qtbot.waitUntil(buttons["pause"].hasFocus, timeout=PATIENCE_MS)
    shown.withdraw()
    qtbot.waitUntil(lambda: not buttons["start"].isHidden(), timeout=PATIENCE_MS)
    assert buttons["start"].text() == "Resume"
    assert buttons["start"].hasFocus(), "the focus must not fall on Stop"
    assert not buttons["pause"].isEnabled()
    assert buttons["pause"].toolTip() == "The run is not running: start it first"


def test_a_finished_run_offers_to_train_longer(
    qtbot: QtBot, window: MainWindow, studio: Studio, live: LivePage, fake_run: Callable[..., FakeRun]
) -> None:
    fake_run("done", "budget.minutes=1").train(1.1)
    studio.open_run("done")
    qtbot.waitUntil(lambda: live.state_chip.text().startswith("Finished"), timeout=PATIENCE_MS)
    assert live.command_buttons["start"].text() == "Train longer"
    studio.session.command = lambda name: None  # type: ignore[method-assign, union-attr]
    with qtbot.waitSignal(studio.session.state_changed, timeout=PATIENCE_MS):  # type: ignore[union-attr]
        studio.extend_budget(studio.session, 10.0)  # type: ignore[arg-type]
    assert studio.session is not None
    assert studio.session.run.config.budget.minutes == pytest.approx(11.1, abs=0.1)


def test_the_end_of_a_run_is_told_with_what_came_of_it(
    qtbot: QtBot, studio: Studio, live: LivePage, fake_run: Callable[..., FakeRun]
) -> None:
    run = fake_run("short", "budget.minutes=1")
    run.announce("learner", "actor")
    studio.open_run("short")
    qtbot.waitUntil(lambda: live.state_chip.text().startswith("Training"), timeout=PATIENCE_MS)
    run.train(1.1)
    run.withdraw()
    qtbot.waitUntil(lambda: live.banner.title() == "Training has finished.", timeout=PATIENCE_MS)
    assert re.search(
        r"10 of 10 test laps finished, median .* \(simulator, without exploring", live.banner.text()
    )


def test_the_log_shows_events_and_is_remembered_open(
    qtbot: QtBot, studio: Studio, live: LivePage, shown: FakeRun
) -> None:
    assert "learner checkpoint" in live.log.pane.toPlainText()
    assert live.log.pane.isHidden()
    qtbot.mouseClick(live.log.toggle, Qt.MouseButton.LeftButton)
    assert not live.log.pane.isHidden()
    assert studio.settings.log_open
    (shown.folder.logs_path / "learner.log").write_text("a warning\n")
    qtbot.waitUntil(lambda: "learner: a warning" in live.log.pane.toPlainText(), timeout=PATIENCE_MS)


def test_keys_do_what_buttons_do(qtbot: QtBot, window: MainWindow, live: LivePage, shown: FakeRun) -> None:
    said: list[str] = []
    studio_session = live._session
    assert studio_session is not None
    studio_session.command = said.append  # type: ignore[method-assign, assignment]
    live._press("Ctrl+P")
    live._press("Ctrl+S")
    live._press("Ctrl+R")
    assert said == ["pause", "checkpoint"], "start is not there while it runs"


def test_a_hidden_page_lets_the_driver_rest(
    qtbot: QtBot, window: MainWindow, live: LivePage, shown: FakeRun
) -> None:
    from tmstudio.runs.live_ring import LiveWriter

    shown.drive()
    qtbot.waitUntil(lambda: live.drive.gauges.speed.text() != "–", timeout=PATIENCE_MS)
    shown.stop_driving()
    writer = LiveWriter(shown.folder.live_path("actor-1"))
    assert writer.wanted()
    window.show_page("Home")
    qtbot.waitUntil(lambda: not writer.wanted(), timeout=PATIENCE_MS)
    writer.close()


def test_another_run_replaces_the_first(
    qtbot: QtBot, studio: Studio, live: LivePage, shown: FakeRun, fake_run: Callable[..., FakeRun]
) -> None:
    fake_run("other", "seed=9")
    studio.open_run("other")
    qtbot.waitUntil(lambda: live.title.full_text() == "other · TQC", timeout=PATIENCE_MS)
    assert live.seed_chip.text() == "seed 9"
    assert live.attempts.aside.text() == "none yet"
    assert live.drive.gauges.speed.text() == "–"
    assert set(studio.sessions) == {"valley-tqc", "other"}, "a run that trains stays open"

"""Every widget paints what it was given, in both themes, and without a word from Qt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tmstudio.app.series import Series
from tmstudio.app.theme import DARK, LIGHT, ThemeMode, theme, tokens
from tmstudio.app.widgets.banner import Banner
from tmstudio.app.widgets.bars import Bar, Meter
from tmstudio.app.widgets.chart import Line, Reference
from tmstudio.app.widgets.curve import Curve
from tmstudio.app.widgets.episode_table import EpisodeTable, attempt_end, attempt_lap
from tmstudio.app.widgets.hood_view import HoodView
from tmstudio.app.widgets.inputs import Choice, button, switch
from tmstudio.app.widgets.log_pane import LogPane
from tmstudio.app.widgets.nav import Nav
from tmstudio.app.widgets.panel import Chip, FactTable, Panel
from tmstudio.app.widgets.rail import Rail, Step, StepState
from tmstudio.app.widgets.reward_bars import RewardBars
from tmstudio.app.widgets.sparkline import paint_sparkline
from tmstudio.app.widgets.text import ElidedLabel
from tmstudio.app.widgets.toast import Toast
from tmstudio.app.widgets.track_view import TrackView, speed_color
from tmstudio.runs.records import EpisodeRow
from tmstudio.track.geometry import Track

pytestmark = pytest.mark.usefixtures("dark")


def painted(widget: QWidget, width: int = 240, height: int = 120) -> QImage:
    widget.resize(width, height)
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def pixels(image: QImage) -> np.ndarray:
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3]


def has_color(image: QImage, color: str, tolerance: int = 12) -> bool:
    wanted = QColor(color)
    bgr = np.array([wanted.blue(), wanted.green(), wanted.red()])
    return bool((np.abs(pixels(image).astype(int) - bgr).max(axis=-1) <= tolerance).any())


def curve(count: int = 500, **options: object) -> Curve:
    series = Series(20)
    series.append(
        np.arange(count, dtype=float), 40 + 20 * np.exp(-np.arange(count) / 100) + np.sin(np.arange(count))
    )
    return Curve([Line(series, "accent")], lambda value: f"{value:.1f} s", axis_unit="s", **options)  # type: ignore[arg-type]


def attempt(number: int, **changes: object) -> EpisodeRow:
    values = {
        "time_s": 1.0,
        "step": 10,
        "actor_id": "actor-1",
        "car": 2,
        "policy_step": 400,
        "origin": "simulator",
        "exploring": True,
        "speed_factor": 31.0,
        "from_start": True,
        "finished": True,
        "lap_time_s": 37.15,
        "progress_m": 800.0,
        "progress_fraction": 1.0,
        "return_": 212.4,
        "steps": 740,
        "end": "finished",
        "rowid": number,
    }
    return EpisodeRow(**{**values, **changes})  # type: ignore[arg-type]


WIDGETS: dict[str, Callable[[], QWidget]] = {
    "chip": lambda: Chip("Training 12:31", "accent"),
    "bar": lambda: Bar("blue"),
    "meter": lambda: Meter("Engine", "blue"),
    "curve": curve,
    "empty curve": lambda: Curve([Line(Series(), "accent")]),
    "hood view": HoodView,
    "track view": lambda: TrackView(legend=True),
    "reward bars": lambda: RewardBars(("progress", "wall_contact")),
    "episodes": EpisodeTable,
    "panel": lambda: Panel("Title"),
    "facts": lambda: FactTable(["length", "width"]),
    "rail": lambda: Rail(2),
    "nav": lambda: Nav(["Home", None, "Settings"], print, print),
    "banner": Banner,
    "log": LogPane,
    "choice": Choice,
    "elided": lambda: ElidedLabel("a long name of a run that will not fit"),
}


@pytest.mark.parametrize("mode", [ThemeMode.DARK, ThemeMode.LIGHT])
@pytest.mark.parametrize("name", list(WIDGETS))
def test_it_paints_at_any_size(qtbot: QtBot, name: str, mode: ThemeMode) -> None:
    widget = WIDGETS[name]()
    qtbot.addWidget(widget)
    theme().set_mode(mode)
    for size in ((400, 200), (60, 30), (1, 1)):
        assert not painted(widget, *size).isNull()


def test_both_themes_have_enough_contrast() -> None:
    def luminance(color: str) -> float:
        parts = [
            value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
            for value in (QColor(color).redF(), QColor(color).greenF(), QColor(color).blueF())
        ]
        return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))

    for colors in (DARK, LIGHT):
        for ground in (colors.panel, colors.ground):
            for text in ("text", "muted", "accent", "blue", "amber", "red", "violet"):
                low, high = sorted([luminance(getattr(colors, text)), luminance(ground)])
                assert (high + 0.05) / (low + 0.05) >= 4.5, (colors.name, text)


def test_a_bar_fills_from_its_side(qtbot: QtBot) -> None:
    bar = Bar("violet", signed=True)
    qtbot.addWidget(bar)
    bar.set_share(-0.8)
    row = pixels(painted(bar, 200, 7))[3].astype(int)
    violet = np.array([0xFF, 0x90, 0xB4])
    filled = np.flatnonzero(np.abs(row - violet).max(axis=-1) < 20)
    assert 15 <= filled.min() <= 25
    assert filled.max() <= 101
    bar.set_share(float("nan"))
    assert bar.share() == 0


def test_a_chip_shows_its_state_by_word_and_dot(qtbot: QtBot) -> None:
    chip = Chip("Training", "accent", whole=True)
    qtbot.addWidget(chip)
    assert has_color(painted(chip, chip.sizeHint().width(), 24), DARK.accent)
    assert chip.minimumSizeHint() == chip.sizeHint()
    assert chip.accessibleName() == "Training"


def test_a_curve_draws_mean_over_raw_and_its_reference(qtbot: QtBot) -> None:
    chart = curve()
    qtbot.addWidget(chart)
    chart.references = [Reference(45.0, "gold 45.0 s (game)", "amber")]
    image = painted(chart, 400, 200)
    assert has_color(image, DARK.accent)
    assert has_color(image, DARK.amber)


def test_a_curve_follows_until_it_is_zoomed(qtbot: QtBot) -> None:
    chart = curve()
    qtbot.addWidget(chart)
    painted(chart, 400, 200)
    assert chart.is_following()
    QTest.mousePress(chart, Qt.MouseButton.LeftButton, pos=QPoint(100, 80))
    QTest.mouseMove(chart, QPoint(250, 80))
    QTest.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=QPoint(250, 80))
    assert not chart.is_following()
    painted(chart, 400, 200)
    QTest.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(200, 80))
    assert chart.is_following()


def test_a_curve_tells_the_exact_value_under_the_pointer(qtbot: QtBot) -> None:
    chart = curve()
    qtbot.addWidget(chart)
    before = painted(chart, 400, 200)
    chart.show()
    QTest.mouseMove(chart, QPoint(200, 80))
    assert painted(chart, 400, 200) != before
    assert chart.reading(chart.lines[0], 0).startswith("0:00 · 60.0 s")
    chart.leaveEvent(QEvent(QEvent.Type.Leave))
    assert painted(chart, 400, 200) == before


def test_a_curve_of_a_million_points_draws_no_more_than_it_has_pixels(qtbot: QtBot) -> None:
    series = Series(100)
    series.append(np.arange(1e6), np.random.default_rng(0).normal(size=1_000_000))
    chart = Curve([Line(series, "blue")])
    qtbot.addWidget(chart)
    assert has_color(painted(chart, 500, 200), DARK.blue)
    x, _ = series.thinned(0, 1e6, 500, mean=False)
    assert len(x) <= 1000


def test_the_hood_view_shows_frame_beams_and_label(qtbot: QtBot) -> None:
    view = HoodView()
    qtbot.addWidget(view)
    assert not view.has_frame()
    frame = np.full((488, 958, 4), 0x60, np.uint8)
    ends = np.column_stack([np.linspace(100, 850, 19), np.full(19, 200.0)])
    view.show_frame(frame, ends)
    view.show_label("Hood view · frame 14 ms old")
    image = painted(view, 479, 244)
    assert has_color(image, "#606060", 2)
    assert has_color(image, DARK.accent, 60)
    assert image.pixelColor(0, 0) == QColor(DARK.ground), "the corners are round"
    view.set_faded(True)
    assert not has_color(painted(view, 479, 244), "#606060", 2)
    view.clear()
    assert not view.has_frame()


def test_the_track_view_colours_the_attempt_by_speed(qtbot: QtBot, valley: Track) -> None:
    view = TrackView()
    qtbot.addWidget(view)
    view.show_track(valley)
    points = valley.center_m[valley.lap_points]
    speeds = np.linspace(2, 82, len(points))
    view.extend_trace(np.column_stack([points[:, 0], points[:, 2], speeds]))
    image = painted(view, 500, 300)
    assert has_color(image, speed_color(3).name(), 25)
    assert has_color(image, speed_color(80).name(), 25)
    view.begin_attempt()
    assert view.trace_length() == 0
    assert not has_color(painted(view, 500, 300), speed_color(80).name(), 10), "the attempt before is faint"


def test_the_car_is_where_the_track_says(qtbot: QtBot, valley: Track) -> None:
    view = TrackView()
    qtbot.addWidget(view)
    assert view.car_pixel() is None
    view.show_track(valley)
    view.resize(400, 300)
    x, _, z = valley.spawn.position_m
    view.set_car(x, z)
    car = view.car_pixel()
    assert car is not None
    assert painted(view, 400, 300).pixelColor(car.toPoint()) == QColor(DARK.text)


def test_a_place_far_from_the_last_is_no_line(qtbot: QtBot, valley: Track) -> None:
    view = TrackView()
    qtbot.addWidget(view)
    view.show_track(valley)
    ends = valley.center_m[[valley.lap_points.start, valley.lap_points.stop - 1]]
    empty = painted(view, 400, 300)
    view.extend_trace(np.column_stack([ends[:, 0], ends[:, 2], [50.0, 50.0]]))
    assert painted(view, 400, 300) == empty


def test_reward_bars_share_one_scale(qtbot: QtBot) -> None:
    bars = RewardBars(("progress", "time"))
    qtbot.addWidget(bars)
    bars.show_terms({"progress": 208.0, "time": -37.0})
    assert bars.shown("progress") == "+208.0"
    assert bars.shown("time") == "\u221237.0"
    bars.show_terms({})
    assert bars.shown("time") == "–"


def test_only_attempts_from_the_start_line_have_a_lap_time() -> None:
    assert attempt_lap(attempt(1)) == "37.15 s"
    assert attempt_lap(attempt(1, from_start=False, lap_time_s=None)) == "random"
    assert attempt_lap(attempt(1, finished=False, lap_time_s=None)) == "–"
    assert attempt_end(attempt(1, finished=False, end="stuck", progress_fraction=0.999)) == "stuck 99 %"


def test_the_attempts_show_whole_rows_newest_first(qtbot: QtBot) -> None:
    table = EpisodeTable()
    qtbot.addWidget(table)
    table.show()
    table.resize(320, 24 * 5 + 10)
    table.show_attempts([attempt(number) for number in range(1, 100)])
    assert table.capacity() == 4
    assert table.table.rowCount() == 4
    assert table.table.data(table.table.index(0, 0)) == "99"
    tip = table.table.data(table.table.index(0, 1), Qt.ItemDataRole.ToolTipRole)
    for part in ("simulator", "car 3", "exploring", "31× real time", "policy step 400"):
        assert part in tip
    table.resize(320, 24 * 11)
    assert table.table.rowCount() == 10
    header = table.horizontalHeader()
    assert sum(header.sectionSize(index) for index in range(header.count())) <= table.viewport().width()


def test_the_rail_shows_reasons_instead_of_dead_buttons(qtbot: QtBot) -> None:
    rail, clicked = Rail(2), []
    qtbot.addWidget(rail)
    rail.show_steps(
        [
            Step("Train", "Start from nothing.", StepState.NEXT, "New run", lambda: clicked.append(1)),
            Step("Clone", "Not part of this version.", StepState.LATER),
        ]
    )
    rail.show()
    painted(rail, 500, 156)
    assert rail.cards[1].button.isHidden()
    assert rail.cards[1].text.text() == "Not part of this version."
    qtbot.mouseClick(rail.cards[0].button, Qt.MouseButton.LeftButton)
    assert clicked == [1]


def test_a_sparkline_goes_from_left_to_right() -> None:
    image = QImage(120, 30, QImage.Format.Format_RGB32)
    image.fill(QColor(DARK.panel))
    with QPainter(image) as painter:
        from PySide6.QtCore import QRectF

        paint_sparkline(painter, QRectF(2, 2, 116, 26), [40.0, float("nan"), 30.0, 25.0], "accent")
    columns = np.abs(pixels(image).astype(int) - np.array([0xA4, 0xD6, 0x35])).max(axis=-1).min(axis=0)
    assert (columns[5:110] < 120).all()


def test_a_long_text_is_cut_and_told_by_the_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel("2026-12-01-tmrl-test-tqc-with-a-long-name")
    qtbot.addWidget(label)
    label.show()
    label.resize(80, 20)
    assert label.text().endswith("…")
    assert label.toolTip() == label.full_text()
    label.resize(600, 20)
    assert label.toolTip() == ""


def test_a_banner_says_what_why_and_what_to_do(qtbot: QtBot) -> None:
    banner, pressed = Banner(), []
    qtbot.addWidget(banner)
    assert banner.title() == ""
    banner.say(
        "The driver is gone.",
        "It was killed.",
        color="red",
        lines="a\nb",
        actions=[("Start", lambda: pressed.append(1))],
    )
    banner.resize(700, 120)
    assert has_color(painted(banner, 700, 140), DARK.red)
    assert (banner.title(), banner.text(), banner.lines()) == (
        "The driver is gone.",
        "It was killed.",
        "a\nb",
    )
    qtbot.mouseClick(banner.findChildren(type(button("x", print)))[0], Qt.MouseButton.LeftButton)
    assert pressed == [1]
    banner.clear()
    assert banner.title() == ""


def test_a_button_that_is_off_tells_why(qtbot: QtBot) -> None:
    made = button("Pause", print)
    qtbot.addWidget(made)
    switch(made, "The run is not running")
    assert not made.isEnabled()
    assert made.toolTip() == made.accessibleDescription() == "The run is not running"
    switch(made, "", "Wait")
    assert made.isEnabled()


def test_the_log_follows_its_end_until_it_is_scrolled(qtbot: QtBot) -> None:
    log = LogPane()
    qtbot.addWidget(log)
    log.resize(300, 100)
    log.show()
    log.add_lines(f"line {number}" for number in range(50))
    bar = log.verticalScrollBar()
    assert bar.value() == bar.maximum()
    bar.setValue(0)
    log.add_lines(["one more"])
    assert bar.value() == 0
    log.add_lines(str(number) for number in range(3000))
    assert log.blockCount() == 2000


def test_a_toast_goes_away_by_itself(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 300)
    window.show()
    toast = Toast(window)
    toast.say("A checkpoint is saved")
    assert toast.text() == "A checkpoint is saved"
    toast._timer.setInterval(1)
    toast._timer.start()
    qtbot.waitUntil(lambda: toast.text() == "")


def test_numbers_stand_still(qapp: object) -> None:
    from PySide6.QtGui import QFontMetricsF

    from tmstudio.app.theme import font

    metrics = QFontMetricsF(font(13, 600))
    assert len({round(metrics.horizontalAdvance(digit), 1) for digit in "0123456789"}) == 1
    assert tokens() is DARK


def test_the_wheel_does_not_change_a_choice_without_focus(qtbot: QtBot) -> None:
    from PySide6.QtGui import QWheelEvent

    choice = Choice()
    qtbot.addWidget(choice)
    choice.addItems(["a", "b"])
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    choice.wheelEvent(event)
    assert choice.currentIndex() == 0

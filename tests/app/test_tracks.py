"""The Tracks page: what it shows, and what becomes of tracks in it. Files are real, as is the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from tests.app.fake_run import FakeRun
from tests.app.pressing import press
from tmstudio.app.dialogs.generate_track import GenerateDialog
from tmstudio.app.dialogs.import_track import ImportDialog
from tmstudio.app.dialogs.name_track import NameDialog
from tmstudio.app.dialogs.new_run import NewRunDialog
from tmstudio.app.pages.tracks import TracksPage
from tmstudio.app.studio import Studio
from tmstudio.app.window import MainWindow
from tmstudio.track.generator import generate
from tmstudio.track.library import BUNDLED, TrackLibrary


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> TracksPage:
    """The page with a track of the user's own, "mine"."""
    TrackLibrary().save(generate(1, 2, 500, 20, "mine"))
    window.show_page("Tracks")
    page = window.page("Tracks")
    assert isinstance(page, TracksPage)
    qtbot.waitUntil(lambda: len(page.cards) == 7)
    return page


def names(page: TracksPage) -> list[str]:
    return [card.entry.name for card in page.cards]


def open_dialog(qtbot: QtBot, kind: type[QDialog]) -> QDialog:
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), kind))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    return dialog


def test_all_tracks_are_shown_the_users_own_first(qtbot: QtBot, page: TracksPage) -> None:
    assert names(page) == ["mine", *BUNDLED]
    qtbot.mouseClick(page.cards[0], Qt.MouseButton.LeftButton)
    assert page.cards[0].property("role") == "panel-active"
    assert page._facts.values["length"].full_text() == "500 m"
    assert page.rename_button.isEnabled()
    page.choose("summit")
    assert not page.delete_button.isEnabled()
    assert "ships" in page.delete_button.toolTip()


def test_a_card_is_chosen_by_the_keyboard(qtbot: QtBot, page: TracksPage) -> None:
    qtbot.keyClick(page.cards[2], Qt.Key.Key_Return)
    assert page._details.aside.text() == f"<b>{page.cards[2].entry.name}</b>"


def test_a_track_is_deleted_and_brought_back(qtbot: QtBot, page: TracksPage) -> None:
    page.choose("mine")
    press(qtbot, page, "Delete")
    qtbot.waitUntil(lambda: names(page) == list(BUNDLED))
    assert page.banner.title() == "mine is in the trash."
    press(qtbot, page.banner, "Undo")
    qtbot.waitUntil(lambda: names(page) == ["mine", *BUNDLED])


def test_a_track_is_renamed_and_duplicated(qtbot: QtBot, page: TracksPage) -> None:
    page.choose("mine")
    press(qtbot, page, "Rename")
    dialog = open_dialog(qtbot, NameDialog)
    assert isinstance(dialog, NameDialog)
    dialog.edit.clear()
    qtbot.keyClicks(dialog.edit, "Coast")
    assert not dialog.accept_button.isEnabled()
    assert "already" in dialog.fault.text()
    dialog.edit.clear()
    qtbot.keyClicks(dialog.edit, "ours")
    press(qtbot, dialog, "Rename")
    qtbot.waitUntil(lambda: names(page) == ["ours", *BUNDLED])
    page.choose("valley")
    press(qtbot, page, "Duplicate")
    press(qtbot, open_dialog(qtbot, NameDialog), "Duplicate")
    qtbot.waitUntil(lambda: names(page) == ["ours", "valley 2", *BUNDLED])
    assert page._details.aside.text() == "<b>valley 2</b>"


def test_a_track_with_runs_keeps_its_name(
    qtbot: QtBot, page: TracksPage, studio: Studio, fake_run: Callable[..., FakeRun]
) -> None:
    TrackLibrary().duplicate("valley", "used")
    fake_run("a run", "track=used")
    studio.refresh_runs()
    page.refresh("used")
    qtbot.waitUntil(lambda: "used" in names(page) and bool(studio.runs))
    assert not page.rename_button.isEnabled()
    assert "1 run" in page.rename_button.toolTip()


def test_training_on_a_track_asks_for_a_run_on_it(qtbot: QtBot, page: TracksPage) -> None:
    page.choose("mine")
    press(qtbot, page, "Train on it")
    dialog = open_dialog(qtbot, NewRunDialog)
    assert isinstance(dialog, NewRunDialog)
    assert dialog._track.currentText() == "mine"
    dialog.reject()


def test_a_track_is_generated_with_a_preview_that_follows(qtbot: QtBot, page: TracksPage) -> None:
    page.generate()
    dialog = open_dialog(qtbot, GenerateDialog)
    assert isinstance(dialog, GenerateDialog)
    qtbot.waitUntil(lambda: dialog.track is not None)
    first = dialog.track
    dialog.shape.setCurrentIndex(1)
    dialog.shape.activated.emit(1)
    dialog.laps.setValue(2)
    assert not dialog.finish_button.isEnabled()
    qtbot.waitUntil(lambda: dialog.track is not None)
    assert dialog.track is not first
    assert dialog.track is not None
    assert dialog.track.length_m == pytest.approx(2000.0)
    dialog.length.setValue(200)
    dialog.width_edit.setValue(40)
    qtbot.waitUntil(lambda: "No layout" in dialog.fault.text())
    assert not dialog.finish_button.isEnabled()
    dialog.length.setValue(900)
    dialog.width_edit.setValue(18)
    qtbot.waitUntil(dialog.finish_button.isEnabled)
    press(qtbot, dialog, "Save track")
    qtbot.waitUntil(lambda: "my track" in names(page))
    assert TrackLibrary().load("my track").length_m == pytest.approx(1800.0)
    assert page._facts.values["laps of a race"].full_text() == "2"


def test_a_dropped_file_is_imported(qtbot: QtBot, page: TracksPage, tmp_path: Path) -> None:
    TrackLibrary().export("coast", tmp_path / "beach.npz")
    drop(page, tmp_path / "beach.npz")
    dialog = open_dialog(qtbot, ImportDialog)
    assert isinstance(dialog, ImportDialog)
    qtbot.waitUntil(dialog.finish_button.isEnabled)
    assert dialog.name.text() == "beach"
    press(qtbot, dialog, "Save track")
    qtbot.waitUntil(lambda: "beach" in names(page))
    assert TrackLibrary().load("beach").sha256 == TrackLibrary().load("coast").sha256


def test_a_file_that_is_no_track_is_told_and_nothing_is_lost(
    qtbot: QtBot, page: TracksPage, tmp_path: Path
) -> None:
    (tmp_path / "road.npz").write_bytes(b"no road")
    drop(page, tmp_path / "road.npz")
    dialog = open_dialog(qtbot, ImportDialog)
    assert isinstance(dialog, ImportDialog)
    qtbot.waitUntil(lambda: bool(dialog.fault.text()))
    assert not dialog.finish_button.isEnabled()
    press(qtbot, dialog, "Start over")
    TrackLibrary().export("coast", tmp_path / "beach.npz")
    drop(dialog, tmp_path / "beach.npz")
    qtbot.waitUntil(dialog.finish_button.isEnabled)
    dialog.reject()
    assert names(page) == ["mine", *BUNDLED]


def test_recorded_laps_ask_for_a_width(qtbot: QtBot, page: TracksPage, data_dir: Path) -> None:
    lap = data_dir / "tmrl-test" / "laps" / "human-01.npz"
    if not lap.is_file():
        pytest.skip("the recordings of tmrl-test are not on this machine")
    page.import_files([lap])
    dialog = open_dialog(qtbot, ImportDialog)
    assert isinstance(dialog, ImportDialog)
    qtbot.waitUntil(dialog.finish_button.isEnabled, timeout=20_000)
    dialog.width_edit.setValue(12.0)
    qtbot.waitUntil(lambda: dialog.track is not None and round(dialog.track.width_m) == 12)
    dialog.reject()


def drop(on: QWidget, *files: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in files])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    place = QPointF(on.rect().center())
    entering = QDragEnterEvent(place.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(on, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(on, QDropEvent(place, Qt.DropAction.CopyAction, data, buttons, keys))

"""The dialogs: a new run from the configuration's own fields, errors that can be copied, the question at the end."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.app.pressing import press
from tmstudio.app.dialogs.fields import field_at, help_of, parsed, range_of, title_of, unit_of
from tmstudio.app.dialogs.message import AtClosing, ClosingDialog, LongerDialog, bug_dialog, error_dialog
from tmstudio.app.dialogs.new_run import NewRunDialog
from tmstudio.config.run_config import RunConfig
from tmstudio.errors import TMStudioError
from tmstudio.track.library import TrackLibrary


class Made(list[RunConfig]):
    """The configurations that the dialog has made."""


@pytest.fixture
def made() -> Made:
    return Made()


@pytest.fixture
def dialog(qtbot: QtBot, made: Made) -> NewRunDialog:
    dialog = NewRunDialog(TrackLibrary(), "coast", made.append)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: "coast" in dialog._track_panel.aside.text())
    return dialog


def type_into(qtbot: QtBot, dialog: NewRunDialog, path: str, text: str) -> None:
    editor = dialog._editor(path)
    editor.selectAll()
    qtbot.keyClicks(editor, text)


def test_fields_come_from_the_models() -> None:
    field = field_at("budget.minutes")
    assert unit_of(field) == "min"
    assert range_of(field) == "Above 0, at most 100\u202f000"
    assert str(field.description) in help_of(field)
    assert title_of("algorithm.gamma", field_at("algorithm.gamma")) == "Discount"
    with pytest.raises(KeyError):
        field_at("budget.hours")


@pytest.mark.parametrize(
    ("text", "value"), [("5", 5), (" 1\u202f000 ", 1000), ("2.5", 2.5), ("-1", -1), ("ten", "ten"), ("", "")]
)
def test_what_is_typed_becomes_a_number_where_it_is_one(text: str, value: object) -> None:
    assert parsed(text) == value


def test_it_begins_with_the_track_of_home_and_the_preset(dialog: NewRunDialog) -> None:
    config = dialog.config()
    assert config.track == "coast"
    assert config.preset == "default"
    assert dialog.finish_button.isEnabled()


def test_start_makes_the_run_that_the_fields_say(qtbot: QtBot, dialog: NewRunDialog, made: Made) -> None:
    type_into(qtbot, dialog, "seed", "7")
    type_into(qtbot, dialog, "budget.minutes", "12.5")
    type_into(qtbot, dialog, "game.cars", "8")
    qtbot.keyClicks(dialog._name, "coast night")
    dialog._algorithm.setCurrentIndex(1)
    dialog._changed("algorithm.kind")
    qtbot.mouseClick(dialog.finish_button, Qt.MouseButton.LeftButton)
    assert len(made) == 1
    config = made[0]
    assert (config.seed, config.budget.minutes, config.game.cars, config.name) == (7, 12.5, 8, "coast night")
    assert config.algorithm.kind == "sac"


def test_a_bad_value_is_told_beside_its_field_and_start_is_off(
    qtbot: QtBot, dialog: NewRunDialog, made: Made
) -> None:
    type_into(qtbot, dialog, "game.cars", "999")
    type_into(qtbot, dialog, "budget.minutes", "soon")
    rows = dialog._rows
    assert "256" in rows["game.cars"].fault.text()
    assert not rows["budget.minutes"].fault.isHidden()
    assert rows["seed"].fault.isHidden()
    assert not dialog.finish_button.isEnabled()
    assert "marked" in dialog.finish_button.toolTip()
    dialog._finish()
    assert not made
    type_into(qtbot, dialog, "game.cars", "4")
    type_into(qtbot, dialog, "budget.minutes", "3")
    assert dialog.finish_button.isEnabled()


def test_a_preset_fills_what_was_not_touched(qtbot: QtBot, dialog: NewRunDialog) -> None:
    type_into(qtbot, dialog, "seed", "5")
    dialog._preset.setCurrentIndex(dialog._preset.findData("quickstart"))
    dialog._use_preset()
    assert dialog.config().budget.minutes == 2
    assert dialog.config().seed == 5
    assert dialog.config().track == "coast", "it was chosen on Home"
    assert "seed" in dialog._difference.text()


def test_another_track_is_shown(qtbot: QtBot, dialog: NewRunDialog) -> None:
    dialog._track.setCurrentIndex(dialog._track.findText("meadow"))
    dialog._changed("track")
    qtbot.waitUntil(lambda: "meadow" in dialog._track_panel.aside.text())
    assert dialog.config().track == "meadow"


def test_every_field_has_a_name_for_screen_readers(dialog: NewRunDialog) -> None:
    assert all(row.editor.accessibleName() for row in dialog._rows.values())


def test_an_error_says_what_why_and_what_to_do(qtbot: QtBot) -> None:
    dialog = error_dialog(TMStudioError("The disk is full", cause="0 bytes are free", hint="make room"))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "The disk is full\n0 bytes are free\nmake room"
    assert dialog.details.isHidden()


def test_a_bug_shows_its_traceback(qtbot: QtBot) -> None:
    dialog = bug_dialog("ValueError: x", "Traceback …")
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.details.toPlainText() == "Traceback …"


@pytest.mark.parametrize(
    ("text", "choice"),
    [("Keep running", AtClosing.KEEP), ("Stop and save", AtClosing.STOP), ("Cancel", AtClosing.CANCEL)],
)
def test_closing_offers_three_ways(qtbot: QtBot, text: str, choice: AtClosing) -> None:
    dialog = ClosingDialog(["valley-tqc"])
    qtbot.addWidget(dialog)
    dialog.show()
    press(qtbot, dialog, text)
    assert dialog.choice is choice


def test_escape_at_closing_is_cancel(qtbot: QtBot) -> None:
    dialog = ClosingDialog(["a", "b"])
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.choice is AtClosing.CANCEL


def test_training_longer_asks_for_minutes(qtbot: QtBot) -> None:
    dialog = LongerDialog("2:00")
    qtbot.addWidget(dialog)
    dialog.show()
    press(qtbot, dialog, "1 h")
    assert dialog.minutes == 60

"""A person drives: keys, countdown, clock, finish, and again."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tmstudio.app.driving import COUNTDOWN_S, Drive, Keys, Stage
from tmstudio.app.simulator_window import SimulatorWindow
from tmstudio.track.geometry import Track


def drive_to_the_end(drive: Drive) -> None:
    """Follow the centre line with keys alone, as a careful person would."""
    track = drive.track
    line = track.center_m[:, [0, 2]]
    for _ in range(60 * 120):
        state = drive.state
        here, speed = state.position_m[0, [0, 2]], float(state.speed_mps[0])
        index = int(np.argmin(np.hypot(*(line - here).T)))
        target = line[min(index + 4 + int(speed / 4), len(line) - 1)] - here
        forward = state.forward[0, [0, 2]]
        turn = forward[1] * target[0] - forward[0] * target[1]  # to the left is positive
        angle = np.arctan2(turn, forward @ target)
        keys = Keys(gas=speed < 32, brake=speed > 36, left=angle > 0.06, right=angle < -0.06)
        drive.advance(1 / 60, keys)
        if drive.stage is Stage.FINISHED:
            return
    pytest.fail(f"no finish: {drive.progress:.0%} of the lap")


def test_the_car_waits_for_the_countdown(valley: Track) -> None:
    drive = Drive(valley)
    assert drive.stage is Stage.COUNTDOWN
    start = drive.state.position_m.copy()
    for _ in range(int(COUNTDOWN_S * 50)):
        drive.advance(0.02, Keys(gas=True))
    assert np.allclose(drive.state.position_m, start, atol=0.01)
    for _ in range(50):
        drive.advance(0.02, Keys(gas=True))
    assert drive.stage is Stage.RACING
    assert drive.race_time_s == pytest.approx(1.0, abs=0.02)
    assert float(drive.state.speed_mps[0]) > 5


def test_steering_right_goes_right(valley: Track) -> None:
    drive = Drive(valley)
    for _ in range(int((COUNTDOWN_S + 1) * 50)):
        drive.advance(0.02, Keys(gas=True))
    before = float(drive.state.heading_rad[0])
    for _ in range(20):
        drive.advance(0.02, Keys(gas=True, right=True))
    turned = (float(drive.state.heading_rad[0]) - before + np.pi) % (2 * np.pi) - np.pi
    assert turned < -0.02, "to the right lowers the heading"


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_a_lap_does_not_depend_on_the_picture_rate(valley: Track, rate: int) -> None:
    drive = Drive(valley)
    for _ in range(int(6 * rate)):
        drive.advance(1 / rate, Keys(gas=True))
    assert drive.race_time_s == pytest.approx(6 - COUNTDOWN_S, abs=0.02)


def test_a_long_pause_is_not_made_up_for(valley: Track) -> None:
    drive = Drive(valley)
    drive.advance(60.0, Keys())
    assert drive.countdown_s > COUNTDOWN_S - 0.5


def test_a_lap_is_timed_and_the_best_is_kept(valley: Track) -> None:
    drive = Drive(valley)
    drive_to_the_end(drive)
    assert drive.gates_passed == len(valley.checkpoints_m)
    assert drive.last_lap_s == drive.best_lap_s == pytest.approx(drive.race_time_s)
    assert drive.last_lap_s is not None
    assert 15 < drive.last_lap_s < 60
    assert drive.new_best
    best = drive.best_lap_s
    drive.restart()
    assert drive.stage is Stage.COUNTDOWN
    assert drive.best_lap_s == best
    assert drive.last_lap_s is None


@pytest.fixture
def simulator(qtbot: QtBot, valley: Track) -> SimulatorWindow:
    window = SimulatorWindow(valley)
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (Qt.Key.Key_Up, "gas"),
        (Qt.Key.Key_W, "gas"),
        (Qt.Key.Key_Down, "brake"),
        (Qt.Key.Key_S, "brake"),
        (Qt.Key.Key_Left, "left"),
        (Qt.Key.Key_A, "left"),
        (Qt.Key.Key_Right, "right"),
        (Qt.Key.Key_D, "right"),
    ],
)
def test_keys_are_held_and_released(qtbot: QtBot, simulator: SimulatorWindow, key: Qt.Key, name: str) -> None:
    qtbot.keyPress(simulator, key)
    assert getattr(simulator.keys, name)
    qtbot.keyRelease(simulator, key)
    assert not getattr(simulator.keys, name)


@pytest.mark.parametrize("key", [Qt.Key.Key_Backspace, Qt.Key.Key_Delete])
def test_restart_goes_back_to_the_line(qtbot: QtBot, simulator: SimulatorWindow, key: Qt.Key) -> None:
    simulator._timer.stop()
    for _ in range(300):
        simulator.drive.advance(0.02, Keys(gas=True))
    assert simulator.drive.stage is Stage.RACING
    qtbot.keyClick(simulator, key)
    assert simulator.drive.stage is Stage.COUNTDOWN


def test_every_stage_paints(qtbot: QtBot, simulator: SimulatorWindow) -> None:
    simulator._timer.stop()
    pictures = [simulator.grab().toImage()]
    for _ in range(175):
        simulator.drive.advance(0.02, Keys(gas=True))
    simulator.tick()
    pictures.append(simulator.grab().toImage())
    drive_to_the_end(simulator.drive)
    simulator.tick()
    pictures.append(simulator.grab().toImage())
    assert len({picture.sizeInBytes() for picture in pictures}) == 1
    assert pictures[0] != pictures[1] != pictures[2]

"""The program around the window: one for each user, crashes that are told, a quick start without torch."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tmstudio.app.crash import Reporter
from tmstudio.app.single_instance import RaiseServer, raise_running_studio

ROOT = Path(__file__).resolve().parents[2]

VISIT_EVERY_PAGE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from tmstudio.app import main, window

shown = []

class Visitor(window.MainWindow):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        QTimer.singleShot(300, self.visit)

    def visit(self):
        for name in self.nav.buttons:
            self.show_page(name)
            shown.append(name)
        self.new_run()
        QApplication.activeModalWidget().reject()
        QTimer.singleShot(500, self.close)

window.MainWindow = Visitor
code = main.main([])
assert shown == ["Home", "Live", "Tracks", "Settings"], shown
loaded = sorted(name for name in sys.modules if name.partition(".")[0] == "torch")
print("torch:", loaded[:3])
sys.exit(code or bool(loaded))
"""


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_no_page_brings_torch_into_the_window() -> None:
    done = run_python(VISIT_EVERY_PAGE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_second_start_raises_the_first_window(qtbot: QtBot) -> None:
    assert not raise_running_studio(), "nobody is there yet"
    server = RaiseServer()
    assert server.listen()
    with qtbot.waitSignal(server.wanted, timeout=20_000):
        second = subprocess.Popen(
            [sys.executable, "-m", "tmstudio"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    out, err = second.communicate()
    assert second.returncode == 0, err
    assert "open already" in out
    server.close()
    assert not raise_running_studio()


def test_a_socket_left_by_a_crash_is_no_obstacle(qtbot: QtBot) -> None:
    code = (
        "import os, signal\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "from tmstudio.app.single_instance import RaiseServer\n"
        "app = QCoreApplication([]); server = RaiseServer(); assert server.listen()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert run_python(code).returncode == -signal.SIGKILL
    assert not raise_running_studio()
    server = RaiseServer()
    assert server.listen()
    server.close()


def test_a_crash_is_written_down_and_told_at_the_next_start(tmp_path: Path) -> None:
    code = (
        "import ctypes, sys\nfrom pathlib import Path\n"
        "from tmstudio.app.crash import Reporter\n"
        f"reporter = Reporter(Path({str(tmp_path)!r}))\n"
        "assert reporter.install() == ''\n"
        "ctypes.string_at(0)"
    )
    assert run_python(code).returncode != 0
    reporter = Reporter(tmp_path)
    told = reporter.install()
    reporter.uninstall()
    assert "Segmentation fault" in told
    again = Reporter(tmp_path)
    assert again.install() == "", "it is told once"
    again.uninstall()


def test_an_uncaught_exception_is_recorded_and_signalled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reporter = Reporter(tmp_path)
    reporter.install()
    told: list[tuple[str, str]] = []
    reporter.reported.connect(lambda summary, details: told.append((summary, details)))
    try:
        raise ValueError("nobody has thought of this")
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        reporter.uninstall()
    assert told[0][0] == "ValueError: nobody has thought of this"
    assert "test_program.py" in told[0][1]
    assert "nobody has thought of this" in (tmp_path / "studio-errors.log").read_text()
    assert sys.excepthook is not reporter._record


@pytest.mark.skipif(sys.platform == "win32", reason="only POSIX systems have no display")
def test_without_a_display_the_simulator_says_so() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    done = subprocess.run(
        [sys.executable, "-m", "tmstudio", "simulator"],
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "no display" in done.stderr
    assert "train --preset quickstart" in done.stderr


def test_a_track_that_does_not_exist_is_refused_by_the_simulator() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tmstudio", "simulator", "--track", "nowhere"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "no track 'nowhere'" in done.stderr


def test_void_calls_keep_none_alive(qapp: object) -> None:
    """Some versions of PySide6 lose a reference to None on each void call, and then end the process."""
    from PySide6.QtWidgets import QWidget

    widget = QWidget()
    before = sys.getrefcount(None)
    for _ in range(1000):
        widget.setEnabled(True)
    assert abs(sys.getrefcount(None) - before) < 200

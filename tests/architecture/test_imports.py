"""What may be imported when: quick commands stay quick, and the pinned Qt does not lose references."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from pytestqt.qtbot import QtBot

HEAVY = ("cv2", "grpc", "gymnasium", "numpy", "pydantic", "PySide6", "torch", "yaml")

PROGRAM_WITH_REPORT = """
import runpy, sys
try:
    runpy.run_module("tmstudio", run_name="__main__")
finally:
    print("loaded:", *sorted(name for name in sys.modules if "." not in name), file=sys.stderr)
"""


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_quick_commands_import_no_library(option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM_WITH_REPORT, option], capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split("loaded:")[1].split()
    assert not set(HEAVY) & set(loaded)


def test_importing_the_package_does_nothing_else() -> None:
    script = "import sys; before = set(sys.modules); import tmstudio; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["tmstudio"]


def test_gymnasium_entry_point_names_the_registration() -> None:
    (ours,) = (point for point in entry_points(group="gymnasium.envs") if point.value.startswith("tmstudio."))
    register = ours.load()
    register()
    import gymnasium

    assert "TMStudio/Drive-v0" in gymnasium.registry


def test_qt_keeps_its_references(qtbot: QtBot) -> None:
    """PySide6 6.12.0 on Python 3.11 drops a reference to None on every void call, until the process dies."""
    from PySide6.QtWidgets import QWidget

    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for _ in range(1000):
        widget.setEnabled(True)
    assert abs(sys.getrefcount(None) - before) < 500

"""How long it takes until the studio's window is up: a whole process, from its start to its end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WINDOW_ASKED_S = 2.0
ROUNDS = 5
ROOT = Path(__file__).resolve().parents[2]

# The window counts as up when it has been painted and answers events.
OPEN_AND_CLOSE = """
from PySide6.QtCore import QTimer
from tmstudio.app import main, window

class Quick(window.MainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        QTimer.singleShot(0, self.close)

window.MainWindow = Quick
raise SystemExit(main.main([]))
"""


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked): the quickest of several starts with warm file caches."""
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "TMSTUDIO_HOME": home,
            "PYTHONPATH": str(ROOT),
            "QT_QPA_PLATFORM": "offscreen",
        }
        window_s = _quickest([sys.executable, "-c", OPEN_AND_CLOSE], environment)
    return [("studio's window up and closed again", f"{window_s:.2f} s", f"<= {WINDOW_ASKED_S:g} s")]


def _quickest(command: list[str], environment: dict[str, str]) -> float:
    times_s = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60)
        times_s.append(time.perf_counter() - begun)
    return min(times_s)


if __name__ == "__main__":
    for row in main():
        print("  ".join(row))

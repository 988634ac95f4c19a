"""How long the window's thread is busy with one picture: the hood view with beams, and a curve of a million points."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np

HOOD_ASKED_MS = 3.0
CURVE_ASKED_MS = 5.0
POINTS = 1_000_000
ROUNDS = 60


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked): the quickest of all rounds, as what else the machine does is not the
    program's; painted into memory at 100 % scale."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QPixmap
    from PySide6.QtWidgets import QApplication, QWidget

    from tmstudio.app.series import Series
    from tmstudio.app.theme import ThemeMode, load_fonts, theme
    from tmstudio.app.widgets.chart import Line
    from tmstudio.app.widgets.curve import Curve
    from tmstudio.app.widgets.hood_view import HoodView
    from tmstudio.game.simulator.renderer import HoodRenderer
    from tmstudio.track.library import TrackLibrary

    application = QApplication.instance() or QApplication([])
    load_fonts()
    theme().set_mode(ThemeMode.DARK)
    rng = np.random.default_rng(1)

    def measured(widget: QWidget, width: int, height: int, change: Callable[[], object]) -> float:
        widget.resize(width, height)
        picture = QPixmap(width, height)
        times_ms = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            change()
            widget.render(picture)
            times_ms.append(1e3 * (time.perf_counter() - begun))
        return min(times_ms)

    track = TrackLibrary().load("valley")
    frame = HoodRenderer(track).render(np.asarray(track.spawn.position_m), track.spawn.heading_rad)
    pixels = np.dstack([frame, np.zeros(frame.shape[:2], np.uint8)])
    ends = HoodRenderer.project_beams(np.full(19, 30.0))
    hood = HoodView()
    hood.show_label("Hood view · LIDAR 19 beams · frame 14 ms old")
    hood_ms = measured(hood, 612, 286, lambda: hood.show_frame(pixels, ends))

    series = Series(200)
    x = np.linspace(0.0, 36_000.0, POINTS)
    series.append(x, 30 + 60 * np.exp(-x / 9000) + 3 * rng.normal(size=POINTS))
    curve = Curve([Line(series, "accent")], axis_unit="s")
    curve_ms = measured(curve, 588, 240, curve.refresh)
    del application
    return [
        ("hood view with 19 beams painted", f"{hood_ms:.2f} ms", f"<= {HOOD_ASKED_MS:g} ms"),
        (
            f"curve of {POINTS:,} points and its mean redrawn",
            f"{curve_ms:.2f} ms",
            f"<= {CURVE_ASKED_MS:g} ms",
        ),
    ]


if __name__ == "__main__":
    for row in main():
        print("  ".join(row))

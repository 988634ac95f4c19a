"""Takes pictures of the window on a real X server: ``take_screenshots.py FOLDER``. Needs TMSTUDIO_HOME and DISPLAY."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtWidgets import QApplication, QWidget

from tests.app.fake_run import FakeRun
from tmstudio.app.settings import Settings
from tmstudio.app.simulator_window import SimulatorWindow
from tmstudio.app.studio import Studio
from tmstudio.app.theme import ThemeMode, load_fonts, theme
from tmstudio.app.window import MainWindow
from tmstudio.track.circuit import generate_circuit
from tmstudio.track.importers.detect import look_into, make_track
from tmstudio.track.library import TrackLibrary

PATIENCE_S = 20.0


def _recordings() -> list[Path]:
    """The files of the reference track, where they are."""
    data = Path(os.environ.get("TMSTUDIO_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
    folder = data / "tmrl-test"
    if not folder.is_dir():
        return []
    borders = [folder / f"{side}-recorded.npy" for side in ("left", "right")]
    return [*borders, folder / "tmrl-test.Map.Gbx", *sorted((folder / "laps").glob("human-*.npz"))]


def main(folder: Path) -> int:
    """Take all pictures."""
    application = QApplication([])
    load_fonts()
    theme().set_mode(ThemeMode.DARK)

    def until(ready: Callable[[], bool], *, then_s: float = 0.3) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not ready():
            assert time.monotonic() < give_up, "the window did not get ready"
            application.processEvents()
            time.sleep(0.01)
        done = time.monotonic() + then_s
        while time.monotonic() < done:
            application.processEvents()
            time.sleep(0.01)

    def take(widget: QWidget, name: str) -> None:
        widget.grab().save(str(folder / f"{name}.png"))

    tracks = TrackLibrary()
    tracks.save(generate_circuit(12, 4, 700, 18, 3, "ring"))
    files = _recordings()
    if files:
        tracks.save(make_track(look_into(files), "tmrl-test"))
    else:  # the recordings are not everywhere; a track that was exported is imported instead
        tracks.export("ring", folder / "ring.npz")
        files = [folder / "ring.npz"]
    finished = FakeRun(tracks.load("coast"), "coast-sac", ("algorithm.kind=sac",))
    finished.train(4.0, seed=3, best_s=31.2)
    training = FakeRun(tracks.load("valley"), "valley-tqc", ("budget.minutes=60",))
    training.train(12.5)
    training.announce("learner", "actor")
    studio = Studio(Settings(track="valley"))
    window = MainWindow(studio)
    window.show()
    try:
        until(lambda: studio.runs_known and studio.track is not None and len(studio.runs) == 2)
        studio.open_run("valley-tqc")
        until(lambda: studio.session is not None and studio.session.read_all)
        training.drive(ahead=0.6)
        live = window.page("Live")
        library = window.page("Tracks")
        for mode in (ThemeMode.DARK, ThemeMode.LIGHT):
            theme().set_mode(mode)
            for size, suffix in (((1440, 900), ""), ((1100, 700), "-small")):
                window.resize(*size)
                window.show_page("Live")
                until(live.drive.hood.has_frame, then_s=1.0)  # type: ignore[attr-defined]
                take(window, f"live-{mode}{suffix}")
                window.show_page("Home")
                until(lambda: True, then_s=0.5)
                take(window, f"home-{mode}{suffix}")
                window.show_page("Tracks")
                until(lambda: len(library.cards) > 6, then_s=0.5)  # type: ignore[attr-defined]
                take(window, f"tracks-{mode}{suffix}")
            window.new_run()
            until(lambda: application.activeModalWidget() is not None, then_s=0.6)
            dialog = application.activeModalWidget()
            assert dialog is not None
            take(dialog, f"new-run-{mode}")
            dialog.close()
            window.show_page("Tracks")
            library.generate()  # type: ignore[attr-defined]
            until(lambda: application.activeModalWidget() is not None, then_s=1.5)
            dialog = application.activeModalWidget()
            assert dialog is not None
            take(dialog, f"generate-{mode}")
            dialog.close()
            library.import_files(files)  # type: ignore[attr-defined]
            until(lambda: application.activeModalWidget() is not None, then_s=4.0)
            dialog = application.activeModalWidget()
            assert dialog is not None
            take(dialog, f"import-{mode}")
            dialog.close()
        window.resize(1440, 900)
        window.show_page("Live")
        training.stop_driving()
        training.withdraw()
        until(lambda: not studio.session.state.running, then_s=2.0)  # type: ignore[union-attr]
        take(window, "live-stopped")
    finally:
        studio.close()
        finished.close()
        training.close()
    simulator = SimulatorWindow(tracks.load("valley"))
    simulator.show()
    simulator.keys.gas = True
    until(lambda: simulator.drive.race_time_s > 2.0, then_s=0.0)
    take(simulator, "simulator")
    simulator.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""Pictures of the pages on a real X server, for people to look at: TMSTUDIO_SCREENSHOTS names the folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = {
    *(
        f"{page}-{mode}{size}"
        for page in ("home", "live", "tracks")
        for mode in ("dark", "light")
        for size in ("", "-small")
    ),
    "new-run-dark",
    "new-run-light",
    "generate-dark",
    "generate-light",
    "import-dark",
    "import-light",
    "live-stopped",
    "simulator",
}


@pytest.fixture(scope="module")
def pictures(xvfb: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all pictures."""
    chosen = os.environ.get("TMSTUDIO_SCREENSHOTS")
    folder = Path(chosen) if chosen else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "DISPLAY": xvfb,
        "QT_QPA_PLATFORM": "xcb",
        "PYTHONPATH": str(ROOT),
        "TMSTUDIO_HOME": str(tmp_path_factory.mktemp("home")),
    }
    script = Path(__file__).with_name("take_screenshots.py")
    done = subprocess.run(
        [sys.executable, str(script), str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "QPainter" not in done.stderr, done.stderr
    return folder


@pytest.mark.slow
def test_every_picture_is_there_and_has_something_on_it(pictures: Path) -> None:
    for name in sorted(EXPECTED):
        image = QImage(str(pictures / f"{name}.png")).convertToFormat(QImage.Format.Format_RGB32)
        assert image.width() >= 900, name
        colours = np.unique(np.frombuffer(image.constBits(), np.uint32))
        assert len(colours) > 200, f"{name} is nearly empty"
    dark, light = (
        QImage(str(pictures / f"home-{mode}.png")).pixelColor(700, 40) for mode in ("dark", "light")
    )
    assert dark.lightness() < 60
    assert light.lightness() > 200

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All the user's folders of this test."""
    monkeypatch.setenv("TMSTUDIO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"

from __future__ import annotations

from pathlib import Path

import pytest

from tmstudio.config import folders


def test_everything_is_below_the_home_where_it_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMSTUDIO_HOME", str(tmp_path))
    places = [folders.runs(), folders.tracks(), folders.logs(), folders.cache(), folders.settings_file()]
    assert all(tmp_path in place.parents for place in places)
    assert len(set(places)) == len(places)
    assert not any(tmp_path.iterdir())


def test_a_relative_home_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMSTUDIO_HOME", "here")
    assert folders.runs() == tmp_path / "here" / "runs"


def test_without_a_home_the_platform_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMSTUDIO_HOME", raising=False)
    for place in (folders.runs(), folders.tracks(), folders.logs(), folders.cache(), folders.settings_file()):
        assert place.is_absolute()
        assert "TMStudio" in place.parts

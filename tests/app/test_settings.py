"""What the studio remembers, and what it does with a file it cannot use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tmstudio.app.settings import Settings, load_settings
from tmstudio.config import folders


def test_settings_come_back() -> None:
    Settings(theme="light", track="coast", window=(1200, 800), log_open=True).save()
    assert load_settings() == Settings(theme="light", track="coast", window=(1200, 800), log_open=True)


def test_without_a_file_there_are_defaults() -> None:
    assert load_settings() == Settings()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"schema_version": 99, "theme": "light"}', '{"theme": "light"}'],
)
def test_an_unusable_file_costs_nothing(text: str) -> None:
    path = folders.settings_file()
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert load_settings() == Settings()


def test_only_the_unusable_values_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(
        '{"schema_version": 1, "theme": "pink", "track": "coast", "window": [0, 9], "log_open": "yes"}'
    )
    assert load_settings(path) == Settings(track="coast")

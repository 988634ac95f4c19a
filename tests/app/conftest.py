"""A window to test, and runs to show in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tmstudio.app.theme import ThemeMode, load_fonts, theme
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.app.fake_run import FakeRun


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Any warning of Qt fails a test of the window, but one that the offscreen platform always gives."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints", extend=True))


@pytest.fixture(scope="session")
def qapp(qapp: Any) -> Any:
    """The application with the studio's look."""
    load_fonts()
    theme().set_mode(ThemeMode.DARK)
    return qapp


@pytest.fixture
def dark(qapp: Any) -> Iterator[None]:
    """The dark theme, whatever a test before has chosen."""
    theme().set_mode(ThemeMode.DARK)
    yield
    theme().set_mode(ThemeMode.DARK)


@pytest.fixture(scope="session")
def valley() -> Track:
    """A bundled track."""
    return TrackLibrary().load("valley")


@pytest.fixture
def fake_run(valley: Track) -> Iterator[Callable[..., FakeRun]]:
    """Makes runs: ``fake_run("name")``."""
    made: list[FakeRun] = []

    def make(name: str = "valley-tqc", *overrides: str) -> FakeRun:
        made.append(FakeRun(valley, name, overrides))
        return made[-1]

    yield make
    for run in made:
        run.close()

"""A place for runs and their workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.workers import Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    """Runs and workers of a test."""
    workshop = Workshop(tmp_path / "runs")
    yield workshop
    workshop.close()

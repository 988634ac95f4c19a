"""The first few hundred files of each fuzzing target; ``fuzz.py`` goes on for minutes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.targets import TARGETS
from tmstudio.errors import TMStudioError

FILES = 300


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_are_refused_or_read(name: str, data_dir: Path, tmp_path: Path) -> None:
    target = TARGETS[name]
    real = (data_dir / target.real).read_bytes()
    path, refused = tmp_path / "file.bin", 0
    for number in range(FILES):
        path.write_bytes(target.mutate(real, np.random.default_rng([0, number])))
        try:
            target.read(path)
        except TMStudioError:
            refused += 1
    assert refused > FILES // 20

"""What the built wheel holds, and that the program in it finds its own files."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from install import ROOT

from tmstudio.config.assets import asset

PRINT_ASSETS = "from tmstudio.config.assets import asset; print(asset('tracks')); print(*sorted(asset('tracks').iterdir()))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_assets_are_found_in_the_checkout() -> None:
    assert asset("tracks") == ROOT / "assets" / "tracks"
    assert asset("tracks").is_dir()


def test_wheel_holds_the_program_and_its_assets_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"tmstudio"}
    shipped = {name.removeprefix("tmstudio/assets/") for name in names if "/assets/" in name}
    here = (path.relative_to(ROOT / "assets") for path in (ROOT / "assets").rglob("*") if path.is_file())
    assert shipped == {path.as_posix() for path in here if path.parts[0] != "readme"}


def test_program_in_the_wheel_finds_its_assets(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", PRINT_ASSETS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    folder, tracks = done.stdout.splitlines()
    assert Path(folder) == tmp_path / "tmstudio" / "assets" / "tracks"
    assert "meadow.npz" in tracks

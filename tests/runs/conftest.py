from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tmstudio.config.run_config import RunConfig
from tmstudio.runs.folder import RunFolder

ROOT = Path(__file__).parents[2]
TRACK_SHA256 = "ab" * 32


@pytest.fixture
def run() -> RunFolder:
    return RunFolder.create(RunConfig(), track_sha256=TRACK_SHA256)


@pytest.fixture
def process() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts Python with a piece of code and arguments, and waits until it prints its first line."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        started.append(child)
        assert child.stdout is not None
        assert child.stdout.readline(), "the process ended before it was ready"
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


@pytest.fixture
def fill() -> Callable[[Path], None]:
    """Fills the disk that a folder is on to the last byte; only for the small disk."""

    def write(folder: Path) -> None:
        try:
            with (folder / "filling").open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise

    return write


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of a few hundred kilobytes."""
    folder = tmp_path / "small-disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can make a small disk")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("this machine does not let a test mount a disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)

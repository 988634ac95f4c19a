"""Shared ground of all tests: folders of their own, the recordings, a screen, the program as a process.

No test touches the user's folders or screen, and none may leave a process or a thread behind.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psutil
import pytest

ROOT = Path(__file__).resolve().parent.parent

# Before any test imports Qt or torch, and for the processes that tests start.
for _name in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(_name, None)
os.environ.update(
    QT_QPA_PLATFORM="offscreen",
    OMP_NUM_THREADS="1",
    OMP_WAIT_POLICY="PASSIVE",
    OPENBLAS_NUM_THREADS="1",
    MKL_NUM_THREADS="1",
)

LEAK_GRACE_S = 3.0


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the recordings from the game, which are no part of the project."""
    folder = Path(os.environ.get("TMSTUDIO_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(
            "the recordings from the game are not on this machine (set TMSTUDIO_DATA to their folder)"
        )
    return folder


@pytest.fixture(scope="session", autouse=True)
def _session_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps fixtures that live longer than one test out of the user's folders as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMSTUDIO_HOME", str(tmp_path_factory.mktemp("session-home")))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that holds everything TMStudio would write for its user."""
    folder = tmp_path / "home"
    monkeypatch.setenv("TMSTUDIO_HOME", str(folder))
    return folder


@dataclass(frozen=True)
class CliResult:
    """How a ``tmstudio`` process ended."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> dict[str, Any]:
        """The object that ``--json`` prints as the last line."""
        answer = json.loads(self.stdout.splitlines()[-1])
        assert isinstance(answer, dict)
        return answer


class RunCli(Protocol):
    """``run_cli("track", "show", "meadow", "--json")``."""

    def __call__(
        self, *arguments: str | Path, timeout_s: float = 60.0, environment: dict[str, str] | None = None
    ) -> CliResult:
        """Run the program to its end. ``environment`` is added to the test's own."""
        ...


def program_command(*arguments: str | Path) -> list[str]:
    """Command line that starts TMStudio from this checkout."""
    return [sys.executable, "-m", "tmstudio", *map(str, arguments)]


def program_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """Environment for a process that runs this checkout, wherever it starts."""
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **(extra or {})}


@pytest.fixture
def run_cli(tmp_path: Path) -> RunCli:
    """Runs ``tmstudio`` as a process of its own, in the test's folder."""

    def run(
        *arguments: str | Path, timeout_s: float = 60.0, environment: dict[str, str] | None = None
    ) -> CliResult:
        done = subprocess.run(
            program_command(*arguments),
            cwd=tmp_path,
            env=program_environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=False,
        )
        return CliResult(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def xvfb() -> Iterator[str]:
    """An X server without a screen; yields its DISPLAY for processes that shall open real windows."""
    if shutil.which("Xvfb") is None:
        reason = "Xvfb is not installed (packaging/dev.py test says how)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [
            "Xvfb",
            "-displayfd",
            str(writing),
            "-screen",
            "0",
            "1600x1000x24",
            "-nolisten",
            "tcp",
            "-dpi",
            "96",
        ],
        pass_fds=[writing],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb ended before it had a display"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(timeout=10)


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    """Fails a test that leaves a process or a thread running, and says which and where it is."""
    threads_before = set(threading.enumerate())
    processes_before = {process.pid for process in _child_processes()}
    yield
    give_up = time.monotonic() + LEAK_GRACE_S
    while True:
        threads = [thread for thread in _blocking_threads() if thread not in threads_before]
        processes = [process for process in _child_processes() if process.pid not in processes_before]
        if not threads and not processes:
            return
        if time.monotonic() > give_up:
            break
        time.sleep(0.02)
    report = [_describe_thread(thread) for thread in threads] + [_describe(process) for process in processes]
    for process in processes:
        process.kill()
    pytest.fail("left running:\n" + "\n".join(report), pytrace=False)


def _blocking_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if not thread.daemon]


def _child_processes() -> list[psutil.Process]:
    return [process for process in psutil.Process().children(recursive=True) if _is_ours(process)]


def _is_ours(process: psutil.Process) -> bool:
    """Whether a child runs on, and is not the helper that multiprocessing keeps until the end."""
    try:
        running = process.status() != psutil.STATUS_ZOMBIE
        return running and "multiprocessing.resource_tracker" not in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def _describe(process: psutil.Process) -> str:
    try:
        return f"process {process.pid}: {' '.join(process.cmdline())}"
    except psutil.NoSuchProcess:
        return f"process {process.pid}, which has just ended"


def _describe_thread(thread: threading.Thread) -> str:
    frame = sys._current_frames().get(thread.ident or 0)
    place = "".join(traceback.format_stack(frame)) if frame else "  (ended)\n"
    return f"thread {thread.name!r}, now at\n{place}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Repeats what failed before the tests, where whoever reads the end of the output sees it."""
    failed = os.environ.get("TMSTUDIO_FAILED_CHECKS")
    if failed:
        terminalreporter.section("failed before the tests", sep="=", red=True, bold=True)
        terminalreporter.line(f"{failed} (details above)")

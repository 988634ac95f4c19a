"""The three commands of packaging/dev.py: what they start and what they print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dev
import pytest
from install import SetupError


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("win32", {}, True),
        ("darwin", {}, True),
    ],
)
def test_display_is_seen(platform: str, environment: dict[str, str], expected: bool) -> None:
    assert dev.has_display(environment, platform) is expected


def test_run_opens_the_studio_or_trains_the_quick_start() -> None:
    quickstart = ["train", "--preset", "quickstart", "--picture", str(Path("out") / "quickstart.png")]
    assert dev.program_arguments([], display=True) == []
    assert dev.program_arguments([], display=False) == quickstart
    assert dev.program_arguments(["--seed", "3"], display=False) == [*quickstart, "--seed", "3"]
    assert dev.program_arguments(["runs", "--json"], display=False) == ["runs", "--json"]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], ([], [])),
        (["test"], (["test"], [])),
        (["test", "--gpu", "--", "-k", "x", "--", "y"], (["test", "--gpu"], ["-k", "x", "--", "y"])),
    ],
)
def test_arguments_are_split_at_the_first_double_dash(
    argv: list[str], expected: tuple[list[str], list[str]]
) -> None:
    assert dev.split_extra(argv) == expected


def test_table_is_aligned() -> None:
    assert dev.table([("what", "measured", "asked"), ("drawing", "3 ms", "")]).splitlines() == [
        "what     measured  asked",
        "-------  --------  -----",
        "drawing  3 ms",
    ]


def test_benchmarks_are_found_by_name(tmp_path: Path) -> None:
    for name in ("bench_b.py", "bench_a.py", "learn.py"):
        (tmp_path / name).touch()
    assert [path.name for path in dev.benchmarks(tmp_path, [])] == ["bench_a.py", "bench_b.py"]
    assert [path.name for path in dev.benchmarks(tmp_path, ["b"])] == ["bench_b.py"]
    with pytest.raises(SetupError, match="no benchmark 'c'"):
        dev.benchmarks(tmp_path, ["c"])


def test_benchmarks_run_on_one_thread() -> None:
    environment = dev.bench_environment({"PATH": "/bin", "QT_QPA_PLATFORM": "xcb", "OMP_NUM_THREADS": "8"})
    assert environment["OMP_NUM_THREADS"] == "1"
    assert environment["QT_QPA_PLATFORM"] == "xcb"
    assert environment["PATH"] == "/bin"


@pytest.mark.parametrize("command", [[], ["run"], ["test"], ["bench"]])
def test_help_explains_itself(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, dev.__file__, *command, "--help"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("usage: dev.py")
    assert "--gpu" in done.stdout or not command


def test_a_fault_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise SetupError("The disk is full.", "free some space")

    monkeypatch.setattr(dev, "prepare", fail)
    assert dev.main(["test"]) == 1
    assert capsys.readouterr().err == "\nThe disk is full.\nTry: free some space\n"

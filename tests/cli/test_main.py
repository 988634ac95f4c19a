from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tmstudio import __version__
from tmstudio.cli import runs
from tmstudio.cli.main import COMMANDS, help_text, main
from tmstudio.errors import ConfigError, Fault, TMStudioError

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def last_line(text: str) -> dict:
    return json.loads(text.splitlines()[-1])


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--version"], ["--nonsense"], ["nonsense"]])
def test_what_needs_nothing_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from tmstudio.cli.main import main; main(sys.argv[1:]); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    loaded = set(answer.stdout.splitlines()[-1].split())
    assert not loaded & {"numpy", "pydantic", "torch", "PySide6", "yaml", "grpc", "psutil", "gymnasium"}


def test_help_names_every_command_and_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert out.strip() == help_text()
    for name, summary in COMMANDS.items():
        assert f"  {name}" in out
        assert summary in out
    assert "tmstudio train --preset quickstart" in out


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tmstudio {__version__}\n"


def test_it_runs_as_a_module() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tmstudio", "nonsense"],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert answer.returncode == 2
    assert "Unknown command 'nonsense'" in answer.stderr
    assert answer.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["trian"], "Unknown command 'trian'", "did you mean 'tmstudio train'?"),
        (["xyzzy"], "Unknown command 'xyzzy'", "the commands are train,"),
        (["--fast"], "Unknown option '--fast'", "options come after the command"),
        (["runs", "--fast"], "Unrecognized arguments: --fast", "tmstudio runs --help"),
        (["runs", "show"], "The following arguments are required: RUN", "tmstudio runs show --help"),
        (["runs", "shwo", "x"], "invalid choice: 'shwo'", "tmstudio runs --help"),
    ],
)
def test_a_wrong_command_line_is_told_with_a_hint(arguments, message, hint, capsys) -> None:
    assert main([*arguments, "--json"]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert hint in captured.err
    error = last_line(captured.out)["error"]
    assert message in error["message"]
    assert hint in error["hint"]


def test_without_json_errors_leave_stdout_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "show", "none"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: There is no run 'none'\ncause: looked in ")
    assert "\ntry:   " in captured.err


def test_every_command_that_is_there_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        if not (ROOT / "tmstudio" / "cli" / f"{name}.py").exists():
            continue
        assert main([name, "--help"]) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"usage: tmstudio {name}")
        assert "--json" in out


def failing(error: BaseException):
    def run(args) -> int:
        raise error

    return run


def test_faults_of_a_configuration_are_listed_and_the_code_is_2(monkeypatch, capsys) -> None:
    error = ConfigError([Fault("algorithm.gamma", "must be at most 0.9999 (is 3)")], source="run.yaml")
    monkeypatch.setattr(runs, "run", failing(error))
    assert main(["runs", "--json"]) == 2
    captured = capsys.readouterr()
    assert "algorithm.gamma: must be at most 0.9999 (is 3)" in captured.err
    assert last_line(captured.out)["error"]["faults"] == [
        {"path": "algorithm.gamma", "problem": "must be at most 0.9999 (is 3)"}
    ]


def test_an_interrupt_ends_with_its_own_code(monkeypatch, capsys) -> None:
    monkeypatch.setattr(runs, "run", failing(KeyboardInterrupt()))
    assert main(["runs"]) == 130
    assert capsys.readouterr().out == ""
    assert main(["runs", "--json"]) == 130
    assert last_line(capsys.readouterr().out)["error"]["message"] == "interrupted"


def test_a_bug_shows_its_traceback_and_programs_still_get_an_object(monkeypatch, capsys) -> None:
    monkeypatch.setattr(runs, "run", failing(ZeroDivisionError("oh")))
    with pytest.raises(ZeroDivisionError):
        main(["runs", "--json"])
    assert "ZeroDivisionError: oh" in last_line(capsys.readouterr().out)["error"]["message"]


def test_the_error_of_another_kind_has_its_own_code(monkeypatch) -> None:
    monkeypatch.setattr(runs, "run", failing(TMStudioError("no")))
    assert main(["runs"]) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes end otherwise there")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    answer = subprocess.run(
        [sys.executable, "-m", "tmstudio", "--help"], stdout=write_end, stderr=subprocess.PIPE, text=True,
        env=ENVIRONMENT, check=False,
    )  # fmt: skip
    os.close(write_end)
    assert answer.stderr == ""
    assert answer.returncode == 1


def test_a_terminal_that_knows_few_characters_is_no_error(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tmstudio", "runs", "show", "Zürich 🏁"], capture_output=True, check=False,
        env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert answer.returncode == 1
    assert b"There is no run 'Z?rich ?'" in answer.stderr

"""How packaging/install.py decides what to install, and what it says when that fails."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

import install
import pytest
from install import Installed, SetupError, Wanted
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_supported_pythons_pass(version: tuple[int, int]) -> None:
    install.check_python(version)


@pytest.mark.parametrize("version", [(3, 8), (3, 10), (3, 14), (4, 0)])
def test_other_pythons_are_named_with_one_that_fits(
    version: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "starts", lambda command: command == "python3.12")
    with pytest.raises(
        SetupError, match=rf"3\.11 to 3\.13; this is Python {version[0]}\.{version[1]}"
    ) as error:
        install.check_python(version)
    assert "python3.12 packaging/dev.py" in error.value.hint


def test_without_a_fitting_python_the_hint_says_to_install_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "starts", lambda _: False)
    with pytest.raises(SetupError) as error:
        install.check_python((3, 9))
    assert "install one of them" in error.value.hint


def test_an_interpreter_counts_only_if_it_starts(tmp_path: Path) -> None:
    assert install.starts(sys.executable)
    assert not install.starts(str(tmp_path / "python3.12"))
    assert not install.starts("false")


@pytest.mark.parametrize(
    ("installed", "wanted", "covered"),
    [
        (Installed("a", tests=False, gpu=False), Wanted(tests=False, gpu=False), True),
        (Installed("a", tests=True, gpu=True), Wanted(tests=False, gpu=False), True),
        (Installed("a", tests=False, gpu=False), Wanted(tests=True, gpu=False), False),
        (Installed("a", tests=True, gpu=False), Wanted(tests=True, gpu=True), False),
        (Installed("b", tests=True, gpu=True), Wanted(tests=False, gpu=False), False),
        (install.NOTHING, Wanted(tests=False, gpu=False), False),
    ],
)
def test_an_environment_covers_what_it_holds(installed: Installed, wanted: Wanted, covered: bool) -> None:
    assert installed.covers(wanted, "a") is covered


def test_stamp_comes_back_as_written(tmp_path: Path) -> None:
    installed = Installed("abc", tests=True, gpu=False)
    install.write_stamp(installed, tmp_path / "stamp")
    assert install.read_stamp(tmp_path / "stamp") == installed


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"fingerprint": "a"}', '{"other": 1}'])
def test_an_unreadable_stamp_counts_as_nothing_installed(tmp_path: Path, content: str | None) -> None:
    stamp = tmp_path / "stamp"
    if content is not None:
        stamp.write_text(content)
    assert install.read_stamp(stamp) == install.NOTHING


def test_fingerprint_follows_pins_and_python(tmp_path: Path) -> None:
    pins = tmp_path / "constraints.txt"
    environment = tmp_path / "venv"
    environment.mkdir()
    seen = set()
    for pinned, python in [("torch==1", "3.11.7"), ("torch==2", "3.11.7"), ("torch==2", "3.12.1")]:
        pins.write_text(pinned)
        (environment / "pyvenv.cfg").write_text(f"version = {python}")
        found = install.fingerprint(environment, [pins])
        assert found == install.fingerprint(environment, [pins])
        seen.add(found)
    assert len(seen) == 3


def test_linux_looks_for_a_cpu_build_only() -> None:
    attempts = install.torch_attempts("2.13.0", gpu=False, platform="linux")
    assert [attempt[-1] for attempt in attempts] == ["torch==2.13.0+cpu", "torch==2.13.0+cpu"]
    assert install.TORCH_CPU_INDEX in attempts[1]


@pytest.mark.parametrize(
    ("platform", "gpu", "arguments"),
    [
        ("linux", True, ["torch===2.13.0"]),
        ("win32", False, ["torch===2.13.0"]),
        ("win32", True, ["--index-url", install.TORCH_CUDA_INDEX, "torch==2.13.0"]),
        ("darwin", False, ["torch===2.13.0"]),
    ],
)
def test_other_builds_come_from_one_place(platform: str, gpu: bool, arguments: list[str]) -> None:
    assert install.torch_attempts("2.13.0", gpu=gpu, platform=platform) == [arguments]


def test_torch_pin_is_read_and_its_absence_said() -> None:
    assert install.torch_pin("numpy==2.4.6\ntorch==2.13.0\n") == "2.13.0"
    with pytest.raises(SetupError, match="no version of torch"):
        install.torch_pin("torchvision==1.0\n")


def test_debian_packages_count_with_what_they_provide() -> None:
    listing = (
        "installed\tlibglib2.0-0t64\tlibglib2.0-0 (= 2.80.0-6)\n"
        "config-files\txvfb\t\n"
        "installed\tlibgl1\tlibgl1-x, libgl1-y\n"
    )
    expected = {"libglib2.0-0t64", "libglib2.0-0", "libgl1", "libgl1-x", "libgl1-y"}
    assert install.parse_debian_packages(listing) == expected


class RecordedStages(install.Stages):
    """Stages that write down the commands instead of running them."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []

    def run(self, title: str, command: list[str], environment: dict[str, str] | None = None) -> None:
        self.commands.append(command)


class Debian:
    """A Debian where a test says who one is and which of TMStudio's packages are there."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        patch.setattr(sys, "platform", "linux")
        patch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
        patch.setattr(install, "venv_packages", list)

    def install(self, missing: set[str], *, root: bool, tests: bool) -> list[list[str]]:
        present = {*install.QT_PACKAGES, *install.TEST_PACKAGES} - missing
        self.patch.setattr(install, "debian_packages", lambda: present)
        self.patch.setattr(os, "geteuid", lambda: 0 if root else 1000, raising=False)
        stages = RecordedStages()
        install.install_system_packages(stages, Wanted(tests=tests, gpu=False))
        return stages.commands


@pytest.fixture
def debian(monkeypatch: pytest.MonkeyPatch) -> Debian:
    return Debian(monkeypatch)


def test_a_complete_debian_is_left_alone(debian: Debian) -> None:
    assert debian.install(set(), root=True, tests=True) == []
    assert debian.install({"xvfb"}, root=False, tests=False) == []


def test_root_installs_what_is_missing_and_only_that(debian: Debian) -> None:
    update, missing = debian.install({"libegl1", "xvfb"}, root=True, tests=True)
    assert update == ["apt-get", "update"]
    assert missing[-2:] == ["libegl1", "xvfb"]


def test_another_user_is_told_the_one_command(debian: Debian) -> None:
    with pytest.raises(SetupError, match="system packages are missing") as error:
        debian.install({"libegl1", "xvfb"}, root=False, tests=True)
    assert error.value.hint.endswith("sudo apt-get install --no-install-recommends libegl1 xvfb")


def test_missing_test_tools_do_not_stop_another_user(
    debian: Debian, capsys: pytest.CaptureFixture[str]
) -> None:
    assert debian.install({"xdotool"}, root=False, tests=True) == []
    assert capsys.readouterr().out.endswith("sudo apt-get install --no-install-recommends xdotool\n")


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("OSError: [Errno 28] No space left on device", "disk space"),
        ("Failed to establish: Temporary failure in name resolution", "connection"),
        ("ERROR: No matching distribution found for torch==9", "no ready package"),
        ("/w/.venv/bin/python: No module named pip", "delete the folder .venv"),
        ("something new", "start again"),
    ],
)
def test_failures_have_a_hint(output: str, word: str) -> None:
    assert word in install.hint_for(output)


def test_a_stage_says_its_time_and_logs_what_the_command_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "install.log"
    install.Stages(log).run("Greeting", [sys.executable, "-c", "print('good day')"])
    assert re.fullmatch(r"  Greeting \.\.\. \d+ s\n", capfd.readouterr().out)
    assert "good day" in log.read_text()


def test_a_failed_stage_shows_the_last_lines_and_a_hint(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "import sys; print('begin'); print('No space left on device'); sys.exit(3)"
    stages = install.Stages(tmp_path / "install.log")
    with pytest.raises(SetupError, match="Packages: the command failed") as error:
        stages.run("Packages", [sys.executable, "-c", script])
    assert "disk space" in error.value.hint
    assert str(tmp_path / "install.log") in error.value.hint
    assert "No space left" in capfd.readouterr().err


def test_an_attempt_may_fail(tmp_path: Path) -> None:
    stages = install.Stages(tmp_path / "install.log")
    assert not stages.attempt("Try", [sys.executable, "-c", "raise SystemExit(1)"])
    assert stages.attempt("Try", [sys.executable, "-c", ""])


def pins() -> dict[str, str]:
    lines = [line for line in install.CONSTRAINTS.read_text().splitlines() if not line.startswith("#")]
    return {str(canonicalize_name(name)): version for name, version in (line.split("==") for line in lines)}


def test_every_dependency_is_pinned_within_its_bounds() -> None:
    project = tomllib.loads(install.PYPROJECT.read_text())["project"]
    texts = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    for requirement in map(Requirement, texts):
        assert requirement.specifier.contains(pins()[canonicalize_name(requirement.name)]), requirement


def test_what_is_installed_here_is_what_is_pinned() -> None:
    from importlib.metadata import distributions

    here: dict[str, str] = {
        canonicalize_name(found.name): found.version.split("+")[0] for found in distributions()
    }
    different = {name: (here[name], pin) for name, pin in pins().items() if here.get(name, pin) != pin}
    assert not different
